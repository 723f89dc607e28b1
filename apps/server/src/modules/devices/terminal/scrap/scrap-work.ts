import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { issuerOf } from '../../../../actor.ts'
import { isCollision, retrying } from '../../../../db/retrying.ts'
import type { Tables } from '../../../../db/schema/tables.ts'
import type { Deps } from '../../../../deps.ts'
import { isRevoked, visibleGroupsNow, stillVisible } from '../../../../http/visible-groups-now.ts'
import { clockDoubt } from '../../../../lib/clock-watch.ts'
import type { SharedWork } from '../../../../lib/background.ts'
import { newKid } from '../../../../lib/ids.ts'
import { anySn, hold, takeOut } from './removal.ts'
import type { Found } from './removal.ts'
import type { Schedule } from './scrap-schedule.ts'

type Db = Kysely<Tables>
/** What asking for it takes. */
const needs = 'deviceList:cancel'

/**
 * What has waited longest. Its account is locked first, as by everything that changes devices, then the row itself: whom
 * another server or somebody who cancels came before, that one does not find it waiting any more.
 */
async function claim(trx: Db, now: Date): Promise<Schedule | undefined> {
  const { rows } = await sql<Schedule>`
    SELECT s.* FROM scrap_schedule s JOIN account a ON a.kid = s.account_kid
    WHERE s.state = 'waiting' AND s.due_at <= ${now}
    ORDER BY s.due_at LIMIT 1
    FOR NO KEY UPDATE OF a FOR UPDATE OF s`.execute(trx)
  return rows[0]
}

/** Devices that have left the account, or what could be reached by whoever asked, are left out. */
async function carryOut(trx: Db, deps: Deps, due: Schedule, now: Date): Promise<() => Promise<void>> {
  const { kid, account_kid, visible_groups, terminal_kids, created_by } = due
  const end = (set: { state: 'done' | 'canceled'; scrapped?: number }) =>
    trx
      .updateTable('scrap_schedule')
      .set({ ...set, finished_at: now })
      .where('kid', '=', kid)
      .execute()
  // Who asked for it could not ask for it any more.
  const today = await visibleGroupsNow(trx, issuerOf(due), needs, now)
  if (isRevoked(today)) {
    await end({ state: 'canceled' })
    return async () => {}
  }
  const found = await hold(
    trx,
    { account_kid, visible_groups: stillVisible(visible_groups ?? undefined, today) },
    terminal_kids,
  )
  await retire(trx, { account_kid, by: created_by, now }, found)
  const tell = await takeOut(trx, deps, account_kid, found)
  await end({ state: 'done', scrapped: found.length })
  return tell
}

/** Makes the SNs of devices nobody's, in the transaction that removes them. */
export async function retire(
  trx: Db,
  { account_kid, by, now }: { account_kid: string; by: string; now: Date },
  found: readonly Found[],
): Promise<void> {
  if (found.length === 0) return
  await trx
    .insertInto('scrapped_sn')
    .values(
      found.map(({ sn, name, model }) => ({
        kid: newKid(),
        sn,
        name,
        model,
        account_kid,
        scrapped_by: by,
        scrapped_at: now,
      })),
    )
    .onConflict((oc) => oc.column('sn').doNothing())
    .execute()
  // A device may announce itself while it is registered; nobody is to wait for it.
  await trx
    .deleteFrom('announcement')
    .where('sn', '=', anySn(found.map(({ sn }) => sn)))
    .execute()
}

/** False when nothing is due. Devices, SNs and the row change in one transaction: a server that dies changes nothing. */
async function workOnce(deps: Deps): Promise<boolean> {
  if (clockDoubt(deps)) return false
  let due: Schedule | undefined
  try {
    const tell = await retrying(() =>
      deps.db.transaction().execute(async (trx) => {
        const now = deps.clock.now()
        due = await claim(trx, now)
        return due && carryOut(trx, deps, due, now)
      }),
    )
    if (!due) return false
    deps.live.publish(due.account_kid, { type: 'scrap_schedule_changed' })
    await tell?.()
  } catch (error) {
    // Tried again by the timer: the database cannot answer now, or other transactions came first.
    if (due === undefined || deps.isUnavailable(error) || isCollision(error)) throw error
    deps.log.error({ err: error, scrap_schedule_kid: due.kid }, 'scrapping failed')
    deps.onInternalError?.(error)
    await fail(deps, due)
  }
  return true
}

async function fail(deps: Deps, { kid, account_kid }: Schedule): Promise<void> {
  await deps.db
    .updateTable('scrap_schedule')
    .set({ state: 'failed', finished_at: deps.clock.now() })
    .where('kid', '=', kid)
    .where('state', '=', 'waiting')
    .execute()
  deps.live.publish(account_kid, { type: 'scrap_schedule_changed' })
}

/** Works in the background until nothing is due. */
export const scraps: SharedWork = { name: 'scraps', every_ms: 5_000, at_once: 1, by_age: true, run: workOnce }
