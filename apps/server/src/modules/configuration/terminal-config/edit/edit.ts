import type { ActorWith } from '../../../../http/context.ts'
import { configSectionKeys, ltscopes } from '@mdm/contract'
import type { ConfigSection, Contract, In } from '@mdm/contract'
import { refuse } from '../../../../refusal.ts'
import type { WithRequest } from '../../../../workers/service.ts'
import type { Actor } from '../../../../actor.ts'
import { transactionThen } from '../../../../db/after-commit.ts'
import { announce } from '../owe.ts'
import { readGiven } from './read-given.ts'
import { changeOf, placeOf, versionOf } from './change.ts'
import { effectiveOf } from '../levels/effective.ts'
import { resolvePlace, writePlace } from '../levels/config-places.ts'
import type { NamedLevel, Place } from '../levels/config-places.ts'
import { sealSecrets } from './secrets.ts'
import { writable } from '../service.ts'
import { settingsFor } from '../levels/settings.ts'
import { writeSections } from './write.ts'

type Calls = Contract['terminalConfig']['calls']
type Given = Partial<Record<ConfigSection, unknown>>

/** The given sections as they are stored at the last of these levels: a mask keeps the secret that holds there now. */
async function sealGiven(
  actor: Actor & WithRequest,
  levels: readonly NamedLevel[],
  terminal_kid: string | null,
  given: Given,
) {
  const { deps } = actor
  const settings = await settingsFor(actor, terminal_kid)
  const values: Given = {}
  for (const section of configSectionKeys) {
    if (given[section] === undefined) continue
    const prior = effectiveOf(settings, section, levels).value
    const read = await readGiven(actor, section, given[section], prior)
    values[section] = await sealSecrets(deps, section, read, prior)
  }
  return values
}

/** Answers with the sections that changed by it. With `asks_approval` what takes hold of devices waits for a second person. */
export async function save(
  actor: ActorWith<'may'> & WithRequest,
  input: In<Calls['save']>,
  asks_approval = false,
): Promise<ConfigSection[]> {
  const levels = await writable(actor, input)
  const values = await sealGiven(actor, levels, input.terminal_kid ?? null, input)
  const { name, description, rollout } = input
  const place = writePlace(actor.account_kid, input)
  const by = { ...writerOf(actor), asks_approval }
  return transactionThen(actor.deps.db, (trx, after) =>
    writeSections(trx, { ...by, after, place, act: 'save', values, name, description, rollout }),
  )
}

const writerOf = ({ deps, user, token_kid }: Actor) => ({ deps, user, token_kid })

export async function reset(
  actor: ActorWith<'may'>,
  input: In<Calls['reset']>,
  asks_approval = false,
): Promise<ConfigSection[]> {
  await writable(actor, input)
  const { deps, account_kid } = actor
  const place = writePlace(account_kid, input)
  const values = Object.fromEntries((input.sections ?? configSectionKeys).map((section) => [section, null]))
  return transactionThen(deps.db, (trx, after) =>
    writeSections(trx, { ...writerOf(actor), after, asks_approval, place, act: 'reset', values }),
  )
}

/** Copies what is set at one place to others, secrets included. All of the places or none: one that is not there refuses. */
export async function copy(actor: ActorWith<'may'>, input: In<Calls['copy']>, asks_approval = false) {
  const { deps, account_kid } = actor
  const by = { ...writerOf(actor), asks_approval }
  const targets = targetsOf(input)
  for (const target of targets) await writable(actor, target)
  const values = await copied(actor, input)
  const sections = configSectionKeys.filter((section) => section in values)
  if (sections.length === 0) return refuse('config_to_push_missing')
  await transactionThen(deps.db, async (trx, after) => {
    for (const target of targets)
      await writeSections(trx, { ...by, after, place: writePlace(account_kid, target), act: 'copy', values })
  })
  return { sections, places: targets.length }
}

/** What is set at the place itself, as it is stored, of the sections that are asked for. */
export async function copied(actor: Actor, input: In<Calls['copy']>): Promise<Given> {
  const level = (await resolvePlace(actor, input)).at(-1)!
  const settings = await settingsFor(actor, input.terminal_kid ?? null)
  return Object.fromEntries(
    (input.sections ?? configSectionKeys).flatMap((section) => {
      const own = settings(section, level)
      return own ? [[section, own.value]] : []
    }),
  )
}

export const targetsOf = ({ terminal_group_kids, terminal_kids }: In<Calls['copy']>): Place[] => [
  ...[...new Set(terminal_group_kids)].map((kid) => ({ ltscope: ltscopes.group, terminal_group_kid: kid })),
  ...[...new Set(terminal_kids)].map((kid) => ({ ltscope: ltscopes.terminal, terminal_kid: kid })),
]

/** What people call a configuration, and why it is there. No version: nothing of it is told to devices. */
export async function update(actor: ActorWith<'may'>, { kid, ...about }: In<Calls['update']>): Promise<Place> {
  const found = await actor.scope.selectFrom('configuration').selectAll().where('kid', '=', kid).executeTakeFirst()
  if (!found) return refuse('not_found')
  const place = placeOf(found)
  await writable(actor, place)
  if (about.name !== undefined || about.description !== undefined)
    await actor.scope.updateTable('configuration').set(about).where('kid', '=', kid).execute()
  announce(actor.deps, writePlace(actor.account_kid, place))
  return place
}

/** Sets all sections of the kind to what they were in the version that the change made. */
export async function revert(actor: ActorWith<'may'>, kid: string, asks_approval = false) {
  const { deps, account_kid } = actor
  const change = await changeOf(actor.scope, kid)
  const place = placeOf(change)
  await writable(actor, place)
  const values = versionOf(change)
  const at = writePlace(account_kid, place)
  const changed = await transactionThen(deps.db, (trx, after) =>
    writeSections(trx, { ...writerOf(actor), after, asks_approval, place: at, act: 'revert', values }),
  )
  return { changed, version: change.version, place }
}
