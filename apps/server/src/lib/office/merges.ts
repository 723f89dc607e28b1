import { refuse } from '../../http/context.ts'
import { columnOf } from './worksheet.ts'
import type { SheetCell, SheetRow } from './worksheet.ts'

const merges_max = 60_000
const overlap_chars = 300
const range = /<(?:\w{1,20}:)?mergeCell\s[^<>]{0,200}?ref\s*=\s*["']([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})["']/g

type Merge = { column: number; top: number; bottom: number; cell?: SheetCell | undefined }

/**
 * Cells that were merged downwards have their text in the topmost row only; people see it in all of them. The file names
 * them behind its cells, so they are looked for first. Rows are to be given in their order.
 */
export async function mergedBelow(chunks: AsyncIterable<Buffer>): Promise<(row: SheetRow) => void> {
  const coming = (await merges(chunks)).sort((a, b) => a.top - b.top)
  let active: Merge[] = []
  let next = 0
  return (row) => {
    active = active.filter(({ bottom }) => bottom >= row.n)
    for (const merge of active) if (merge.cell) row.cells[merge.column] ??= merge.cell
    for (; next < coming.length && coming[next]!.top <= row.n; next += 1) {
      const merge = coming[next]!
      if (merge.top === row.n) active.push({ ...merge, cell: row.cells[merge.column] })
    }
  }
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
        if (bottom > top) found.push({ column: columnOf(match[1])!, top, bottom })
        if (found.length > merges_max) refuse('sheet_beyond_limits')
      }
    text = text.slice(Math.max(seen, text.length - overlap_chars))
  }
  return found
}
