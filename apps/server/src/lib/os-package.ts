import type { Entry } from 'yauzl'
import { openArchive, readDirectory } from './apk/archive.ts'
import { ApkError, invalid } from './apk/source.ts'
import type { ByteSource } from './apk/source.ts'

/** Everything lies in it (specification, 5). */
const folder = 'DOWNLOAD/'
const encrypted_flag = 1
const link_type = 0o120000
const type_mask = 0o170000

export type OsPackageFacts = { files: number; bytes: number }

const badLayout = (message: string): ApkError => new ApkError('unsigned', message)

/**
 * Whether it is a package as devices take one: a ZIP of the folder DOWNLOAD, whose files are what the archive says. Each is
 * unpacked once, as a stream, and nothing is kept. Throws ApkError; `unsigned` stands for a wrong layout.
 */
export async function readOsPackage(source: ByteSource): Promise<OsPackageFacts> {
  const directory = await readDirectory(source)
  const archive = await openArchive(source, directory, directory.start, () => true)
  const names = new Set<string>()
  const files: Entry[] = []
  for (const entry of archive.entries) {
    const name = nameOf(entry)
    if (names.has(name.toLowerCase())) throw invalid(`two entries are called ${name}`)
    names.add(name.toLowerCase())
    if (!name.endsWith('/')) files.push(entry)
  }
  if (files.length === 0) throw badLayout('no files')
  let bytes = 0
  for (const entry of files) for await (const piece of archive.stream(entry)) bytes += piece.length
  return { files: files.length, bytes }
}

function nameOf(entry: Entry): string {
  const name = entry.fileNameRaw.toString('utf8')
  // Devices make paths of names: nothing that leaves the folder, and no character that two systems read differently.
  const is_plain = !/[\p{Cc}\\:*?"<>|\uFFFD]/u.test(name) && name.length <= 512
  const steps = name.replace(/\/$/, '').split('/')
  if (!is_plain || steps.some((step) => step === '' || step === '.' || step === '..')) throw invalid(`a name: ${name}`)
  if (((entry.externalFileAttributes >>> 16) & type_mask) === link_type) throw invalid('a link')
  if ((entry.generalPurposeBitFlag & encrypted_flag) !== 0) throw invalid('it is encrypted')
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8) throw invalid('packed in another way')
  if (!name.startsWith(folder)) throw badLayout(`${name} is not in ${folder}`)
  return name
}
