import type { BatchRowState, Language } from '@mdm/contract'
import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import { messageOf } from './sheet/faults.ts'
import { refusedAs } from './sheet/refused-as.ts'

type Row = Selectable<Tables['batch_row']>
type Done = { done: number }
type Judged = Pick<Row, 'outcome' | 'terminal_kid'>

/** Refused, but what the row asks for is so: the device is in the account, or on the policy. */
export const isAlready = ({ outcome, terminal_kid }: Judged): boolean =>
  outcome === 'policy_has_device' || (outcome === 'device_already_registered' && terminal_kid !== null)

/** What came of a row of a job that has worked off so many. */
export function stateOf({ n, ...row }: Judged & { n: number }, { done }: Done): BatchRowState {
  if (row.outcome === 'ok') return 'ok'
  if (row.outcome === null || n >= done) return 'waiting'
  return isAlready(row) ? 'already' : 'refused'
}

/** The same in SQL, of one job. */
export const isInState = (state: BatchRowState, { done }: Done) => {
  const already = sql`(outcome = 'policy_has_device' OR (outcome = 'device_already_registered' AND terminal_kid IS NOT NULL))`
  const waiting = sql`(outcome IS NULL OR (outcome <> 'ok' AND n >= ${done}))`
  if (state === 'ok') return sql<boolean>`outcome = 'ok'`
  if (state === 'waiting') return sql<boolean>`${waiting}`
  return state === 'already'
    ? sql<boolean>`(NOT ${waiting} AND ${already})`
    : sql<boolean>`(NOT ${waiting} AND outcome <> 'ok' AND NOT ${already})`
}

export const faultText = (row: Pick<Row, 'outcome' | 'details' | 'verification_code'>, language: Language): string => {
  const name = row.outcome as Exclude<Row['outcome'], 'ok' | null>
  return messageOf(row.details ? { name, details: row.details } : refusedAs(name, row), language)
}
