import { configSectionKeys } from '@mdm/contract'
import { configSections, masked } from '@mdm/contract/config/sections.ts'
import type { Answer, ConfigSection, Contract, In } from '@mdm/contract'
import type { Actor } from '../../../../actor.ts'
import type { WithRequest } from '../../../../workers/service.ts'
import type { Hit } from '../../../people/brakes/index.ts'
import { differing, devicesOf, intended, wayBack } from './affected.ts'
import type { Intended } from './affected.ts'
import { holdingOf } from './hit.ts'
import { changeOf, versionOf } from './change.ts'
import { transactionThen } from '../../../../db/after-commit.ts'
import { effectiveOf, levelsOf, settingsOf } from '../levels/effective.ts'
import { forgetPlatformRows, platformRows } from '../levels/platform-rows.ts'
import { countDevices, devicesBelow } from '../levels/affected-devices.ts'
import { readGiven } from './read-given.ts'
import { sealSecrets } from './secrets.ts'
import { shownOwn } from '../service.ts'
import { platformPlace, writeSections } from './write.ts'

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

export async function save(actor: Actor & WithRequest, input: In<Calls['save']>): Promise<ConfigSection[]> {
  const { deps } = actor
  const settings = await settingsOfPlatform(actor)
  const values: Record<string, unknown> = {}
  for (const section of configSectionKeys) {
    if (input[section] === undefined) continue
    const prior = effectiveOf(settings, section, [level]).value
    const read = await readGiven(actor, section, input[section], prior)
    values[section] = await sealSecrets(deps, section, read, prior)
  }
  return write(actor, 'save', values)
}

export const reset = (actor: Actor, { sections }: In<Calls['reset']>): Promise<ConfigSection[]> =>
  write(actor, 'reset', Object.fromEntries((sections ?? configSectionKeys).map((section) => [section, null])))

/** Before a save, a reset or a way back: what would be something else, and for which devices of all accounts. */
export async function affected(actor: Actor, input: In<Calls['affected']>) {
  const { db } = actor.deps
  const settings = await settingsOfPlatform(actor)
  const back = await wayBack(db, input.change_kid, platformPlace)
  const sections = differing(settings, [level], { ...back, ...intended(input) })
  return devicesOf(db, [{ place: platformPlace, sections }])
}

/** Whether it takes hold of devices: then of those of all accounts, and of those that come later. */
export async function hitBy(actor: Actor, wanted: Intended): Promise<Hit> {
  const taken = holdingOf(await settingsOfPlatform(actor), [level], wanted)
  return { devices: 0, is_lasting: taken.length > 0 }
}

export const hitByRevert = async (actor: Actor, kid: string): Promise<Hit> =>
  hitBy(actor, await wayBack(actor.deps.db, kid, platformPlace))

/** Sets all sections of the kind to what they were in the version that the change made. */
export async function revert(actor: Actor, kid: string) {
  const change = await changeOf(actor.deps.db, kid, platformPlace)
  return { changed: await write(actor, 'revert', versionOf(change)), version: change.version }
}

async function write({ deps, user }: Actor, act: 'save' | 'reset' | 'revert', values: Record<string, unknown>) {
  return transactionThen(deps.db, (trx, after) => {
    after(() => forgetPlatformRows(deps))
    return writeSections(trx, { deps, after, user, place: platformPlace, act, values })
  })
}
