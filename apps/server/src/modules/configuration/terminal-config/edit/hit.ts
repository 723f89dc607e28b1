import { configSectionKeys, ltscopes } from '@mdm/contract'
import type { ConfigSection, Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import type { Actor } from '../../../../actor.ts'
import type { Hit } from '../../../people/brakes/index.ts'
import { belowAny, differing, intended } from './affected.ts'
import type { Intended } from './affected.ts'
import { changeOf, placeOf, versionOf } from './change.ts'
import { copied, targetsOf } from './edit.ts'
import { effectiveOf } from '../levels/effective.ts'
import type { Level } from '../levels/effective.ts'
import { takesHold } from '../levels/takes-hold.ts'
import { resolvePlace, writePlace } from '../levels/config-places.ts'
import type { Place } from '../levels/config-places.ts'
import { countDevices } from '../levels/affected-devices.ts'
import { settingsFor } from '../levels/settings.ts'
import { stepHasReached } from '../steps/kept-until-step.ts'

type Calls = Contract['terminalConfig']['calls']
type Settings = Awaited<ReturnType<typeof settingsFor>>
type Asked = { place: Place; wanted: Intended }

/** Of the sections that would be something else, those that would take hold of devices then. */
export function holdingOf(settings: Settings, levels: readonly Level[], wanted: Intended): ConfigSection[] {
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

/** What is set above comes into force. */
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

/** Devices that have a change of which the steps are aborted, where what they had before takes hold of them again. */
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
