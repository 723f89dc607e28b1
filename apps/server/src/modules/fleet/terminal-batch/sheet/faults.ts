import { batchColumns, batch_limits, constants, errorMessage } from '@mdm/contract'
import type { BatchColumn, ErrorDetails, ErrorName, Language } from '@mdm/contract'
import { aliasFault } from '../../../../lib/alias.ts'
import { isDay } from './layouts.ts'
import type { Fields, Layout } from './layouts.ts'

/** Why a row cannot be registered. `column` of the details is a field of the row. */
export type Fault = { name: ErrorName; details?: ErrorDetails | undefined }

/** What is wrong with a row by itself. */
export function faultsOf(row: Fields, { required }: Layout): Fault[] {
  const faults: Fault[] = required
    .filter((column) => row[column] === '')
    .map((column) => ({ name: 'row_value_missing', details: { column } }))
  if (row.sn.length > constants.sn_max) faults.push({ name: 'sn_too_long' })
  for (const column of ['work_order', 'verification_code'] as const)
    if (row[column].length > batch_limits[column])
      faults.push({ name: 'row_value_too_long', details: { column, max: batch_limits[column] } })
  if (row.production_date !== '' && !isDay(row.production_date))
    faults.push({ name: 'row_date_wrong', details: { column: 'production_date' } })
  const alias = aliasFault(row.name)
  if (alias) faults.push({ name: alias })
  return faults
}

/** Says of every row whether its SN stood in an earlier one. */
export function repetitions(): (sn: string, row: number) => Fault | undefined {
  const seen = new Map<string, number>()
  return (sn, row) => {
    const first = seen.get(sn)
    if (sn !== '' && first === undefined) seen.set(sn, row)
    return first === undefined ? undefined : { name: 'row_sn_repeated', details: { row: first } }
  }
}

export function messageOf({ name, details = {} }: Fault, language: Language): string {
  const column = details['column'] as BatchColumn | undefined
  return errorMessage(name, language, column ? { ...details, column: batchColumns[column][language] } : details)
}
