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
