import { constants } from '@mdm/contract'
import { fileNameKey, forbidden_in_names } from '@mdm/contract/file-names.ts'

export type NameFault = 'required' | 'characters' | 'too_long' | 'dot'

const tidy = (name: string): string => name.normalize('NFC').trim()

/**
 * "File and folder names must not contain …; at most 255 characters; must not end with a dot; must be unique"
 * (specification, 5), said before a byte is sent.
 */
export function nameFault(given: string): NameFault | undefined {
  const name = tidy(given)
  if (fileNameKey(name) === '') return 'required'
  if (forbidden_in_names.test(name)) return 'characters'
  if (name.length > constants.file_name_max) return 'too_long'
  return name.endsWith('.') ? 'dot' : undefined
}

/** Names are unique whatever their case, and as devices compare them. */
export const sameName = (a: string, b: string): boolean => fileNameKey(tidy(a)) === fileNameKey(tidy(b))

/** A free name made of the same parts: 'map.zip' -> 'map (2).zip'. */
export function nextName(name: string, isTaken: (name: string) => boolean): string {
  const [, stem = name, end = ''] = /^(.+?)((?:\.tar)?\.[^.]+)?$/u.exec(name) ?? []
  for (let at = 2; ; at++) {
    const next = `${stem} (${at})${end}`
    if (!isTaken(next)) return next
  }
}
