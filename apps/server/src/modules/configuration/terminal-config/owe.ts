import { sql } from 'kysely'
import type { Kysely, RawBuilder } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import type { SharedWork } from '../../../lib/background.ts'
import { wake } from '../../../lib/background.ts'
import { newKid } from '../../../lib/ids.ts'
import { devicesBelow } from './levels/affected-devices.ts'
import type { ToldSection, WritePlace } from './levels/affected-devices.ts'
import { stepHasReached } from './steps/kept-until-step.ts'

type Db = Kysely<Tables>
/** Devices of one transaction. */
const piece = 2_000

/** What has changed at a place, and by which change of a configuration; a fence is none. */
export type Owing = { place: WritePlace; sections: readonly ToldSection[]; change_kid?: string }
type Marking = Owing & { after?: string | null }

/**
 * Marks the devices below a place: what they ought to hold is worked out when they can be told. Of more than one piece the
 * others follow in the background, also after a kill. Call `announce` after the commit.
 */
export async function owe(trx: Db, owing: Owing, now: Date): Promise<void> {
  const last = await markNext(trx, owing)
  if (last !== undefined) await oweLater(trx, { ...owing, after: last }, now)
}

/** The same, with none of them marked yet: for transactions that devices would wait for, or that see one tenant only. */
export async function oweLater(trx: Db, { place, sections, change_kid, after }: Marking, now: Date): Promise<void> {
  const { account_kid, ltscope, terminal_group_kid, terminal_kid } = place
  await trx
    .insertInto('terminal_config_owing')
    .values({
      kid: newKid(),
      ...{ account_kid, ltscope, terminal_group_kid, terminal_kid },
      sections: [...sections],
      change_kid: change_kid ?? null,
      after_kid: after ?? null,
      created_at: now,
    })
    .execute()
}

/** The next devices of a place. The last of them where there may be more. */
async function markNext(trx: Db, { place, sections, change_kid, after = null }: Marking): Promise<string | undefined> {
  const below = await devicesBelow(trx, place, sections)
  if (below === null) return undefined
  // At the end of its steps a change is owed to those that they did not reach.
  const is_reached = sql`EXISTS (
    SELECT FROM configuration_change c JOIN push_task_terminal p ON p.push_task_kid = c.push_task_kid
    WHERE c.kid = ${change_kid ?? null}::uuid AND p.terminal_kid = t.kid AND ${stepHasReached})`
  const next = sql<boolean>`${below} AND (${after}::uuid IS NULL OR t.kid > ${after}::uuid) AND NOT ${is_reached}`
  const { marked, last } = await mark(trx, next, change_kid ?? null)
  return marked === piece ? last! : undefined
}

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

/** After the commit: tells the console, and lets devices be told. */
export function announce(deps: Deps, { account_kid, terminal_kid, terminal_group_kid }: WritePlace): void {
  if (account_kid)
    deps.live.publish(account_kid, { type: 'terminal_config', kid: terminal_kid ?? terminal_group_kid ?? account_kid })
  deps.link.wake(terminal_kid === null ? [] : [terminal_kid])
  wake(deps, configurationsOwed)
}

/** Marks one piece of the devices that something set longest ago is still owed to. Whether there was one. */
export async function oweOnce(deps: Deps): Promise<boolean> {
  const place = await deps.db.transaction().execute(async (trx) => {
    const found = await trx
      .selectFrom('terminal_config_owing')
      .selectAll()
      .orderBy('created_at')
      .orderBy('kid')
      .limit(1)
      .forUpdate()
      .skipLocked()
      .executeTakeFirst()
    if (!found) return undefined
    const { kid, sections, change_kid, after_kid } = found
    const last = await markNext(trx, {
      ...{ place: found, sections: sections as ToldSection[], after: after_kid },
      ...(change_kid !== null && { change_kid }),
    })
    if (last === undefined) await trx.deleteFrom('terminal_config_owing').where('kid', '=', kid).execute()
    else await trx.updateTable('terminal_config_owing').set({ after_kid: last }).where('kid', '=', kid).execute()
    return found
  })
  if (!place) return false
  announce(deps, place)
  return true
}

export const configurationsOwed: SharedWork = { name: 'configurations', every_ms: 5_000, at_once: 1, run: oweOnce }
