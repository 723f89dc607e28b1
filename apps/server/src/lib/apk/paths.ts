import { forbidden_in_names, hidden_in_names } from '@mdm/contract/file-names.ts'
import type { Entry } from 'yauzl'
import { invalid } from './source.ts'

const encrypted_flag = 1
const type_mask = 0o170000
/** A file, a folder, or an archive that does not say. */
const plain_types = [0o100000, 0o040000, 0]
/** Setuid, setgid and sticky. */
const special_bits = 0o7000

/** Throws ApkError of an entry that unpacks to a link, a device, a pipe, or to what runs with another's rights. */
export function assertPlain({ externalFileAttributes }: Entry): void {
  const mode = externalFileAttributes >>> 16
  if (!plain_types.includes(mode & type_mask)) throw invalid('a link, or a device')
  if ((mode & special_bits) !== 0) throw invalid('an entry with special rights')
}

/** The name of an entry that devices unpack, where they can make a path of it that stays in their folder. Throws ApkError. */
export function pathOf(entry: Entry): string {
  const name = entry.fileNameRaw.toString('utf8')
  const steps = name.replace(/\/$/, '').split('/')
  // Nothing that leaves the folder, and no character that two systems read differently.
  const is_plain =
    name.length <= 512 &&
    !name.includes('\uFFFD') &&
    !hidden_in_names.test(name) &&
    !steps.some((step) => forbidden_in_names.test(step))
  if (!is_plain || steps.some((step) => step === '' || step === '.' || step === '..')) throw invalid(`a name: ${name}`)
  if ((entry.generalPurposeBitFlag & encrypted_flag) !== 0) throw invalid('it is encrypted')
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8) throw invalid('packed in another way')
  return name
}

/** Throws ApkError where two entries would be one file, or one a file and the other a folder of that name. */
export function assertOnce(names: readonly string[]): void {
  const there = new Set<string>()
  for (const name of names) {
    if (there.has(name)) throw invalid(`two entries are called ${name}`)
    there.add(name)
  }
  const folders = new Set<string>()
  for (const name of names)
    for (let at = name.lastIndexOf('/'); at > 0; at = name.lastIndexOf('/', at - 1)) {
      const folder = name.slice(0, at)
      if (there.has(folder)) throw invalid(`${folder} is a file and a folder`)
      // What is above it has been looked at.
      if (folders.has(folder)) break
      folders.add(folder)
    }
}
