import { refuse } from '../refusal.ts'
export type CsvLimits = { cell_chars: number; columns: number }

/**
 * The rows of a CSV text (RFC 4180, and what programs make of it). Cells are cut out of the text where they stand: one
 * that is longer than a cell can be, or that is never closed, is refused before it is copied.
 */
export function* csvRows(text: string, delimiter: string, limits: CsvLimits): Generator<string[]> {
  // Blanks between a delimiter and a quote are no part of the cell.
  const opening = new RegExp(`[ \\u00a0${delimiter === '\t' ? '' : '\\t'}]*"`, 'y')
  const ends = new RegExp(`[\\r\\n${delimiter === '\t' ? '\\t' : `\\${delimiter}`}]`, 'g')
  for (let at = 0; at < text.length;) {
    const row: string[] = []
    for (let is_row_over = false; !is_row_over;) {
      opening.lastIndex = at
      const quoted = opening.test(text) ? quotedCell(text, opening.lastIndex - 1, limits.cell_chars) : undefined
      ends.lastIndex = quoted?.end ?? at
      const end = ends.exec(text)?.index ?? text.length
      const plain = text.slice(quoted?.end ?? at, end)
      row.push(quoted === undefined ? plain : quoted.text + plain)
      if (row.length > limits.columns) refuse('sheet_too_many_columns', { max: limits.columns })
      is_row_over = text[end] !== delimiter
      at = end + (text[end] === '\r' && text[end + 1] === '\n' ? 2 : 1)
    }
    yield row
  }
}

/** What stands between the quotes, of which two stand for one. */
function quotedCell(text: string, start: number, max: number): { text: string; end: number } {
  for (let from = start + 1; ;) {
    const quote = text.indexOf('"', from)
    // Twice as many when all of them are quotes.
    if (quote < 0 || quote - start > 2 * max + 1) return refuse('sheet_damaged')
    if (text[quote + 1] !== '"') return { text: text.slice(start + 1, quote).replaceAll('""', '"'), end: quote + 1 }
    from = quote + 2
  }
}
