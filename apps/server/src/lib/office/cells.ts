/** Why a cell has no text that could be trusted. */
export type CellFault = 'date' | 'rounded' | 'formula' | 'error'

export type SheetCell = { text: string; fault?: CellFault }

/** `n` is the number that the program shows beside the row. */
export type SheetRow = { n: number; cells: (SheetCell | undefined)[] }

export const sheet_limits = { rows: 50_000, columns: 50, cell_chars: 32_767, chars: 32 * 1024 ** 2 } as const

/** 0 for A. */
export function columnOf(reference: string | undefined): number | undefined {
  const letters = /^\$?([A-Z]{1,3})/i.exec(reference ?? '')?.[1]
  if (letters === undefined) return undefined
  return [...letters.toUpperCase()].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

/**
 * Whether a text is a number that a spreadsheet has rounded: with an exponent, or with more digits, in groups, than the 15
 * that spreadsheets keep. Without a sign and a fraction (2E07) it may be a serial number as well.
 */
export function isRounded(text: string): boolean {
  if (text.length > rounded_chars || !/[\p{Nd}]/u.test(text)) return false
  const plain = text
    .normalize('NFKC')
    .replace(/^[+\-\u2212]/, '')
    .replace('\u2212', '-')
    .trim()
  if (/^\d+(?:[.,]\d+ ?[eE] ?[+-]?|[.,]? ?[eE] ?[+-])\d+$/.test(plain)) return true
  return /^\d{1,3}([., '\u2019])\d{3}(?:\1\d{3}){4,}(?:[.,]0+)?$/.test(plain)
}
const rounded_chars = 40
