import { faultsOf, repetitions } from './faults.ts'
import { fieldsOf, layouts } from './layouts.ts'
import type { Fields, SheetKind } from './layouts.ts'
import type { ReadRow } from './sheet.ts'

/** Rows as calls give them: of a sheet that was read before, or written by a program. */
export type Rows = readonly (Partial<Fields> & { row?: number | undefined })[]

/** Each with what is wrong with it by itself; a row repeats the SN of those that are given with it. */
export function readGiven(given: Rows, kind: SheetKind): ReadRow[] {
  const repeated = repetitions()
  return given.map(({ row, ...cells }, n) => {
    const fields = fieldsOf(cells)
    const sheet_row = row ?? n + 1
    const again = repeated(fields.sn, sheet_row)
    return { ...fields, row: sheet_row, faults: [...faultsOf(fields, layouts[kind]), ...(again ? [again] : [])] }
  })
}
