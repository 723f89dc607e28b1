import { payloadOf, pushKindOf } from '@mdm/contract'
import type { Contract, In, PushPreview } from '@mdm/contract'
import { sql } from 'kysely'
import type { Actor } from '../../actor.ts'
import { Refusal } from '../../refusal.ts'
import { freeze } from './device-list.ts'
import { targetsOf } from './insert.ts'
import { leftOutCounts } from './read.ts'

type Input = In<Contract['pushTask']['calls']['preview']>

/** So long a preview waits for its push. */
export const preview_ms = 3_600_000
const missing_max = 1_000

/**
 * Freezes whom a push would be for and says who is left out and why. A person has one preview at a time: another one takes
 * its place, so that nobody fills the database with them.
 */
export async function preview(actor: Actor, input: Input): Promise<PushPreview> {
  const { scope, user } = actor
  const { type, payload, offline_days, sns, ...to } = input
  const rules = { type, payload: parsed(type, payload), offline_days }
  const found = sns && (await bySn(actor, sns))
  const targets = found ? { terminal_kids: found.kids } : await targetsOf(actor, to)
  await scope
    .deleteFrom('push_list')
    .where('created_by_kid', '=', user.kid)
    .where('push_task_kid', 'is', null)
    .execute()
  const missing = found?.missing ?? []
  const more = { missing: missing.slice(0, missing_max), missing_count: missing.length }
  const kid = await freeze(actor, targets, rules, more)
  const { total, created_at } = await scope
    .selectFrom('push_list')
    .select(['total', 'created_at'])
    .where('kid', '=', kid)
    .executeTakeFirstOrThrow()
  const left_out = await leftOutCounts(scope, kid)
  const expires_at = new Date(created_at.getTime() + preview_ms).toISOString()
  return { kid, total, left_out, missing: more.missing, missing_count: more.missing_count, expires_at }
}

/** Devices by their SNs as people write them, whatever the case, and the SNs that are none of the account's. */
async function bySn({ scope }: Actor, sns: readonly string[]): Promise<{ kids: string[]; missing: string[] }> {
  const asked = new Map(sns.map((sn) => [sn.toLowerCase(), sn]))
  const rows = await scope
    .selectFrom('terminal')
    .select(['kid', sql<string>`lower(terminal.sn)`.as('sn')])
    .where(sql`lower(terminal.sn)`, '=', sql<string>`any(${[...asked.keys()]}::text[])`)
    .execute()
  for (const { sn } of rows) asked.delete(sn)
  return { kids: rows.map(({ kid }) => kid), missing: [...asked.values()] }
}

/** Of kinds that any device can take, nobody need say more than the kind; a preview without it is good for no push. @throws `bad_input` */
function parsed(type: Input['type'], payload: unknown): unknown {
  if (!pushKindOf(type).is_chosen_by_payload || payload === undefined) return undefined
  const { data, error } = payloadOf(type, payload)
  if (error) throw new Refusal('bad_input', {}, { payload: { name: 'required' } })
  return data
}
