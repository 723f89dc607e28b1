import { sectionsOfType } from '@mdm/contract'
import type { ConfigSection } from '@mdm/contract'
import type { Kysely } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import type { ActorWith } from '../../../http/context.ts'
import { refuse, Refusal } from '../../../refusal.ts'
import { provideKind, cancelAll, cancelPhase } from '../../push/push-task/index.ts'
import type { Kind, Stored, Stopping } from '../../push/push-task/index.ts'
import type { Section } from './affected.ts'
import { writable, changeOf, placeOf } from './config-places.ts'
import { queueDelivery } from './delivery-queue.ts'
import { devicesOfChange, releaseStagedChange } from './staged-change.ts'
import { writeSections } from './write.ts'

type Db = Kysely<Tables>

/** A change whose steps are over goes to the devices that no step has reached. */
export async function endSteps(trx: Db, push_task_kids: readonly string[], now: Date): Promise<void> {
  const changes = await trx
    .updateTable('configuration_change')
    .set({ is_staged: false })
    .where('push_task_kid', 'in', push_task_kids)
    .where('is_staged', '=', true)
    .returningAll()
    .execute()
  for (const change of changes)
    await queueDelivery(trx, { place: change, sections: change.sections as Section[], change_kid: change.kid }, now)
}

/** The steps of a change were stopped: its level gets the former values again, for all devices. */
export async function takeBack(trx: Db, change_kid: string, { deps, user, after }: Stopping): Promise<void> {
  const change = await trx
    .updateTable('configuration_change')
    .set({ is_staged: false })
    .where('kid', '=', change_kid)
    .where('is_staged', '=', true)
    .returningAll()
    .executeTakeFirst()
  if (!change) return
  const { type, account_kid, ltscope, terminal_group_kid, profile_kid, terminal_kid } = change
  const place = { account_kid, ltscope, terminal_group_kid, profile_kid, terminal_kid }
  const before = change.before as Record<string, unknown>
  const values = Object.fromEntries(sectionsOfType(type).map((section) => [section, before[section] ?? null]))
  await writeSections(trx, { deps, user, after, place, act: 'revert', values, is_brief: true })
}

/**
 * Aborts the steps of a change, which takes it back: devices that have it already get the former values again. A user who may
 * change the level may abort its change, also for devices beyond the groups of that user.
 */
export async function abort(actor: ActorWith<'may'>, kid: string) {
  const change = await changeOf(actor.scope, kid)
  const place = placeOf(change)
  await writable(actor, place)
  const { push_task_kid, sections: changed, version } = change
  const whole = { ...actor, visible_groups: undefined }
  if (!change.is_staged || push_task_kid === null || !(await cancelPhase(whole, push_task_kid)))
    return refuse('config_not_in_steps')
  await cancelAll(whole, { push_task_kid }).catch((error: unknown) => {
    // None of its devices had a row yet, or none has anything left to do.
    if (!(error instanceof Refusal)) throw error
  })
  const [before, after] = [change.before, change.after] as Partial<Record<string, unknown>>[]
  const changes = (changed as ConfigSection[]).map((section) => ({
    section,
    before: after![section],
    after: before![section],
  }))
  return { changed: changed as ConfigSection[], changes, version, place }
}

const changeKidOf = (stored: Stored) => stored['change_kid'] as string

/** A change of a configuration that goes out in steps (decision 045). Devices get it as their configuration, not as a task. */
const configuration: Kind<'configuration'> = {
  devicesAfter: (db, stored, after, limit) => devicesOfChange(db, changeKidOf(stored), after, limit),
  deliver: releaseStagedChange,
  ended: endSteps,
  stopped: (trx, stored, by) => takeBack(trx, changeKidOf(stored), by),
  async assertRetry(stored, { trx, account_kid }) {
    const change = await trx
      .selectFrom('configuration_change as c')
      .innerJoin('push_task as k', 'k.kid', 'c.push_task_kid')
      .select('k.phase')
      .where('c.kid', '=', changeKidOf(stored))
      .where('c.account_kid', '=', account_kid)
      .executeTakeFirst()
    // What was aborted was taken back.
    if (!change || change.phase === 'canceled') refuse('config_change_aborted')
  },
}

provideKind('configuration', configuration)
