import { errors, serialNumber } from '@mdm/contract'
import type { BatchColumn } from '@mdm/contract'
import type { Preview, PreviewRow } from './sides.ts'

/** What was typed into cells, by the row of the spreadsheet. */
export type Mended = ReadonlyMap<number, Partial<Record<BatchColumn, string>>>

export const mend = (row: PreviewRow, mended: Mended): PreviewRow => ({ ...row, ...mended.get(row.row) })

/** The rows that were mended, and all others of an SN that one of them has or had: only together can they be judged. */
export function rowsToCheck({ rows }: Preview, mended: Mended): PreviewRow[] {
  const now = rows.map((row) => mend(row, mended))
  const sns = new Set(
    rows.flatMap((row, at) => (mended.has(row.row) ? [row.sn, now[at]!.sn].map((sn) => serialNumber(sn ?? '')) : [])),
  )
  sns.delete('')
  return now.filter(({ row, sn }) => mended.has(row) || sns.has(serialNumber(sn ?? '')))
}

/** The preview with what was said of some of its rows since. */
export function withChecked(preview: Preview, checked: Preview): Preview {
  const fresh = new Map(checked.rows.map((row) => [row.row, row]))
  const rows = preview.rows.map((row) => fresh.get(row.row) ?? row)
  const bad = rows.filter(({ faults }) => faults).length
  const { missing_groups: former = [], sheet, other_sheets, unknown_columns } = preview
  const { missing_groups: found = [] } = checked
  return {
    ...{ rows, bad, good: rows.length - bad, sheet, other_sheets, unknown_columns },
    missing_groups: [...new Set([...former, ...found])].filter((path) => rows.some((row) => row.group_path === path)),
    ...(checked.room !== undefined && { room: checked.room }),
  }
}

/** The preview as it is once the groups that are missing are created. */
export function withGroups(preview: Preview): Preview {
  const created = new Set(preview.missing_groups)
  const rows = preview.rows.map(({ faults = [], ...row }): PreviewRow => {
    const left = faults.filter(
      ({ result }) => result !== errors.row_group_unknown.result || !created.has(row.group_path ?? ''),
    )
    return { ...row, ...(left.length > 0 && { faults: left }) }
  })
  const bad = rows.filter(({ faults }) => faults).length
  return { ...preview, rows, bad, good: rows.length - bad }
}
