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
