import type { PushWork } from '@mdm/contract'
import { sql } from 'kysely'
import type { Issuer } from '../../../actor.ts'
import { transactionThen } from '../../../db/after-commit.ts'
import type { Deps } from '../../../deps.ts'
import type { SharedWork } from '../../../lib/background.ts'
import { newKid } from '../../../lib/ids.ts'
import { unseal } from '../../../lib/sealed.ts'
import { groupBy } from '../../../link/group-by.ts'
import { insertEvents } from '../../../link/inbound/event.ts'
import type { NewEvent } from '../../../link/inbound/event.ts'
import { Refusal, reasonOf } from '../../../refusal.ts'
import type { Reason } from '../../../refusal.ts'
import { pushFor } from '../../push/push-task/index.ts'
import { fencesOf } from './effective.ts'

const batch_size = 200
/** What could not be made for longer, because no server ran, is left out: the device may be back by then. */
const late_ms = 3_600_000

type Row = {
  kid: string
  account_kid: string
  terminal_kid: string
  fence_kid: string
  at: Date
  name: string
  version: number
  alarm_seconds: number | null
  is_locking: boolean
  password_sealed: string | null
  updated_by_kid: string
  updated_by: string
  updated_by_token_kid: string | null
  updated_at: Date
}
type Ordered = Row & { by: Omit<Issuer, 'account_kid'> }

/** Makes the pushes of fences that devices left which cannot obey one by themselves: one push for all of a moment. */
export const fenceActions: SharedWork = {
  name: 'fence_actions',
  every_ms: 5_000,
  at_once: 1,
  by_age: true,
  run: async (deps) => (await act(deps)) === batch_size,
}

/** Taken before it is done: a killed server leaves a lock out rather than locking a device that has come back since. */
async function act(deps: Deps): Promise<number> {
  const { rows } = await sql<Row>`
    DELETE FROM fence_action a USING electronic_fence f
    WHERE f.kid = a.fence_kid AND a.kid IN (SELECT kid FROM fence_action ORDER BY at LIMIT ${batch_size} FOR UPDATE SKIP LOCKED)
    RETURNING a.kid, a.account_kid, a.terminal_kid, a.fence_kid, a.at, f.name, f.version, f.alarm_seconds, f.is_locking, f.password_sealed,
      f.updated_by_kid, f.updated_by, f.updated_by_token_kid, f.updated_at
  `.execute(deps.db)
  const earliest = deps.clock.now().getTime() - late_ms
  const due = rows.filter(({ at }) => at.getTime() >= earliest)
  for (const devices of groupBy(await ordered(deps, due), ({ fence_kid }) => fence_kid).values()) {
    const events: NewEvent[] = []
    for (const of_one of groupBy(devices, ({ by }) => `${by.user_kid} ${by.token_kid ?? ''}`).values()) {
      const [fence] = of_one as [Ordered]
      const kids = [...new Set(of_one.map(({ terminal_kid }) => terminal_kid))]
      for (const work of await worksOf(deps, fence)) events.push(...(await push(deps, fence, work, kids)))
    }
    await noteOutcome(deps, devices[0]!, events)
  }
  return rows.length
}

/**
 * With the user who answers for it: the one who changed the fence last, and had all places of it within reach, or who has set it
 * there since.
 */
async function ordered(deps: Deps, due: readonly Row[]): Promise<Ordered[]> {
  const places = new Map(
    (
      await fencesOf(
        deps.db,
        due.map(({ terminal_kid }) => terminal_kid),
      )
    ).map((place) => [place.terminal_kid, place]),
  )
  return due.map((row) => {
    const place = places.get(row.terminal_kid)
    const is_set_since = place?.fence?.fence_kid === row.fence_kid && place.set_at! >= row.updated_at
    const by = is_set_since
      ? { user_kid: place.set_by_kid!, name: place.set_by!, token_kid: place.set_by_token_kid }
      : { user_kid: row.updated_by_kid, name: row.updated_by, token_kid: row.updated_by_token_kid }
    return { ...row, by }
  })
}

type FenceWork = Extract<PushWork, { type: 'lock' | 'find' }>
async function worksOf(deps: Deps, { alarm_seconds, is_locking, password_sealed }: Row): Promise<FenceWork[]> {
  const works: FenceWork[] = []
  if (is_locking && password_sealed !== null)
    works.push({ type: 'lock', payload: { password: await unseal(deps, password_sealed) } })
  if (alarm_seconds !== null) works.push({ type: 'find', payload: { seconds: alarm_seconds } })
  return works
}

const actions = { lock: 'lock', find: 'ring' } as const
/** What became of the push that has a device do what it does not do by itself: beside what a device tells (`FenceAction`). */
type Outcome = { outcome: 'pushed'; push_task_kid: string } | { outcome: 'not_pushed'; reason: Reason }

/** Answers an event of each device: of the push that was made, or of why none was. */
async function push(deps: Deps, fence: Ordered, work: FenceWork, kids: string[]): Promise<NewEvent[]> {
  const { account_kid, by, fence_kid, version, name } = fence
  const eventsOf = (terminal_kids: readonly string[], outcome: Outcome): NewEvent[] => {
    const at = deps.clock.now()
    const detail = { fence_kid, fence_version: version, fence: name, action: actions[work.type], ...outcome }
    return terminal_kids.map((terminal_kid) => ({
      kid: newKid(),
      account_kid,
      terminal_kid,
      type: 'fence_action',
      at,
      received_at: at,
      detail,
    }))
  }
  const notPushed = (terminal_kids: readonly string[], error: unknown): NewEvent[] => {
    if (terminal_kids.length === 0) return []
    deps.log.warn({ err: error, fence_kid, type: work.type }, 'a fence could not be enforced')
    return eventsOf(terminal_kids, { outcome: 'not_pushed', reason: reasonOf(error) })
  }
  try {
    // A device that is not reached by then may be back inside by now.
    const deadline_at = new Date(deps.clock.now().getTime() + late_ms).toISOString()
    const { push_task_kid, missing } = await pushFor(deps, { account_kid, ...by }, work, kids, name, { deadline_at })
    const reached = kids.filter((kid) => !missing.includes(kid))
    return [
      ...(push_task_kid === undefined ? [] : eventsOf(reached, { outcome: 'pushed', push_task_kid })),
      ...notPushed(missing, new Refusal('device_not_found')),
    ]
  } catch (error) {
    return notPushed(kids, error)
  }
}

/** The list of fences says that a device that left was not locked; the events of the fence say which, and what was done. */
async function noteOutcome(deps: Deps, { account_kid, fence_kid }: Row, events: NewEvent[]): Promise<void> {
  const last_error = events.find(({ detail }) => detail['outcome'] === 'not_pushed')?.detail['reason'] ?? null
  await transactionThen(deps.db, async (trx, after) => {
    await trx
      .updateTable('electronic_fence')
      .set({ last_error: last_error && JSON.stringify(last_error) })
      .where('kid', '=', fence_kid)
      .execute()
    await insertEvents({ trx, deps, after }, events)
  })
  deps.live.publish(account_kid, { type: 'electronic_fence_changed' })
}
