import { forbidden_in_names, hidden_in_names } from '@mdm/contract/file-names.ts'
import type { Entry } from 'yauzl'
import { invalid } from './source.ts'

const encrypted_flag = 1
const link_type = 0o120000
const type_mask = 0o170000

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
  if (((entry.externalFileAttributes >>> 16) & type_mask) === link_type) throw invalid('a link')
  if ((entry.generalPurposeBitFlag & encrypted_flag) !== 0) throw invalid('it is encrypted')
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8) throw invalid('packed in another way')
  return name
}

/** Throws ApkError where two entries would be one file. */
export function assertOnce(names: readonly string[]): void {
  const there = new Set<string>()
  for (const name of names) {
    if (there.has(name)) throw invalid(`two entries are called ${name}`)
    there.add(name)
  }
}
