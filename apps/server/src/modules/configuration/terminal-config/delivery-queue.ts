import { sql } from 'kysely'
import type { Kysely, RawBuilder } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { wake } from '../../../lib/background.ts'
import type { SharedWork } from '../../../lib/background.ts'
import { newKid } from '../../../lib/ids.ts'
import { devicesBelow } from './affected.ts'
import type { ToldSection } from './affected.ts'
import type { WritePlace } from './config-places.ts'
import { kidOf } from './levels.ts'
import { stepHasReached } from './staged-change.ts'

type Db = Kysely<Tables>
/** Devices of one transaction. */
export const piece = 2_000

/** What has changed at a place, and by which change of a configuration; fences have no changes. */
export type Queued = {
  place: WritePlace
  sections: readonly ToldSection[]
  change_kid?: string
  /** Of devices of these UIDs only: what the provider lets apps call. */
  uid_kids?: readonly string[]
}
type Marking = Queued & { after?: string | null }

/**
 * Marks the devices below a place, whose configuration is then worked out and delivered by the dispatcher. The first piece is marked
 * here, the others in the background, also after a kill. Call `publishChange` after the commit.
 */
export async function markDevices(trx: Db, queued: Queued, now: Date): Promise<void> {
  const last = await markNext(trx, queued)
  if (last !== undefined) await queueDelivery(trx, { ...queued, after: last }, now)
}

/** The same, with all pieces left to the background: for transactions that devices would wait for, or that see one tenant only. */
export async function queueDelivery(
  trx: Db,
  { place, sections, change_kid, uid_kids, after }: Marking,
  now: Date,
): Promise<void> {
  const { account_kid, ltscope, terminal_group_kid, profile_kid = null, terminal_kid } = place
  await trx
    .insertInto('terminal_config_queue')
    .values({
      kid: newKid(),
      ...{ account_kid, ltscope, terminal_group_kid, profile_kid, terminal_kid },
      sections: [...sections],
      change_kid: change_kid ?? null,
      uid_kids: uid_kids ? [...uid_kids] : null,
      queued_up_to: after ?? null,
      created_at: now,
    })
    .execute()
}

/** Marks the next piece of the devices below a place. The last device of it, where there may be more. */
async function markNext(
  trx: Db,
  { place, sections, change_kid, uid_kids, after = null }: Marking,
): Promise<string | undefined> {
  const below = await devicesBelow(trx, place, sections)
  if (below === null) return undefined
  // The end of its steps gives a change to the devices that no step has reached.
  const is_reached = sql`EXISTS (
    SELECT FROM configuration_change c JOIN push_task_terminal p ON p.push_task_kid = c.push_task_kid
    WHERE c.kid = ${change_kid ?? null}::uuid AND p.terminal_kid = t.kid AND ${stepHasReached})`
  const next = sql<boolean>`${below} AND (${after}::uuid IS NULL OR t.kid > ${after}::uuid) AND NOT ${is_reached}
    AND ${uid_kids ? ofUids(uid_kids) : sql`true`}`
  const { marked, last } = await mark(trx, next, change_kid ?? null)
  return marked === piece ? last! : undefined
}

/** Marks these devices, at most a piece of them, for what began or ceased to hold for each by itself. */
export const markThese = (trx: Db, terminal_kids: readonly string[]): Promise<unknown> =>
  mark(trx, sql<boolean>`t.kid = ANY(${[...terminal_kids]}::uuid[])`, null)

/** Devices of these UIDs, but those that have said what they can obey without lists of API calls: those are told nothing of them. */
const ofUids = (uid_kids: readonly string[]) => sql`
  lower(btrim(t.uid)) IN (SELECT lower(u.code) FROM os_uid u WHERE u.kid = ANY(${[...uid_kids]}::uuid[]))
  AND COALESCE('api_authorisation' = ANY(t.config_sections), true)`

/** At most a piece of these devices `t`, in the order of their kids. Of two changes a device belongs to the newer one. */
async function mark(trx: Db, which: RawBuilder<boolean>, change_kid: string | null) {
  const { rows } = await sql<{ marked: number; last: string | null }>`
    WITH due AS (
      SELECT t.kid, t.account_kid FROM terminal t WHERE ${which} ORDER BY t.kid LIMIT ${piece}
    ), marked AS (
      INSERT INTO terminal_config_delivery (terminal_kid, account_kid, send_at, change_kid)
        SELECT kid, account_kid, 'epoch'::timestamptz, ${change_kid}::uuid FROM due
        ON CONFLICT (terminal_kid) DO UPDATE
          SET is_dirty = true, sends = 0, send_at = 'epoch'::timestamptz,
            change_kid = GREATEST(EXCLUDED.change_kid, terminal_config_delivery.change_kid)
        RETURNING terminal_kid
    )
    SELECT count(*)::int AS marked, max(terminal_kid::text) AS last FROM marked
  `.execute(trx)
  return rows[0]!
}

/** After the commit: tells browsers, and wakes the dispatcher and the queue. */
export function publishChange(
  deps: Deps,
  { account_kid, terminal_kid, profile_kid = null, terminal_group_kid }: WritePlace,
): void {
  const kid = kidOf({ terminal_kid, profile_kid, terminal_group_kid }) ?? account_kid
  if (account_kid) deps.live.publish(account_kid, { type: 'terminal_config', kid: kid! })
  deps.link.wake(terminal_kid === null ? [] : [terminal_kid])
  wake(deps, configurationQueue)
}

/** Marks one piece of the devices of the oldest row of the queue. Whether there was a row. */
export async function markNextPiece(deps: Deps): Promise<boolean> {
  const place = await deps.db.transaction().execute(async (trx) => {
    const found = await trx
      .selectFrom('terminal_config_queue')
      .selectAll()
      .orderBy('created_at')
      .orderBy('kid')
      .limit(1)
      .forUpdate()
      .skipLocked()
      .executeTakeFirst()
    if (!found) return undefined
    const { kid, sections, change_kid, uid_kids, queued_up_to } = found
    const last = await markNext(trx, {
      ...{ place: found, sections: sections as ToldSection[], after: queued_up_to },
      ...(change_kid !== null && { change_kid }),
      ...(uid_kids !== null && { uid_kids }),
    })
    if (last === undefined) await trx.deleteFrom('terminal_config_queue').where('kid', '=', kid).execute()
    else await trx.updateTable('terminal_config_queue').set({ queued_up_to: last }).where('kid', '=', kid).execute()
    return found
  })
  if (!place) return false
  publishChange(deps, place)
  return true
}

export const configurationQueue: SharedWork = {
  name: 'configurations',
  every_ms: 5_000,
  at_once: 1,
  run: markNextPiece,
}
