import { ltscopes, configSectionKeys, groupValues } from '@mdm/contract'
import type { ConfigSection, Contract, In } from '@mdm/contract'
import { isEqual } from '@mdm/contract/config/equal.ts'
import { sectionOf, holdingSections } from '@mdm/contract/config/sections.ts'
import { sql } from 'kysely'
import type { Actor } from '../../../actor.ts'
import type { Hit } from '../../people/brakes/index.ts'
import { countDevices, intended, differing, belowAny, copied, targetsOf } from './affected.ts'
import type { Intended } from './affected.ts'
import { writePlace, resolvePlace, changeOf, versionOf, placeOf } from './config-places.ts'
import type { Place } from './config-places.ts'
import { levelsOf, groupPath, effectiveOf, settingsFor } from './levels.ts'
import type { Level, AccountSettings } from './levels.ts'
import { profilesFor } from './profile-uses.ts'
import { stepHasReached } from './staged-change.ts'

/** Whether a section takes hold of a device as it becomes this: not when it is removed, nor by the platform's own value. */
export const takesHold = (section: ConfigSection, before: unknown, after: unknown): boolean =>
  holdingSections.includes(section) &&
  after !== null &&
  !isEqual(before, after) &&
  !isEqual(after, sectionOf(section).platform ?? null)

type Calls = Contract['terminalConfig']['calls']
type Asked = { place: Place; wanted: Intended }

/** Of the sections that would become something else, those that would take hold of devices. */
export function holdingOf(settings: AccountSettings, levels: readonly Level[], wanted: Intended): ConfigSection[] {
  const above = levels.slice(0, -1)
  return differing(settings, levels, wanted).filter((section) => {
    const then = wanted[section]
    if (!then) return takesHold(section, undefined, effectiveOf(settings, section, above).value)
    return takesHold(section, undefined, 'given' in then ? then.given : then.stored)
  })
}

/** Devices that a change at these places would take hold of. */
async function hitBy(actor: Actor, asked: readonly Asked[]): Promise<Hit> {
  const { deps, account_kid } = actor
  const taken = []
  for (const { place, wanted } of asked) {
    const levels = await resolvePlace(actor, place)
    const settings = await settingsFor(actor, place.terminal_kid ?? null)
    const sections = holdingOf(settings, levels, wanted)
    if (sections.length > 0) taken.push({ place: writePlace(account_kid, place), sections })
  }
  if (taken.length === 0) return { devices: 0 }
  const devices = await countDevices(deps.db, await belowAny(deps.db, taken))
  return { devices, is_lasting: taken.some(({ place }) => place.ltscope !== ltscopes.terminal) }
}

export const hitBySave = (actor: Actor, input: In<Calls['save']>): Promise<Hit> =>
  hitBy(actor, [{ place: input, wanted: intended(input) }])

/** A reset brings what is set above into force. */
export const hitByReset = (actor: Actor, input: In<Calls['reset']>): Promise<Hit> =>
  hitBy(actor, [{ place: input, wanted: intended({ resets: input.sections ?? configSectionKeys }) }])

export async function hitByCopy(actor: Actor, input: In<Calls['copy']>): Promise<Hit> {
  const wanted = asIntended(await copied(actor, input))
  return hitBy(
    actor,
    targetsOf(input).map((place) => ({ place, wanted })),
  )
}

export async function hitByRevert(actor: Actor, kid: string): Promise<Hit> {
  const change = await changeOf(actor.scope, kid)
  return hitBy(actor, [{ place: placeOf(change), wanted: asIntended(versionOf(change)) }])
}

/** Devices that have a change whose steps are aborted, where the former values take hold of them again. */
export async function hitByAbort(actor: Actor, kid: string): Promise<Hit> {
  const change = await changeOf(actor.scope, kid)
  const levels = await resolvePlace(actor, placeOf(change))
  const settings = await settingsFor(actor, change.terminal_kid)
  const before = change.before as Record<string, unknown>
  const back = Object.fromEntries(change.sections.map((section) => [section, before[section] ?? null]))
  if (change.push_task_kid === null || holdingOf(settings, levels, asIntended(back)).length === 0) return { devices: 0 }
  const { devices } = await actor.deps.db
    .selectFrom('push_task_terminal as p')
    .select(sql<number>`count(*)::int`.as('devices'))
    .where('p.push_task_kid', '=', change.push_task_kid)
    .where(stepHasReached)
    .executeTakeFirstOrThrow()
  return { devices }
}

const asIntended = (values: Record<string, unknown>): Intended =>
  Object.fromEntries(
    Object.entries(values).map(([section, value]) => [section, value === null ? null : { stored: value }]),
  )

type Parents = ReadonlyMap<string, string | null>
/** Devices of a group whose path through the tree becomes another. */
type Move = { from: readonly string[]; to: readonly string[]; devices: number }

/** Fences that lock devices or ring, by their kid. */
async function actingFences({ scope }: Actor): Promise<ReadonlySet<string>> {
  const rows = await scope
    .selectFrom('electronic_fence')
    .select('kid')
    .where('is_on', '=', true)
    .where((eb) => eb.or([eb('is_locking', '=', true), eb('alarm_seconds', 'is not', null)]))
    .execute()
  return new Set(rows.map(({ kid }) => kid))
}

/** The fence of the nearest level that says something of it; null where none does, or says none. */
function fenceAt(settings: AccountSettings, levels: readonly Level[]): string | null {
  const at = levels.toReversed().map((level) => settings('fence', level))
  const set = at.find((row) => row !== undefined)
  return set ? (set.value as { fence_kid: string | null }).fence_kid : null
}

/** Whether a fence that locks or rings comes into force once the fence set at the last of these levels is removed. */
export async function inheritsFence(actor: Actor, levels: readonly Level[], terminal_kid: string | null) {
  const settings = await settingsFor(actor, terminal_kid)
  const above = fenceAt(settings, levels.slice(0, -1))
  if (above === null || above === fenceAt(settings, levels)) return false
  return (await actingFences(actor)).has(above)
}

/**
 * Devices that moves bring below what takes hold of them. What a device or a group below has of its own may keep it from that:
 * they are at most so many.
 */
async function hitByMoves(actor: Actor, moves: readonly Move[], is_lasting: boolean): Promise<Hit> {
  const settings = await settingsFor(actor, null)
  const acting = await actingFences(actor)
  const profilesOf = await profilesFor(actor.scope, [actor.account_kid], [])
  const takes = ({ from, to }: Move) => {
    const levels = (groups: readonly string[]) => levelsOf(groups, undefined, profilesOf({ groups }))
    const [before, after] = [levels(from), levels(to)]
    const fence = fenceAt(settings, after)
    const is_fenced = fence !== null && acting.has(fence) && fence !== fenceAt(settings, before)
    const is_taken = (section: ConfigSection) =>
      takesHold(section, effectiveOf(settings, section, before).value, effectiveOf(settings, section, after).value)
    return is_fenced || holdingSections.some(is_taken)
  }
  const hit = moves.filter(takes)
  if (hit.length === 0) return { devices: 0 }
  return { devices: hit.reduce((sum, { devices }) => sum + devices, 0), is_lasting }
}

async function treeOf({ scope }: Actor) {
  const groups = await scope.selectFrom('terminal_group').select(['kid', 'parent_kid', 'terminal_count']).execute()
  return { groups, parents: new Map(groups.map(({ kid, parent_kid }) => [kid, parent_kid])) }
}

/** Devices that come to a group. */
export async function hitByMove(actor: Actor, kids: readonly string[], group: string): Promise<Hit> {
  const { parents } = await treeOf(actor)
  const to = groupPath(parents, group === groupValues.none ? null : group)
  const rows = await actor.scope
    .selectFrom('terminal')
    .select(['terminal_group_kid', sql<number>`count(*)::int`.as('devices')])
    .where('kid', '=', sql<string>`any(${[...kids]}::uuid[])`)
    .groupBy('terminal_group_kid')
    .execute()
  const moves = rows.map(({ terminal_group_kid: from, devices }) => ({ from: groupPath(parents, from), to, devices }))
  return hitByMoves(actor, moves, false)
}

type Group = { kid: string; terminal_count: number }
const moved = (groups: readonly Group[], before: Parents, after: Parents): Move[] =>
  groups.map(({ kid, terminal_count }) => ({
    from: groupPath(before, kid),
    to: groupPath(after, kid),
    devices: terminal_count,
  }))

/** A group with all below it that comes below another one. Those that come to it later count as well. */
export async function hitByGroupMove(actor: Actor, kid: string, parent: string): Promise<Hit> {
  const { groups, parents } = await treeOf(actor)
  const after = new Map(parents).set(kid, parent === groupValues.root ? null : parent)
  const below = groups.filter((each) => groupPath(parents, each.kid).includes(kid))
  return hitByMoves(actor, moved(below, parents, after), true)
}

/** A group whose devices, and groups, go to the one above it. */
export async function hitByGroupRemoval(actor: Actor, kid: string): Promise<Hit> {
  const { groups, parents } = await treeOf(actor)
  const parent = parents.get(kid) ?? null
  const after = new Map([...parents].map(([each, at]) => [each, at === kid ? parent : at]))
  const below = groups.filter((each) => each.kid !== kid && groupPath(parents, each.kid).includes(kid))
  const { terminal_count = 0 } = groups.find((each) => each.kid === kid) ?? {}
  const own = { from: groupPath(parents, kid), to: groupPath(parents, parent), devices: terminal_count }
  return hitByMoves(actor, [own, ...moved(below, parents, after)], true)
}
