import { configSectionKeys } from '@mdm/contract'
import type { ConfigSection, Contract, In, Answer } from '@mdm/contract'
import { configSections, masked } from '@mdm/contract/config/sections.ts'
import type { Actor } from '../../../actor.ts'
import { transactionThen } from '../../../db/after-commit.ts'
import type { WithRequest } from '../../../workers/service.ts'
import type { Hit } from '../../people/brakes/index.ts'
import { devicesBelow, countDevices, intended, revertTo, differing, devicesOf } from './affected.ts'
import type { Intended } from './affected.ts'
import { platformPlace, changeOf, versionOf } from './config-places.ts'
import { shownOwn } from './current.ts'
import { sealGiven } from './given.ts'
import { holdingOf } from './hit.ts'
import { levelsOf, settingsOf, effectiveOf, platformRows, forgetPlatformRows } from './levels.ts'
import { resetsOf } from './save.ts'
import { writeSections } from './write.ts'
import type { OnChanges } from './write.ts'

type Calls = Contract['opsTerminalConfig']['calls']

const settingsOfPlatform = async ({ deps }: Actor) => {
  forgetPlatformRows(deps)
  return settingsOf(await platformRows(deps))
}
const levels = levelsOf([])
const level = levels[0]!

export async function get(actor: Actor) {
  const settings = await settingsOfPlatform(actor)
  return Object.fromEntries(
    configSectionKeys.map((section) => [section, shownOwn(section, settings(section, level))]),
  ) as Answer<Calls['get']>
}

export async function getConfig(actor: Actor, { types }: In<Calls['get_config']>) {
  const settings = await settingsOfPlatform(actor)
  const wanted = types?.split(',').map(Number)
  const named = { ...level, name: null }
  const sections = configSectionKeys.flatMap((section) => {
    if (wanted && !wanted.includes(configSections[section].type)) return []
    const { value } = effectiveOf(settings, section, [level])
    const own = shownOwn(section, settings(section, level))
    return [
      [
        section,
        {
          type: configSections[section].type,
          value: value === null ? null : masked(section, value),
          source: named,
          levels: [{ ...named, own }],
          result: null,
        },
      ],
    ]
  })
  const { deps } = actor
  const below = await devicesBelow(deps.db, platformPlace, configSectionKeys)
  return {
    ...Object.fromEntries(sections),
    devices: await countDevices(deps.db, below),
  } as Answer<Calls['get_config']>
}

export async function save(
  actor: Actor & WithRequest,
  input: In<Calls['save']>,
  onChanges?: OnChanges,
): Promise<ConfigSection[]> {
  const settings = await settingsOfPlatform(actor)
  const values = { ...(await sealGiven(actor, settings, [level], input)), ...resetsOf(input) }
  return write(actor, 'save', values, onChanges)
}

export const reset = (
  actor: Actor,
  { sections }: In<Calls['reset']>,
  onChanges?: OnChanges,
): Promise<ConfigSection[]> => write(actor, 'reset', resetsOf({ resets: sections ?? configSectionKeys }), onChanges)

/** Before a save, a reset or a way back: what would be something else, and for which devices of all accounts. */
export async function affected(actor: Actor, input: In<Calls['affected']>) {
  const { db } = actor.deps
  const settings = await settingsOfPlatform(actor)
  const reverted = await revertTo(db, input.change_kid, platformPlace)
  const sections = differing(settings, [level], { ...reverted, ...intended(input) })
  return devicesOf(db, [{ place: platformPlace, sections }])
}

/** Whether it takes hold of devices: then of those of all accounts, and of those that come later. */
export async function hitBy(actor: Actor, wanted: Intended): Promise<Hit> {
  const taken = holdingOf(await settingsOfPlatform(actor), [level], wanted)
  return { devices: 0, is_lasting: taken.length > 0 }
}

export const hitByRevert = async (actor: Actor, kid: string): Promise<Hit> =>
  hitBy(actor, await revertTo(actor.deps.db, kid, platformPlace))

/** Sets all sections of the kind to what they were in the version that the change made. */
export async function revert(actor: Actor, kid: string, onChanges?: OnChanges) {
  const change = await changeOf(actor.deps.db, kid, platformPlace)
  return { changed: await write(actor, 'revert', versionOf(change), onChanges), version: change.version }
}

async function write(
  { deps, user }: Actor,
  act: 'save' | 'reset' | 'revert',
  values: Record<string, unknown>,
  onChanges?: OnChanges,
) {
  return transactionThen(deps.db, (trx, after) => {
    after(() => forgetPlatformRows(deps))
    return writeSections(trx, { deps, after, user, place: platformPlace, act, values, onChanges })
  })
}
