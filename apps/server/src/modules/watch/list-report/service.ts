import { errorMessage, reportLimits } from '@mdm/contract'
import type { Contract, ErrorName, In, Language, ListReport } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely, Selectable } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { lockAccount } from '../../../db/lock-account.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import type { ActorWith } from '../../../http/context.ts'
import { newKid } from '../../../lib/ids.ts'
import { refuse } from '../../../refusal.ts'
import { assertPossible, countExport } from '../list-export/index.ts'
import { inputOf } from './input.ts'
import { addressOf } from './report-mail.ts'
import { nextReport, rhythmFields } from './rhythm.ts'

type Calls = Contract['listReport']['calls']
type Row = Selectable<Tables['list_report']>

/** A person's own, in the account that they act for. */
export async function list(actor: ActorWith<'request'>): Promise<ListReport[]> {
  const rows = await actor.scope
    .selectFrom('list_report')
    .selectAll()
    .where('user_kid', '=', actor.user.kid)
    .orderBy(sql`lower(name)`)
    .orderBy('kid')
    .execute()
  return rows.map((row) => shown(row, actor.request.language))
}

/** What is refused to an export is refused here, and so is what could never arrive. */
export async function insert(actor: ActorWith<'request' | 'session'>, input: In<Calls['insert']>): Promise<string> {
  const { deps, scope, account_kid, user, request, session } = actor
  const now = deps.clock.now()
  const { name, every, hour, weekday, day, zone_id, ...rest } = input
  // The inputs that say since when are checked with the rest.
  assertPossible({ ...rest, input: inputOf(rest, { from: now, until: now }) }, session)
  await addressOf(deps, user.kid)
  const kid = newKid()
  await scope.transaction().execute(async (trx) => {
    await assertRoomForOne(trx, actor)
    const rhythm = { every, hour, weekday, day, zone_id }
    await trx
      .insertInto('list_report')
      .values({
        ...{ kid, account_kid, user_kid: user.kid, name, ...rhythm, language: request.language, created_at: now },
        request: JSON.stringify(rest),
        next_at: nextReport(rhythm, now),
      })
      .execute()
  })
  return kid
}

type Change = Omit<In<Calls['update']>, 'kid'>
/**
 * One that is resumed, or comes at other times from now on, is due at its next time; what was missed is not made up for.
 * One that is just being made goes out as it was.
 */
export async function update(actor: Actor, kid: string, { state, settings }: Change): Promise<{ was: Row; is: Row }> {
  const was = await find(actor, kid)
  const { format = was.request.format, ...said } = settings ?? {}
  const is = { ...was, ...said, ...(state && { state }), request: { ...was.request, format } }
  const { name, every, hour, weekday, day, zone_id } = is
  const is_resumed = is.state === 'on' && was.state !== 'on'
  const is_moved = was.next_at !== null && rhythmFields.some((field) => is[field] !== was[field])
  // Else it is the worker's, which may have set it meanwhile.
  const due =
    is.state === 'paused'
      ? { next_at: null }
      : (is_resumed || is_moved) && { next_at: nextReport(is, actor.deps.clock.now()) }
  await actor.scope
    .updateTable('list_report')
    .set({
      ...{ name, every, hour, weekday, day, zone_id, state: is.state, attempts: 0 },
      request: JSON.stringify(is.request),
      ...due,
      ...(is_resumed && { last_error: null }),
    })
    .where('kid', '=', kid)
    .execute()
  return { was, is }
}

/** Due at once; the time after that is as ever. Counts as an export. */
export async function sendNow(actor: Actor, kid: string): Promise<void> {
  const { state } = await find(actor, kid)
  if (state === 'paused') refuse('report_paused')
  await addressOf(actor.deps, actor.user.kid)
  await countExport(actor.deps, actor.account_kid)
  await actor.scope
    .updateTable('list_report')
    .set({ next_at: actor.deps.clock.now() })
    .where('kid', '=', kid)
    .where('state', '=', 'on')
    // One that is being made is not made twice.
    .where('next_at', 'is not', null)
    .execute()
}

export async function remove(actor: Actor, kid: string): Promise<{ name: string }> {
  const found = await find(actor, kid)
  await actor.scope.deleteFrom('list_report').where('kid', '=', kid).execute()
  return found
}

const find = async ({ scope, user }: Actor, kid: string): Promise<Row> =>
  (await scope
    .selectFrom('list_report')
    .selectAll()
    .where('kid', '=', kid)
    .where('user_kid', '=', user.kid)
    .executeTakeFirst()) ?? refuse('not_found')

/** Of a person in this account. */
async function assertRoomForOne(trx: Kysely<Tables>, { account_kid, user }: Actor): Promise<void> {
  await lockAccount(trx, account_kid)
  const rows = await trx.selectFrom('list_report').select('kid').where('user_kid', '=', user.kid).execute()
  if (rows.length >= reportLimits.reports) refuse('report_limit', { max: reportLimits.reports })
}

function shown(row: Row, language: Language): ListReport {
  const { kid, name, every, hour, weekday, day, zone_id, state, last_outcome, last_rows, last_error } = row
  const { format, page, search, new_by } = row.request
  return {
    ...{ kid, name, format, every, hour, weekday, day, zone_id, page, search, state, last_outcome, last_rows },
    is_new_only: new_by !== undefined,
    created_at: row.created_at.toISOString(),
    next_at: row.next_at?.toISOString() ?? null,
    last_at: row.last_at?.toISOString() ?? null,
    last_error: last_error && errorMessage(last_error.name as ErrorName, language, last_error.details),
  }
}
