import type { FencePosition } from '@mdm/device-link'
import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import { records } from '../../../db/records.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { transactionThen } from '../../../db/after-commit.ts'
import type { Deps } from '../../../deps.ts'
import { wake } from '../../../lib/background.ts'
import type { SharedWork } from '../../../lib/background.ts'
import { insertEvents } from '../../../link/inbound/event.ts'
import { fencesOf } from './effective.ts'
import type { Effective } from './effective.ts'
import { judgeBegun, settleDue, writeStates } from './judge-position.ts'
import type { Outcome } from './judge-position.ts'
import { fenceActions } from './actions.ts'

type Trx = Transaction<Tables>
const batch_size = 500

/** Works out which fence is in force for the devices for which that may have changed. */
export const fencesDue: SharedWork = {
  name: 'fences_due',
  every_ms: 5_000,
  at_once: 1,
  by_age: true,
  run: async (deps) => (await workOutDue(deps)) === batch_size,
}

/** Time alone ends a wait beyond the edge: a parked van says nothing more. */
export async function settleFences(deps: Deps): Promise<void> {
  for (;;) {
    const now = deps.clock.now()
    const count = await inBatch(deps, async (trx) => {
      const { rows } = await sql<{ terminal_kid: string }>`
        SELECT terminal_kid FROM terminal_fence WHERE settle_at <= ${now} ORDER BY settle_at LIMIT ${batch_size}
      `.execute(trx)
      const kids = rows.map(({ terminal_kid }) => terminal_kid)
      await lockStates(trx, kids)
      return { count: kids.length, outcome: kids.length > 0 ? await settleDue(trx, kids, now) : undefined }
    })
    if (count < batch_size) return
  }
}

async function workOutDue(deps: Deps): Promise<number> {
  return inBatch(deps, async (trx) => {
    const { rows } = await sql<{ terminal_kid: string }>`
      DELETE FROM fence_due WHERE terminal_kid IN (
        SELECT terminal_kid FROM fence_due ORDER BY terminal_kid LIMIT ${batch_size} FOR UPDATE SKIP LOCKED)
      RETURNING terminal_kid
    `.execute(trx)
    const kids = rows.map(({ terminal_kid }) => terminal_kid)
    await lockStates(trx, kids)
    return { count: kids.length, outcome: await takeOver(trx, kids, deps.clock.now()) }
  })
}

/** Writes what `work` found out, and tells of it after the commit. */
async function inBatch(
  deps: Deps,
  work: (trx: Trx) => Promise<{ count: number; outcome: Outcome | undefined }>,
): Promise<number> {
  const { count, outcome } = await transactionThen(deps.db, async (trx, after) => {
    const done = await work(trx)
    await insertEvents({ trx, deps, after }, done.outcome?.events ?? [])
    return done
  })
  if (outcome) publishFences(deps, outcome)
  return count
}

export function publishFences(deps: Deps, { accounts, has_actions }: Outcome): void {
  for (const account_kid of accounts) deps.live.publish(account_kid, { type: 'electronic_fence_changed' })
  if (has_actions) wake(deps, fenceActions)
}

/** In the order in which reports lock them, so that neither waits for the other. */
const lockStates = (trx: Trx, kids: readonly string[]) =>
  sql`SELECT FROM terminal_state WHERE terminal_kid = ANY(${kids}::uuid[]) ORDER BY terminal_kid FOR NO KEY UPDATE`.execute(
    trx,
  )

/** A device for which another fence is in force, or another version of it, is looked at anew from where it was last. */
async function takeOver(trx: Trx, kids: readonly string[], now: Date): Promise<Outcome | undefined> {
  if (kids.length === 0) return undefined
  const wanted = await fencesOf(trx, kids)
  const had = await trx
    .selectFrom('terminal_fence')
    .select(['terminal_kid', 'fence_kid', 'fence_version'])
    .where('terminal_kid', '=', sql<string>`any(${kids}::uuid[])`)
    .execute()
  const known = new Map(had.map((row) => [row.terminal_kid, row]))
  const closed = wanted.filter(({ terminal_kid, fence }) => !fence && known.has(terminal_kid))
  const fresh = wanted.filter(({ terminal_kid, fence }) => {
    const before = known.get(terminal_kid)
    return fence && (before?.fence_kid !== fence.fence_kid || before.fence_version !== fence.fence_version)
  })
  const closed_kids = closed.map(({ terminal_kid }) => terminal_kid)
  if (closed.length > 0)
    await sql`DELETE FROM terminal_fence WHERE terminal_kid = ANY(${closed_kids}::uuid[])`.execute(trx)
  await writeStates(
    trx,
    closed_kids.map((k) => ({ k, s: null })),
  )
  await begin(trx, fresh)
  const fresh_kids = fresh.map(({ terminal_kid }) => terminal_kid)
  const begun = await judgeBegun(trx, await positionsOf(trx, fresh_kids), now)
  return { ...begun, accounts: new Set([...closed, ...fresh].map(({ account_kid }) => account_kid)) }
}

/** As before the first position of a device. */
async function begin(trx: Trx, fresh: readonly Effective[]): Promise<void> {
  if (fresh.length === 0) return
  const rows = fresh.map(({ terminal_kid, account_kid, fence }) => ({
    k: terminal_kid,
    a: account_kid,
    f: fence!.fence_kid,
    v: fence!.fence_version,
  }))
  await sql`
    INSERT INTO terminal_fence (terminal_kid, account_kid, fence_kid, fence_version)
    SELECT r.k, r.a, r.f, r.v FROM ${records(rows).as('r(k uuid, a uuid, f uuid, v integer)')}
    ON CONFLICT (terminal_kid) DO UPDATE SET fence_kid = excluded.fence_kid, fence_version = excluded.fence_version,
      state = NULL, since = NULL, judged_at = NULL, crossing = NULL, settle_at = NULL, is_by_device = false
  `.execute(trx)
}

async function positionsOf(trx: Trx, kids: readonly string[]): Promise<Map<string, FencePosition>> {
  const rows = await trx
    .selectFrom('terminal_position')
    .select(['terminal_kid', 'longitude', 'latitude', 'accuracy', 'at'])
    .where('terminal_kid', '=', sql<string>`any(${kids}::uuid[])`)
    .execute()
  return new Map(rows.map(({ terminal_kid, at, ...place }) => [terminal_kid, { ...place, at: at.getTime() }]))
}
