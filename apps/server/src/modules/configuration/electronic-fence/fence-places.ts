import { fence_group_permission, ltscopes } from '@mdm/contract'
import type { Contract, In } from '@mdm/contract'
import { fenceBand } from '@mdm/device-link'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { updateAudit } from '../../../actor.ts'
import type { Actor } from '../../../actor.ts'
import { retrying } from '../../../db/retrying.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import type { ActorWith } from '../../../http/context.ts'
import { refuse } from '../../../refusal.ts'
import {
  inheritsFence,
  isEqual,
  markNextPiece,
  publishChange,
  resolvePlace,
  writable,
  writePlace,
  writeSetting,
} from '../terminal-config/index.ts'
import type { Place, WritePlace } from '../terminal-config/index.ts'
import type { Hit } from '../../people/brakes/index.ts'
import { subtree } from '../../fleet/terminal-group/index.ts'
import { lockAccount } from '../../../db/lock-account.ts'
import { assertVisible } from '../../../db/visible.ts'
import { fencesOf } from './effective.ts'
import { accuracyCode, accuracyName, assertActions, defined } from './rules.ts'
import { fencesDue } from './fence-worker.ts'
import { wake } from '../../../lib/background.ts'

type Calls = Contract['electronicFence']['calls']
type Db = Kysely<Tables>

const set_here = (db: Db) => db.selectFrom('terminal_config').where('terminal_config.section', '=', 'fence')

/** Where a fence is set, as far as the user reaches: the account, groups and devices. */
export async function listPlaces({ scope, visible_groups }: Actor, fence_kid: string) {
  await assertThere(scope, fence_kid)
  const rows = await set_here(scope)
    .leftJoin('terminal_group', 'terminal_group.kid', 'terminal_config.terminal_group_kid')
    .leftJoin('terminal', 'terminal.kid', 'terminal_config.terminal_kid')
    .select([
      'terminal_config.ltscope',
      'terminal_config.terminal_group_kid',
      'terminal_config.terminal_kid',
      'terminal_group.name as group_name',
      sql<string | null>`coalesce(nullif(terminal.name, ''), terminal.sn)`.as('device_name'),
      'terminal_config.updated_by',
      'terminal_config.updated_at',
    ])
    .where(sql`terminal_config.value ->> 'fence_kid'`, '=', fence_kid)
    .orderBy('terminal_config.ltscope')
    .orderBy(sql`lower(coalesce(terminal_group.name, terminal.name, ''))`)
    .orderBy('terminal_config.kid')
    .execute()
  return rows
    .filter(({ ltscope, terminal_group_kid, device_name }) => {
      if (!visible_groups) return true
      return ltscope === ltscopes.group ? visible_groups.includes(terminal_group_kid!) : device_name !== null
    })
    .map(({ ltscope, terminal_group_kid, terminal_kid, group_name, device_name, updated_by, updated_at }) => ({
      ltscope,
      kid: terminal_kid ?? terminal_group_kid,
      name: group_name ?? device_name,
      updated_by,
      updated_at,
    }))
}

/** Sets a fence, or none, at these places; the devices below are told, and looked at anew. */
export async function savePlaces(
  actor: ActorWith<'may'>,
  { fence_kid, places }: In<Calls['save_places']>,
): Promise<void> {
  const { deps, scope, account_kid } = actor
  if (fence_kid !== null) assertActions(actor, await assertThere(scope, fence_kid))
  for (const place of places) await writable(actor, place, fence_group_permission)
  const now = deps.clock.now()
  const by = { ...updateAudit(actor), updated_at: now }
  await retrying(() =>
    scope.transaction().execute(async (trx) => {
      await lockAccount(trx, account_kid)
      if (fence_kid !== null) await assertThere(trx, fence_kid)
      for (const place of places) {
        await writeSetting(trx, writePlace(account_kid, place), 'fence', { fence_kid }, by)
      }
    }),
  )
  await publishPlaces(
    actor,
    places.map((place) => writePlace(account_kid, place)),
  )
}

/** Removes what is set at these places: what is set above is in force there again. */
export async function resetPlaces(actor: ActorWith<'may'>, places: Place[]): Promise<number> {
  for (const place of places) await writable(actor, place, fence_group_permission)
  const now = actor.deps.clock.now()
  const by = { ...updateAudit(actor), updated_at: now }
  const reset = await retrying(() =>
    actor.scope.transaction().execute(async (trx) => {
      await lockAccount(trx, actor.account_kid)
      let gone = 0
      for (const place of places) {
        if (await writeSetting(trx, writePlace(actor.account_kid, place), 'fence', null, by)) gone += 1
      }
      return gone
    }),
  )
  await publishPlaces(
    actor,
    places.map((place) => writePlace(actor.account_kid, place)),
  )
  return reset
}

async function placesOf(db: Db, fence_kid: string): Promise<Place[]> {
  const rows = await set_here(db)
    .select(['ltscope', 'terminal_group_kid', 'terminal_kid'])
    .where(sql`terminal_config.value ->> 'fence_kid'`, '=', fence_kid)
    .execute()
  return rows.map(({ ltscope, terminal_group_kid, terminal_kid }) => ({
    ltscope,
    terminal_group_kid: terminal_group_kid ?? undefined,
    terminal_kid: terminal_kid ?? undefined,
  }))
}

/** Devices that a fence would lock or ring where it is set, as it is to be, if more than its name changes. */
export async function hitByUpdate({ scope }: Actor, { kid, ...draft }: In<Calls['update']>): Promise<Hit> {
  const { password, accuracy, name: _, shape: _circle, ...rest } = draft
  const before = await assertThere(scope, kid)
  const after = { ...before, ...defined(rest), ...(accuracy !== undefined && { accuracy: accuracyName(accuracy) }) }
  const is_other = password !== undefined || !isEqual(before, after)
  return is_other && isActing(after) ? hitAt(scope, await placesOf(scope, kid)) : { devices: 0 }
}

/** Devices that it would lock or ring where it is to be set. */
export async function hitByPlaces({ scope }: Actor, { fence_kid, places }: In<Calls['save_places']>): Promise<Hit> {
  return fence_kid !== null && isActing(await assertThere(scope, fence_kid)) ? hitAt(scope, places) : { devices: 0 }
}

/** Devices that come below another fence which locks or rings, once none is set at these places. */
export async function hitByReset(actor: Actor, places: readonly Place[]): Promise<Hit> {
  const inheriting: Place[] = []
  for (const place of places)
    if (await inheritsFence(actor, await resolvePlace(actor, place), place.terminal_kid ?? null)) inheriting.push(place)
  return inheriting.length > 0 ? hitAt(actor.scope, inheriting) : { devices: 0 }
}

export const hitByRemoval = async (actor: Actor, kid: string): Promise<Hit> =>
  hitByReset(actor, await placesOf(actor.scope, kid))

type Acting = { is_on: boolean; is_locking: boolean; alarm_seconds: number | null }
const isActing = ({ is_on, is_locking, alarm_seconds }: Acting) => is_on && (is_locking || alarm_seconds !== null)

async function hitAt(scope: Db, places: readonly Place[]): Promise<Hit> {
  let devices = 0
  for (const { terminal_kid, terminal_group_kid } of places)
    devices += await countAt(scope, terminal_kid, terminal_group_kid)
  return { devices, is_lasting: places.some(({ terminal_kid }) => terminal_kid === undefined) }
}

async function countAt(scope: Db, terminal_kid: string | undefined, group: string | undefined): Promise<number> {
  if (terminal_kid !== undefined) return 1
  if (group !== undefined)
    return (await subtree(scope, group)).reduce((sum, { terminal_count }) => sum + terminal_count, 0)
  const { devices } = await scope
    .selectFrom('terminal')
    .select(sql<number>`count(*)::int`.as('devices'))
    .executeTakeFirstOrThrow()
  return devices
}

/** After the commit. The first devices are looked at at once. */
export async function publishPlaces({ deps, account_kid }: Actor, places: readonly WritePlace[]): Promise<void> {
  await markNextPiece(deps)
  for (const place of places) publishChange(deps, place)
  deps.live.publish(account_kid, { type: 'electronic_fence_changed' })
  wake(deps, fencesDue)
}

/** The fence that is in force for a device, and whether the device is inside. */
export async function current({ scope, deps, account_kid }: Actor, terminal_kid: string) {
  await assertVisible(scope, terminal_kid)
  const [found] = await fencesOf(deps.db, [terminal_kid])
  if (found?.account_kid !== account_kid) return refuse('not_found')
  const status = await scope
    .selectFrom('terminal_fence')
    .select(['fence_kid', 'state', 'since', 'is_by_device'])
    .where('terminal_kid', '=', terminal_kid)
    .executeTakeFirst()
  const { fence, ltscope } = found
  const level = Object.entries(ltscopes).find(([, number]) => number === (ltscope ?? ltscopes.platform))!
  const known = fence && status?.fence_kid === fence.fence_kid ? status : undefined
  return {
    fence: fence && {
      ...fence,
      kid: fence.fence_kid,
      version: fence.fence_version,
      accuracy: accuracyCode(fence.accuracy),
    },
    source: level[0] as Exclude<keyof typeof ltscopes, 'profile'>,
    state: known?.state ?? null,
    since: known?.since ?? null,
    is_by_device: known?.is_by_device ?? false,
    band: fence ? fenceBand(fence) : 0,
  }
}

export const assertThere = async (scope: Db, kid: string) =>
  (await scope
    .selectFrom('electronic_fence')
    .select([
      'kid',
      'name',
      'is_on',
      'is_locking',
      'alarm_seconds',
      'longitude',
      'latitude',
      'radius',
      'points',
      'duration',
      'accuracy',
    ])
    .where('kid', '=', kid)
    .executeTakeFirst()) ?? refuse('not_found')
