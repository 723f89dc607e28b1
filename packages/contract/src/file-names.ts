import { constants } from './constants.ts'

/**
 * Control characters, and what is drawn as nothing: zero-width characters, bidi controls, variation selectors. A file
 * system that folds names leaves the latter out, and people see no difference.
 */
export const hidden_in_names = /[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029]/u
const hidden = new RegExp(hidden_in_names, 'gu')

/**
 * "File and folder names must not contain …" (specification, 5), nor what is hidden, except joiners and variation selectors:
 * words of Persian and Hindi, and emoji, are written with them.
 */
export const forbidden_in_names = new RegExp(
  `[\\\\/:*?"<>|]|(?![\\u200c\\u200d\\ufe0e\\ufe0f])${hidden_in_names.source}`,
  'u',
)

/**
 * What two names have in common that are one file on a device: storage of Android (f2fs, ext4 with casefold, the media
 * provider) folds composition and case and leaves out what is hidden. Upper case first: ß is SS there, and both sigmas one.
 */
export const fileNameKey = (name: string): string =>
  name.replace(hidden, '').normalize('NFC').toUpperCase().toLowerCase().normalize('NFC')

export type NameFault = 'required' | 'characters' | 'too_long' | 'too_many_bytes' | 'dot'

/** The name as it is kept. */
export const tidyFileName = (name: string): string => name.normalize('NFC').trim()

/**
 * "File and folder names must not contain …; at most 255 characters; must not end with a dot" (specification, 5). Devices
 * count bytes: a Vietnamese or Chinese letter takes up to three.
 */
export function fileNameFault(given: string): NameFault | undefined {
  const name = tidyFileName(given)
  if (fileNameKey(name) === '') return 'required'
  if (forbidden_in_names.test(name)) return 'characters'
  if (name.length > constants.file_name_max) return 'too_long'
  if (new TextEncoder().encode(name).length > constants.file_name_bytes) return 'too_many_bytes'
  return name.endsWith('.') ? 'dot' : undefined
}
