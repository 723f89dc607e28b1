/** What is drawn as nothing: zero-width characters, bidi controls, soft hyphens, variation selectors. */
const hidden = /\p{Default_Ignorable_Code_Point}/gu
/** The same without joiners and variation selectors, with which words of Persian and Hindi, and emoji, are written. */
const hidden_in_lines = /(?!\u200c|\u200d|\ufe0e|\ufe0f)\p{Default_Ignorable_Code_Point}/gu

/**
 * The one spelling of a serial number. People paste it from mails and sheets, which bring hidden characters, blanks and full-width
 * letters along, and write it in any letter case; a serial number is one device all the same.
 */
export const serialNumber = (text: string): string =>
  text.normalize('NFKC').replace(hidden, '').replace(/\s+/gu, '').toUpperCase()

/** Names, search texts and whatever else is one line: composed, without hidden characters and outer blanks. */
export const plainLine = (text: string): string => text.normalize('NFC').replace(hidden_in_lines, '').trim()

/** The one spelling of where a group stands: the names from the topmost on, as `Hanoi/Dock B`. */
export const groupPath = (text: string): string =>
  text
    .split(/[/\uff0f]/)
    .map(plainLine)
    .filter(Boolean)
    .join('/')
