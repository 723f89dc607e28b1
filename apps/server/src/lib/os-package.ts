import type { Entry } from 'yauzl'
import { fileNameKey } from '@mdm/contract/file-names.ts'
import { os_delta_folder } from '@mdm/device-link'
import { openArchive, readDirectory } from './apk/archive.ts'
import { assertOnce, pathOf } from './apk/paths.ts'
import { ApkError } from './apk/source.ts'
import type { ByteSource } from './apk/source.ts'
import type { Archive } from './apk/archive.ts'

/** Everything lies in it (specification, 5). */
const folder = 'DOWNLOAD/'

export type OsPackageFacts = { files: number; bytes: number }

const badLayout = (message: string): ApkError => new ApkError('unsigned', message)

/**
 * Whether it is a package as devices take one: a ZIP of the folder DOWNLOAD, whose files are what the archive says. Each is
 * unpacked once, as a stream, and nothing is kept. Throws ApkError; `unsigned` stands for a wrong layout.
 */
export async function readOsPackage(source: ByteSource): Promise<OsPackageFacts> {
  const { archive, entries } = await osPackageEntries(source)
  let files = 0
  let bytes = 0
  for (const { name, entry } of entries) {
    if (name.startsWith(os_delta_folder)) throw badLayout(`${name} is a name of the server’s own`)
    await archive.assertNamed(entry)
    if (name.endsWith('/')) continue
    files += 1
    for await (const piece of archive.stream(entry)) bytes += piece.length
  }
  return { files, bytes }
}

/** Its entries with names that a device can make paths of. Throws ApkError. */
export async function osPackageEntries(
  source: ByteSource,
): Promise<{ archive: Archive; entries: { name: string; entry: Entry }[] }> {
  const directory = await readDirectory(source)
  const archive = await openArchive(source, directory, directory.start, () => true)
  const entries = archive.entries.map((entry) => ({ name: nameInPackage(entry), entry }))
  assertOnce(entries.map(({ name }) => fileNameKey(name)))
  if (entries.every(({ name }) => name.endsWith('/'))) throw badLayout('no files')
  return { archive, entries }
}

/** A name in the one folder of a package. Throws ApkError. */
export function nameInPackage(entry: Entry): string {
  const name = pathOf(entry)
  if (!name.startsWith(folder)) throw badLayout(`${name} is not in ${folder}`)
  return name
}
