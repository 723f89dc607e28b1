import { constants } from '@mdm/contract'

export type NameFault = 'required' | 'characters' | 'too_long' | 'dot'

const forbidden = /[\\/:*?"<>|\p{Cc}\u2028\u2029]/u
const tidy = (name: string): string => name.normalize('NFC').trim()

/**
 * "File and folder names must not contain …; at most 255 characters; must not end with a dot; must be unique"
 * (specification, 5), said before a byte is sent.
 */
export function nameFault(given: string): NameFault | undefined {
  const name = tidy(given)
  if (name === '') return 'required'
  if (forbidden.test(name)) return 'characters'
  if (name.length > constants.file_name_max) return 'too_long'
  return name.endsWith('.') ? 'dot' : undefined
}

/** Names are unique whatever their case. */
export const sameName = (a: string, b: string): boolean => tidy(a).toLowerCase() === tidy(b).toLowerCase()

/** A free name made of the same parts: 'map.zip' -> 'map (2).zip'. */
export function nextName(name: string, isTaken: (name: string) => boolean): string {
  const [, stem = name, end = ''] = /^(.+?)((?:\.tar)?\.[^.]+)?$/u.exec(name) ?? []
  for (let at = 2; ; at++) {
    const next = `${stem} (${at})${end}`
    if (!isTaken(next)) return next
  }
}
