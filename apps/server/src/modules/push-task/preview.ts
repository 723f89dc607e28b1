import type { Contract, In, PushPreview } from '@mdm/contract'
import { sql } from 'kysely'
import type { Actor } from '../../actor.ts'
import { freeze, preview_ms } from './device-list.ts'
import { targetsOf } from './insert.ts'
import { leftOutCounts } from './read.ts'
import { dropPreviews } from './retention.ts'

type Input = In<Contract['pushTask']['calls']['preview']>

const missing_max = 1_000

/**
 * Freezes whom a push would be for and says who is left out and why. A person has one preview at a time: another one takes
 * its place, so that nobody fills the database with them.
 */
export async function preview(actor: Actor, input: Input): Promise<PushPreview> {
  const { deps, account_kid, scope, user } = actor
  const { type, offline_days, sns, ...to } = input
  const found = sns && (await bySn(actor, sns))
  const targets = found ? { terminal_kids: found.kids } : await targetsOf(actor, to)
  await dropPreviews(deps, (q) => q.where('account_kid', '=', account_kid).where('created_by_kid', '=', user.kid))
  const missing = found?.missing ?? []
  const kid = await freeze(actor, targets, { type, offline_days })
  const { total, created_at } = await scope
    .selectFrom('push_list')
    .select(['total', 'created_at'])
    .where('kid', '=', kid)
    .executeTakeFirstOrThrow()
  const left_out = await leftOutCounts(scope, kid)
  const expires_at = new Date(created_at.getTime() + preview_ms).toISOString()
  return { kid, total, left_out, missing: missing.slice(0, missing_max), missing_count: missing.length, expires_at }
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
