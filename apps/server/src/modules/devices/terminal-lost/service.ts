import { contract, inabilityOf, lostLimits, lostScreenOf } from '@mdm/contract'
import type { Contract, In, PushConditions, PushWork } from '@mdm/contract'
import type { LostMode } from '@mdm/device-link'
import { sql } from 'kysely'
import type { Kysely, Selectable } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { retrying } from '../../../db/retrying.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { Refusal, refuse } from '../../../refusal.ts'
import { markDevices, publishChange, writePlace } from '../../configuration/terminal-config/index.ts'
import { brake } from '../../people/brakes/index.ts'
import { cancelAll, insert, openStates } from '../../push/push-task/index.ts'

type Calls = Contract['terminalLost']['calls']
type Trx = Kysely<Tables>
type LostRow = Selectable<Tables['terminal_lost']>

export const deviceOf = async ({ scope }: Pick<Actor, 'scope'>, kid: string) =>
  (await scope
    .selectFrom('terminal')
    .select(['kid', 'sn', 'agent_kind', 'task_types', 'config_sections'])
    .where('kid', '=', kid)
    .executeTakeFirst()) ?? refuse('not_found')
type Device = Awaited<ReturnType<typeof deviceOf>>

export const rowOf = ({ scope }: Pick<Actor, 'scope'>, { sn }: Pick<Device, 'sn'>): Promise<LostRow | undefined> =>
  scope.selectFrom('terminal_lost').selectAll().where('sn', '=', sn).executeTakeFirst()

/**
 * Locks a device behind a message, and lets it ring. Of a device that is lost already the text changes. The pushes come first:
 * where one of them is refused, nothing is kept.
 */
export async function start(
  actor: Actor,
  { terminal_kid, message, phone, rings }: In<Calls['start']>,
): Promise<{ sn: string; is_new: boolean }> {
  const device = await deviceOf(actor, terminal_kid)
  const before = await rowOf(actor, device)
  const lost = before && before.found_at === null ? before : undefined
  await brake(actor, { act: 'mark_lost', devices: 1 })
  const is_same = lost?.message === message && lost.phone === phone
  const pushes = {
    ...(!is_same && (await lockedOnce(actor, device, message, phone))),
    ...(rings &&
      !inabilityOf(device, 'find') && {
        ring_kid: await push(actor, terminal_kid, { type: 'find', payload: { seconds: lostLimits.ring_seconds } }),
      }),
  }
  const now = actor.deps.clock.now()
  const beginning = lost ? {} : { lost_at: now, lost_by: actor.user.name, ...no_pushes }
  await write(actor, device, { message, phone, found_at: null, found_by: null, ...beginning, ...pushes }, !is_same)
  return { sn: device.sn, is_new: lost === undefined }
}
const no_pushes = { ring_kid: null, lock_kid: null, message_kid: null, wipe_kid: null }

/** Where the agent keeps no lock, the screen is locked and shown the message by a push each, as far as it does that. */
async function lockedOnce(actor: Actor, device: Device, message: string, phone: string) {
  if (lostScreenOf(device) !== 'once') return {}
  const shown = { title: message.split('\n')[0]!.slice(0, 100), text: [message, phone].filter(Boolean).join('\n') }
  const { kid } = device
  return {
    lock_kid: await push(actor, kid, { type: 'lock', payload: {} }),
    ...(!inabilityOf(device, 'message') && {
      message_kid: await push(actor, kid, { type: 'message', payload: shown }),
    }),
  }
}

async function push(
  actor: Actor,
  terminal_kid: string,
  work: PushWork,
  conditions?: Partial<PushConditions>,
): Promise<string> {
  const input = { ...work, terminal_kids: [terminal_kid], ...(conditions && { conditions }) }
  try {
    return (await insert(actor, contract.pushTask.calls.insert.input.parse(input))).kid
  } catch (error) {
    // The device has left meanwhile.
    if (error instanceof Refusal && gone.has(error.refusal)) refuse('not_found')
    throw error
  }
}
const gone: ReadonlySet<string> = new Set(['device_not_found', 'task_create_failed'])

type Said = Partial<Omit<LostRow, 'account_kid' | 'sn' | 'terminal_kid' | 'since_version'>>
/** Stores it, and has the device told where it is told something else. */
async function write(actor: Actor, device: Device, said: Said, is_told: boolean): Promise<void> {
  const { deps, account_kid } = actor
  const place = writePlace(account_kid, { ltscope: 40, terminal_kid: device.kid })
  await retrying(() =>
    deps.db.transaction().execute(async (trx) => {
      const there = await trx
        .selectFrom('terminal')
        .select('kid')
        .where('kid', '=', device.kid)
        .where('account_kid', '=', account_kid)
        .forKeyShare()
        .executeTakeFirst()
      if (!there) refuse('not_found')
      const told = is_told && { terminal_kid: device.kid, since_version: await tell(trx, actor, device.kid) }
      const named = { account_kid, sn: device.sn }
      const fresh = { message: '', phone: '', lost_at: deps.clock.now(), lost_by: actor.user.name, since_version: 1 }
      await trx
        .insertInto('terminal_lost')
        .values({ ...fresh, terminal_kid: device.kid, ...named, ...said, ...told })
        .onConflict((conflict) => conflict.columns(['account_kid', 'sn']).doUpdateSet({ ...said, ...told }))
        .execute()
    }),
  )
  if (is_told) publishChange(deps, place)
  deps.live.publish(account_kid, { type: 'terminal_info', kid: device.kid })
  deps.live.publish(account_kid, { type: 'terminal_list_changed' })
}

/**
 * Has the configuration of a device worked out anew. The first version that says what is stored with it: the one that was never
 * sent, or else the next. It is a new one in any case, so that what the device said of an earlier one is not taken for this.
 */
async function tell(trx: Trx, { account_kid, deps }: Actor, terminal_kid: string): Promise<number> {
  const place = writePlace(account_kid, { ltscope: 40, terminal_kid })
  await markDevices(trx, { place, sections: ['lost'] }, deps.clock.now())
  const { rows } = await sql<{ version: number }>`
    UPDATE terminal_config_delivery d SET is_forced = true
    FROM terminal t LEFT JOIN terminal_state s ON s.terminal_kid = t.kid
    WHERE d.terminal_kid = ${terminal_kid}::uuid AND t.kid = d.terminal_kid
    RETURNING (CASE WHEN d.sent_at IS NULL AND d.version > COALESCE(s.config_version, 0) THEN d.version
      ELSE GREATEST(d.version, COALESCE(s.config_version, 0)) + 1 END)::float8 AS version
  `.execute(trx)
  return rows[0]?.version ?? 1
}

/** Ends the ringing. @throws `task_not_cancelable` where nothing rings */
export async function stopRing(actor: Actor, terminal_kid: string): Promise<{ sn: string }> {
  const device = await deviceOf(actor, terminal_kid)
  const row = await rowOf(actor, device)
  if (!row?.ring_kid) return refuse('task_not_cancelable')
  if ((await canceled(actor, row.ring_kid)) === 0) refuse('task_not_cancelable')
  tellChange(actor, terminal_kid)
  return device
}
const tellChange = ({ deps, account_kid }: Actor, kid: string) =>
  deps.live.publish(account_kid, { type: 'terminal_info', kid })

/** How many devices of a push were canceled or asked to; none where it is over or gone. */
async function canceled(actor: Actor, push_task_kid: string): Promise<number> {
  try {
    // It is for this device alone, which the actor sees, whoever has made it: also while it has no device yet, as a whole.
    const { canceled: at_once, asked } = await cancelAll({ ...actor, visible_groups: undefined }, { push_task_kid })
    // A push that waited for an approval had no device yet.
    return Math.max(1, at_once + asked)
  } catch (error) {
    if (error instanceof Refusal && over.has(error.refusal)) return 0
    throw error
  }
}
const over: ReadonlySet<string> = new Set(['task_not_cancelable', 'not_found'])

/** Erases the device as soon as it is there, by the push that does it anywhere else too. */
export async function wipe(actor: Actor, terminal_kid: string): Promise<{ sn: string }> {
  const { deps } = actor
  const device = await deviceOf(actor, terminal_kid)
  const row = await rowOf(actor, device)
  if (!row || row.found_at) return refuse('device_not_lost')
  if (row.wipe_kid && (await isOpen(actor, row.wipe_kid))) refuse('task_running')
  // A minute less than the limit: the clock goes on until it is looked at.
  const deadline_at = new Date(deps.clock.now().getTime() + lostLimits.wipe_days * 86_400_000 - 60_000).toISOString()
  const wipe_kid = await push(actor, terminal_kid, { type: 'factory_reset', payload: {} }, { deadline_at })
  await write(actor, device, { wipe_kid }, false)
  return device
}

async function isOpen({ scope }: Actor, kid: string): Promise<boolean> {
  const open = await scope
    .selectFrom('push_task as p')
    .leftJoin('push_task_terminal as r', 'r.push_task_kid', 'p.kid')
    .select('p.kid')
    .where('p.kid', '=', kid)
    .where((eb) =>
      eb.or([eb('r.state', 'in', openStates), eb('p.phase', 'in', ['awaiting_approval', 'planned', 'creating'])]),
    )
    .executeTakeFirst()
  return open !== undefined
}

/** The device is there again: what was asked of it and is not done yet is taken back, and its screen is let go. */
export async function found(actor: Actor, terminal_kid: string): Promise<{ sn: string; canceled: number } | undefined> {
  const { deps } = actor
  const device = await deviceOf(actor, terminal_kid)
  const row = await rowOf(actor, device)
  if (!row || row.found_at) return undefined
  let count = 0
  for (const kid of [row.wipe_kid, row.ring_kid, row.lock_kid, row.message_kid])
    if (kid !== null) count += await canceled(actor, kid)
  await write(actor, device, { found_at: deps.clock.now(), found_by: actor.user.name }, true)
  return { sn: device.sn, canceled: count }
}

/** What the configuration of each of these devices says of it; nothing of one that never was lost. */
export async function lostOf(trx: Trx, terminal_kids: readonly string[]): Promise<Map<string, LostMode>> {
  const rows = await trx
    .selectFrom('terminal_lost as l')
    .innerJoin('terminal as t', (join) => join.onRef('t.account_kid', '=', 'l.account_kid').onRef('t.sn', '=', 'l.sn'))
    .select(['t.kid', 'l.message', 'l.phone', 'l.found_at'])
    .where('t.kid', '=', sql<string>`any(${[...terminal_kids]}::uuid[])`)
    .execute()
  return new Map(
    rows.map(({ kid, message, phone, found_at }) => [
      kid,
      found_at ? { is_lost: false, message: '', phone: '' } : { is_lost: true, message, phone },
    ]),
  )
}

type Collected = { is_location_on: boolean; location_metres: number }
/** A lost device says where it is as it moves, whatever its account collects otherwise. */
export const collectedWhileLost = <C>(collection: C): C => {
  const { location_metres } = collection as C & Collected
  return { ...collection, is_location_on: true, location_metres: Math.min(location_metres, lostLimits.metres) }
}
