import type { ErrorName } from '@mdm/contract'
import { weekOfSheetCode } from '../../enrolment/index.ts'
import type { Fault } from './faults.ts'
import type { Fields } from './layouts.ts'

/** Why a row was refused, with what its message needs of the row. */
export const refusedAs = (name: ErrorName, row: Pick<Fields, 'verification_code'>): Fault =>
  name === 'sheet_of_another_week'
    ? { name, details: { week: weekOfSheetCode(row.verification_code) ?? '' } }
    : { name }
