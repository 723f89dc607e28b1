import { configSectionKeys } from '@mdm/contract'
import type { ConfigSection, Contract, In } from '@mdm/contract'
import type { Actor } from '../../../actor.ts'
import { transactionThen } from '../../../db/after-commit.ts'
import type { ActorWith } from '../../../http/context.ts'
import { refuse } from '../../../refusal.ts'
import type { WithRequest } from '../../../workers/service.ts'
import { copied, targetsOf } from './affected.ts'
import { writePlace, writable, changeOf, versionOf, placeOf } from './config-places.ts'
import type { Place } from './config-places.ts'
import { publishChange } from './delivery-queue.ts'
import { sealGiven } from './given.ts'
import { settingsFor } from './levels.ts'
import { writeSections } from './write.ts'
import type { OnChanges } from './write.ts'

type Calls = Contract['terminalConfig']['calls']

/** What is given and what is reset becomes one value per section, null of those that are reset. */
export const resetsOf = ({ resets }: { resets?: readonly string[] | undefined }): Record<string, null> =>
  Object.fromEntries((resets ?? []).map((section) => [section, null]))

/** Answers with the sections that changed. With `asks_approval` what takes hold of devices waits for a second user. */
export async function save(
  actor: ActorWith<'may'> & WithRequest,
  input: In<Calls['save']>,
  asks_approval = false,
  onChanges?: OnChanges,
): Promise<ConfigSection[]> {
  const levels = await writable(actor, input)
  const settings = await settingsFor(actor, input.terminal_kid ?? null)
  const values = { ...(await sealGiven(actor, settings, levels, input)), ...resetsOf(input) }
  const { name, description, rollout } = input
  const place = writePlace(actor.account_kid, input)
  const by = { ...writerOf(actor), asks_approval, onChanges }
  return transactionThen(actor.deps.db, (trx, after) =>
    writeSections(trx, { ...by, after, place, act: 'save', values, name, description, rollout }),
  )
}

const writerOf = ({ deps, user, token_kid }: Actor) => ({ deps, user, token_kid })

export async function reset(
  actor: ActorWith<'may'>,
  input: In<Calls['reset']>,
  asks_approval = false,
  onChanges?: OnChanges,
): Promise<ConfigSection[]> {
  await writable(actor, input)
  const { deps, account_kid } = actor
  const place = writePlace(account_kid, input)
  const values = resetsOf({ resets: input.sections ?? configSectionKeys })
  return transactionThen(deps.db, (trx, after) =>
    writeSections(trx, { ...writerOf(actor), after, asks_approval, onChanges, place, act: 'reset', values }),
  )
}

/** Copies what is set at one place to others, secrets included. All of the places or none: one that is not there refuses. */
export async function copy(
  actor: ActorWith<'may'>,
  input: In<Calls['copy']>,
  asks_approval = false,
  onChanges: (place: Place) => OnChanges | undefined = () => undefined,
) {
  const { deps, account_kid } = actor
  const by = { ...writerOf(actor), asks_approval }
  const targets = targetsOf(input)
  for (const target of targets) await writable(actor, target)
  const values = await copied(actor, input)
  const sections = configSectionKeys.filter((section) => section in values)
  if (sections.length === 0) return refuse('config_to_push_missing')
  await transactionThen(deps.db, async (trx, after) => {
    for (const target of targets) {
      const place = writePlace(account_kid, target)
      await writeSections(trx, { ...by, after, onChanges: onChanges(target), place, act: 'copy', values })
    }
  })
  return { sections, places: targets.length }
}

/** The name and description of a configuration. They make no version: devices are not told of them. */
export async function update(actor: ActorWith<'may'>, { kid, ...about }: In<Calls['update']>): Promise<Place> {
  const found = await actor.scope.selectFrom('configuration').selectAll().where('kid', '=', kid).executeTakeFirst()
  if (!found) return refuse('not_found')
  const place = placeOf(found)
  await writable(actor, place)
  if (about.name !== undefined || about.description !== undefined)
    await actor.scope.updateTable('configuration').set(about).where('kid', '=', kid).execute()
  publishChange(actor.deps, writePlace(actor.account_kid, place))
  return place
}

/** Sets all sections of the kind to what they were in the version that the change made. */
export async function revert(actor: ActorWith<'may'>, kid: string, asks_approval = false, onChanges?: OnChanges) {
  const { deps, account_kid } = actor
  const change = await changeOf(actor.scope, kid)
  const place = placeOf(change)
  await writable(actor, place)
  const values = versionOf(change)
  const at = writePlace(account_kid, place)
  const changed = await transactionThen(deps.db, (trx, after) =>
    writeSections(trx, { ...writerOf(actor), after, asks_approval, onChanges, place: at, act: 'revert', values }),
  )
  return { changed, version: change.version, place }
}
