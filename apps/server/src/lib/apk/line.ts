/** Joiners and variation selectors: words of Persian and Hindi, and emoji, are written with them. */
const hidden = /(?!\u200c|\u200d|\ufe0e|\ufe0f)\p{Default_Ignorable_Code_Point}/gu

/** One line that can be stored and shown, and turns nothing round beside it; null when nothing is left. */
export const line = (text: string | null, max: number): string | null =>
  text
    ?.normalize('NFC')
    .replace(hidden, '')
    .replace(/[\p{Cc}\p{Cs}\u2028\u2029]+/gu, ' ')
    .trim()
    .slice(0, max)
    .toWellFormed() || null
