import { fieldFaultsOf, pushKindOf, serialNumber } from '@mdm/contract'
import type { Contract, In, PushPayload, PushPreview, PushSubject, PushTaskType } from '@mdm/contract'
import { sql } from 'kysely'
import type { Actor } from '../../../../actor.ts'
import { takeSharedTry } from '../../../../lib/rate-limit.ts'
import { Refusal, refuse } from '../../../../refusal.ts'
import { installedVersions, preview_ms } from './device-list.ts'
import { freeze, wakePushes } from './freezing.ts'
import { targetsOf } from './target.ts'
import type { PushRules, Stored } from '../kinds/kind.ts'
import { kindOf, subjectOfTask } from '../kinds/kinds.ts'
import { leftOutCounts } from '../read.ts'
import { dropPreviews } from '../background/retention.ts'

type Input = In<Contract['pushTask']['calls']['preview']>

const missing_max = 1_000
/** What one account may freeze within an hour: each preview walks its devices and keeps a row of every one (decision 024). */
const hourly = { limit: 300, per_ms: 3_600_000 }

/**
 * Freezes whom a push would be for and says who is left out and why. A person has one preview at a time: another one takes
 * its place, so that nobody fills the database with them.
 */
export async function preview(actor: Actor, input: Input): Promise<PushPreview> {
  const { deps, account_kid, user } = actor
  const { type, payload, offline_days, sns, sns_file, ...to } = input
  await takeSharedTry(deps, 'push previews', hourly, account_kid)
  const { rules, subject = null } = payload === undefined ? {} : await contentOf(actor, type, payload)
  const found = sns && (await bySn(actor, sns))
  const targets = found ? { terminal_kids: found.kids, sns_file } : await targetsOf(actor, to)
  await dropPreviews(deps, (q) => q.where('account_kid', '=', account_kid).where('created_by_kid', '=', user.kid))
  const missing = found?.missing ?? []
  const kid = await freeze(actor, targets, { type, offline_days, rules })
  wakePushes(deps)
  return {
    ...(await previewOf(actor, kid)),
    subject,
    missing: missing.slice(0, missing_max),
    missing_count: missing.length,
  }
}

/** How far a preview of the caller's own is, whose devices are still being looked up. @throws `not_found` */
export async function previewOf({ scope, user }: Actor, kid: string): Promise<PushPreview> {
  const list = await scope
    .selectFrom('push_list')
    .select(['type', 'total', 'created_at', 'freezing', 'target'])
    .where('kid', '=', kid)
    .where('created_by_kid', '=', user.kid)
    .executeTakeFirst()
  const { type, total, created_at, freezing, target } = list ?? refuse('not_found')
  const left_out = await leftOutCounts(scope, kid)
  const expires_at = new Date(created_at.getTime() + preview_ms).toISOString()
  const listed = freezing && { done: freezing.done, of: freezing.of }
  // They are read once, when the list has all of its devices.
  const from_versions = type === 'os' && !listed ? await installedVersions(scope, kid) : []
  const subject = null
  return { kid, total, target, subject, from_versions, left_out, missing: [], missing_count: 0, expires_at, listed }
}

type Content = { rules: PushRules | undefined; subject: PushSubject }
/** What of the work decides which devices are left out, and what it is called. @throws `bad_input` */
async function contentOf(actor: Actor, type: PushTaskType, payload: unknown): Promise<Content> {
  const { rules, store } = kindOf(type)
  const said = pushKindOf(type).payload.safeParse(payload)
  if (!said.success) {
    const faults = Object.entries(fieldFaultsOf(said.error, payload))
    throw new Refusal('bad_input', {}, Object.fromEntries(faults.map(([field, fault]) => [`payload.${field}`, fault])))
  }
  const work = said.data as PushPayload<PushTaskType>
  const stored = (await store?.(actor, work)) ?? { payload: work as Stored, summary: '' }
  return { rules: rules?.(stored.payload), subject: subjectOfTask(type, stored.payload, stored.summary) }
}

/** Devices by their SNs as people write them, and the SNs that are none of the account's. */
async function bySn({ scope }: Actor, sns: readonly string[]): Promise<{ kids: string[]; missing: string[] }> {
  const asked = new Set(sns.map(serialNumber))
  const rows = await scope
    .selectFrom('terminal')
    .select(['kid', 'sn'])
    .where('sn', '=', sql<string>`any(${[...asked]}::text[])`)
    .execute()
  for (const { sn } of rows) asked.delete(sn)
  return { kids: rows.map(({ kid }) => kid), missing: [...asked] }
}
