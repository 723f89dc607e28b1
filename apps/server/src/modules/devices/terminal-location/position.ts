import { FenceCrossing, location_limits } from '@mdm/contract'
import type { Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Actor } from '../../../actor.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { refuse } from '../../../refusal.ts'
import { askDevice } from '../../../link/ask.ts'
import { insertEvents } from '../../../link/inbound/event.ts'
import { transactionThen } from '../../../db/after-commit.ts'
import { keepLocations, publishLocations, saidOf } from '../../../link/inbound/location.ts'
import { judgeHeard, publishFences } from '../../configuration/electronic-fence/index.ts'
import type { FenceOutcome } from '../../configuration/electronic-fence/index.ts'
import { assertVisible } from '../../../db/visible.ts'
import { assertOnline } from '../terminal-file/index.ts'

type Calls = Contract['terminalLocation']['calls']
type Db = Kysely<Tables>
/** Longer than a device is waited for: who asked may have been a server that is gone. */
const held_ms = 30_000

const measured = ['longitude', 'latitude', 'accuracy', 'provider', 'at', 'received_at'] as const

export async function get({ deps, scope }: Actor, terminal_kid: string) {
  await assertVisible(scope, terminal_kid)
  const position = await positionOf(scope, terminal_kid)
  const running = await scope
    .selectFrom('location_refresh')
    .select('terminal_kid')
    .where('terminal_kid', '=', terminal_kid)
    .where('expires_at', '>', deps.clock.now())
    .executeTakeFirst()
  return { position: position ?? null, is_refreshing: running !== undefined }
}
const positionOf = (scope: Db, terminal_kid: string) =>
  scope.selectFrom('terminal_position').select(measured).where('terminal_kid', '=', terminal_kid).executeTakeFirst()

/** By when it was measured. Nothing is measured after it was received, so older partitions need no look. */
export async function listTrack({ scope }: Actor, { terminal_kid, from, until }: In<Calls['list_track']>) {
  await assertVisible(scope, terminal_kid)
  const numbered = scope
    .selectFrom('terminal_track')
    .select([
      ...measured,
      sql<number>`row_number() over (order by at, received_at)`.as('n'),
      sql<number>`count(*) over ()`.as('total'),
    ])
    .where('terminal_kid', '=', terminal_kid)
    .where('at', '>=', new Date(from))
    .where('at', '<', new Date(until))
    .where('received_at', '>=', new Date(from))
  const rows = await scope
    .selectFrom(numbered.as('numbered'))
    .select([...measured, sql<number>`total::int`.as('total')])
    // The first and the last of them always.
    .where(sql<boolean>`(n = total or (n - 1) % ceil(total::numeric / ${location_limits.track_points - 1}) = 0)`)
    .orderBy('n')
    .execute()
  return {
    points: rows.map(({ total: _, ...point }) => point),
    total: rows[0]?.total ?? 0,
    crossings: await crossingsOf(scope, terminal_kid, new Date(from), new Date(until)),
  }
}

const sides = { fence_in: 'inside', fence_out: 'outside' } as const
/** What the device or the server told of fences. What a device wrote into its event need not be a place. */
async function crossingsOf(scope: Db, terminal_kid: string, from: Date, until: Date): Promise<FenceCrossing[]> {
  const rows = await scope
    .selectFrom('terminal_event')
    .select(['type', 'at', 'detail'])
    .where('terminal_kid', '=', terminal_kid)
    .where('type', 'in', Object.keys(sides))
    .where('at', '>=', from)
    .where('at', '<', until)
    .where('received_at', '>=', from)
    .orderBy('at')
    .orderBy('kid')
    .limit(location_limits.crossings)
    .execute()
  return rows.flatMap(({ type, at, detail }) => {
    const { success, data } = Crossed.safeParse(detail)
    return success ? [{ ...data, to: sides[type as keyof typeof sides], at: at.toISOString() }] : []
  })
}
const Crossed = FenceCrossing.pick({ longitude: true, latitude: true, fence: true })

/** Asks the device where it is now, unless somebody is asking it already. */
export async function refresh(actor: Actor, terminal_kid: string) {
  const { deps, scope, account_kid } = actor
  await assertOnline(scope, terminal_kid)
  await hold(actor, terminal_kid)
  try {
    const location = await askDevice(deps, terminal_kid, 'location_now', {}, { no_location: 'device_location_unknown' })
    const now = deps.clock.now()
    const said = saidOf({ terminal_kid, account_kid }, location, now, now)
    let judged: FenceOutcome | undefined
    // The device link's own table: what a device says is kept in one place.
    const moved = await transactionThen(deps.db, async (trx, after) => {
      await trx
        .updateTable('terminal_state')
        .set({ location: JSON.stringify(said.location) })
        .where('terminal_kid', '=', terminal_kid)
        .execute()
      // In the order in which reports do it: the state first, then where it is of its fence.
      const kept = await keepLocations(trx, [said], { is_asked: true })
      const heard = { terminal_kid, positions: [{ ...said.location, at: said.at.getTime() }], status: undefined }
      judged = await judgeHeard(trx, [heard], now)
      await insertEvents({ trx, deps, after }, judged.events)
      return kept
    })
    if (judged) publishFences(deps, judged)
    publishLocations(deps, moved)
    return (await positionOf(scope, terminal_kid)) ?? refuse('not_found')
  } finally {
    await scope.deleteFrom('location_refresh').where('terminal_kid', '=', terminal_kid).execute()
    deps.live.publish(account_kid, { type: 'terminal_info', kid: terminal_kid })
  }
}

async function hold({ deps, scope, account_kid }: Actor, terminal_kid: string): Promise<void> {
  const now = deps.clock.now()
  const expires_at = new Date(now.getTime() + held_ms)
  const held = await scope
    .insertInto('location_refresh')
    .values({ terminal_kid, account_kid, expires_at })
    .onConflict((conflict) =>
      conflict.column('terminal_kid').doUpdateSet({ expires_at }).where('location_refresh.expires_at', '<=', now),
    )
    .returning('terminal_kid')
    .executeTakeFirst()
  if (!held) refuse('task_running')
  deps.live.publish(account_kid, { type: 'terminal_info', kid: terminal_kid })
}
