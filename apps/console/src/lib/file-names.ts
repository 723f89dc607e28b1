import { fileNameKey, tidyFileName } from '@mdm/contract/file-names.ts'
export { fileNameFault as nameFault } from '@mdm/contract/file-names.ts'
export type { NameFault } from '@mdm/contract/file-names.ts'

/** Names are unique whatever their case, and as devices compare them. */
export const sameName = (a: string, b: string): boolean => fileNameKey(tidyFileName(a)) === fileNameKey(tidyFileName(b))

/** A free name made of the same parts: 'map.zip' -> 'map (2).zip'. */
export function nextName(name: string, isTaken: (name: string) => boolean): string {
  const [, stem = name, end = ''] = /^(.+?)((?:\.tar)?\.[^.]+)?$/u.exec(name) ?? []
  for (let at = 2; ; at++) {
    const next = `${stem} (${at})${end}`
    if (!isTaken(next)) return next
  }
}
