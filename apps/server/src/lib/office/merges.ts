import { refuse } from '../../refusal.ts'
import { columnOf, sheet_limits } from './cells.ts'
import type { SheetCell, SheetRow } from './cells.ts'
const merges_max = 60_000
const overlap_chars = 300
const range = /<(?:\w{1,20}:)?mergeCell\s[^<>]{0,200}?ref\s*=\s*["']([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})["']/g

type Merge = { column: number; top: number; bottom: number }

/**
 * Cells that were merged downwards have their text in the topmost row only; people see it in all of them. The file names
 * them behind its cells, so they are looked for first. Rows are to be given in their order.
 */
export async function mergedBelow(chunks: AsyncIterable<Buffer>): Promise<(row: SheetRow) => void> {
  const coming = apart(await merges(chunks))
  /** What is shown in a column down to a row: of each column the last one, so no row looks at more than its columns. */
  const shown = new Map<number, { bottom: number; cell: SheetCell | undefined }>()
  let next = 0
  return (row) => {
    for (const [column, { bottom, cell }] of shown)
      if (bottom < row.n) shown.delete(column)
      else if (cell) row.cells[column] ??= cell
    for (; next < coming.length && coming[next]!.top <= row.n; next += 1) {
      const { column, top, bottom } = coming[next]!
      if (top === row.n) shown.set(column, { bottom, cell: row.cells[column] })
    }
  }
}

/** In the order of their rows. No program makes cells that belong to two merges. */
function apart(merges: Merge[]): Merge[] {
  const last = new Map<number, number>()
  const sorted = merges.sort((a, b) => a.top - b.top)
  for (const { column, top, bottom } of sorted) {
    if (top <= (last.get(column) ?? 0)) refuse('sheet_damaged')
    last.set(column, bottom)
  }
  return sorted
}

async function merges(chunks: AsyncIterable<Buffer>): Promise<Merge[]> {
  const found: Merge[] = []
  let text = ''
  for await (const chunk of chunks) {
    text += chunk.toString('latin1')
    let seen = 0
    if (text.includes('mergeCell'))
      for (const match of text.matchAll(range)) {
        seen = match.index + match[0].length
        const [top, bottom] = [Number(match[2]), Number(match[4])]
        const column = columnOf(match[1])!
        if (bottom > top && column < sheet_limits.columns) found.push({ column, top, bottom })
        if (found.length > merges_max) refuse('sheet_beyond_limits')
      }
    text = text.slice(Math.max(seen, text.length - overlap_chars))
  }
  return found
}
