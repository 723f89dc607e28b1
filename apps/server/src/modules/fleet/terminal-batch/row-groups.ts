import { batch_limits } from '@mdm/contract'
import type { ReadPaths } from '../terminal-group/index.ts'
import type { Fault } from './sheet/faults.ts'
import type { ReadRow } from './sheet/sheet.ts'

type Row = Pick<ReadRow, 'group_path' | 'faults'>

/** Of rows that name a group of their own: why it cannot be that one. */
export const groupFaults = <R extends Row>(paths: ReadPaths, rows: readonly R[]): [R, Fault][] =>
  rows.flatMap((row) => {
    const fault = groupOf(paths, row.group_path).fault
    return fault ? [[row, fault]] : []
  })

/** The group of a path, null for the one that is given for all rows. */
export function groupOf(paths: ReadPaths, path: string): { kid: string | null; fault?: Fault } {
  if (path === '') return { kid: null }
  const found = paths.find(path)
  return 'kid' in found ? found : { kid: null, fault: { name: found.refusal, details: { path: path.slice(0, 200) } } }
}

/** Groups that rows name with which nothing else is wrong, and that the actor may create, as many as a sheet may. */
export function newGroups(paths: ReadPaths, rows: readonly Row[]): string[] {
  const named = new Set(rows.filter(({ faults }) => faults.length === 0).map(({ group_path }) => group_path))
  return [...named]
    .filter((path) => groupOf(paths, path).fault?.name === 'row_group_unknown' && paths.isCreatable(path))
    .slice(0, batch_limits.new_groups)
}
