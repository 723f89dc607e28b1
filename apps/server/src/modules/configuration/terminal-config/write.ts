import { sectionsOfType, sectionTypes } from '@mdm/contract'
import type { ConfigSection, Ltscope, ConfigAct, PlainRollout } from '@mdm/contract'
import { isEqual } from '@mdm/contract/config/equal.ts'
import type { SectionChange } from '@mdm/contract/config/lines.ts'
import { configSections, holdingSections } from '@mdm/contract/config/sections.ts'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { lockAccount } from '../../../db/lock-account.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { newKid } from '../../../lib/ids.ts'
import { refuse } from '../../../refusal.ts'
import { wakePushes } from '../../push/push-task/index.ts'
import { devicesBelow, countDevices } from './affected.ts'
import type { Section } from './affected.ts'
import { atPlace } from './config-places.ts'
import type { WritePlace } from './config-places.ts'
import { markDevices, publishChange, queueDelivery } from './delivery-queue.ts'
import { withWindowOfNow } from './named-window.ts'
import { pushInSteps } from './staged-change.ts'

type Db = Kysely<Tables>
export type Values = Partial<Record<ConfigSection, unknown>>
export type Writing = {
  deps: Deps
  /** Runs after the commit. */
  after(effect: () => void): void
  user: { kid: string; name: string }
  /** The API token that it is made with. */
  token_kid?: string | null
  place: WritePlace
  act: ConfigAct
  /** What each section becomes, as it is stored; null resets it. Made in the transaction, from what is set there. */
  values: Record<string, unknown>
  name?: string | undefined
  description?: string | undefined
  /** Devices get it in steps, where there is more than one. */
  rollout?: PlainRollout | undefined
  /** Devices that it takes hold of get it once a second user has approved its push. */
  asks_approval?: boolean
  /** The caller holds the row of a push, for which reports of devices wait: devices are marked in the background only. */
  is_brief?: boolean
  /** Hears, after the commit, what each section was and became. */
  onChanges?: OnChanges | undefined
}
export type OnChanges = (changes: readonly SectionChange[]) => void
const versions_kept = 100
/** Of a change that only waits for its approval. */
const one_step: PlainRollout = { steps: [{ percent: 100 }], success_percent: 0, error_percent: 100 }

/** One at a time for an account, and for the platform. */
const lock = (trx: Db, account_kid: string | null): Promise<unknown> =>
  account_kid === null
    ? sql`SELECT pg_advisory_xact_lock(hashtext('platform configuration'))`.execute(trx)
    : lockAccount(trx, account_kid)

/**
 * Writes sections of one place: the settings, a version of each configuration that changed, and its delivery. Answers with the
 * sections that became something else.
 */
export async function writeSections(trx: Db, writing: Writing): Promise<ConfigSection[]> {
  const { deps, after, user, place, act, name, description } = writing
  await lock(trx, place.account_kid)
  // What held before holds again: a maintenance window as it is, not as it was.
  const values = act === 'revert' ? await withWindowOfNow(trx, writing.values) : writing.values
  const now = deps.clock.now()
  const by = { updated_by_kid: user.kid, updated_by: user.name, updated_at: now }
  const set = await trx.selectFrom('terminal_config').select(['section', 'value']).where(atPlace(place)).execute()
  const before: Values = Object.fromEntries(set.map(({ section, value }) => [section, value]))
  const changed: ConfigSection[] = []
  for (const type of sectionTypes) {
    const mine = sectionsOfType(type)
    const given = mine.filter((section) => values[section] !== undefined)
    if (given.length === 0) continue
    const differ = given.filter((section) => !isEqual(before[section] ?? null, values[section]))
    const was = pick(before, mine)
    const now_set: Values = { ...was }
    for (const section of differ) {
      if (values[section] === null) delete now_set[section]
      else now_set[section] = values[section]
    }
    const head = await writeHead(
      trx,
      { place, type, now, by, count: Object.keys(now_set).length, name, description },
      differ.length > 0,
    )
    if (differ.length === 0 || !head) continue
    await assertNotInSteps(trx, head.kid)
    changed.push(...differ)
    for (const section of differ) await writeRow(trx, place, section, values[section], by)
    const changes = differ.map((section) => ({ section, before: was[section], after: now_set[section] }))
    after(() => writing.onChanges?.(changes))
    await writeChange(trx, writing, now, { head, type, sections: differ, before: was, after: now_set })
  }
  after(() => publishChange(deps, place))
  return changed
}

type Version = { head: Head; type: number; sections: ConfigSection[]; before: Values; after: Values }
/** A version of a configuration, and its delivery: at once, or in steps, which are a push of kind `configuration`. */
async function writeChange(trx: Db, writing: Writing, now: Date, version: Version): Promise<void> {
  const { deps, after, user, token_kid = null, place, act, rollout, asks_approval = false, is_brief } = writing
  const { head, type, sections } = version
  const { account_kid } = place
  const below = await devicesBelow(trx, place, sections)
  const devices = await countDevices(trx, below)
  const needs_approval = asks_approval && devices > 0 && sections.some((section) => holdingSections.includes(section))
  const is_staged = below !== null && account_kid !== null && (needs_approval || (rollout !== undefined && devices > 1))
  const change = {
    kid: newKid(),
    configuration_kid: head.kid,
    ...place,
    ltscope: place.ltscope as Ltscope,
    profile_kid: place.profile_kid ?? null,
    type,
    version: head.version,
    act,
    sections,
    before: JSON.stringify(version.before),
    after: JSON.stringify(version.after),
    devices,
    is_staged,
    created_by_kid: user.kid,
    created_by: user.name,
    created_by_token_kid: token_kid,
    created_at: now,
  }
  await trx.insertInto('configuration_change').values(change).execute()
  if (is_staged) {
    const by = { deps, account_kid, user, token_kid }
    const push_task_kid = await pushInSteps(trx, by, change, { rollout: rollout ?? one_step, needs_approval, devices })
    after(() => {
      deps.live.publish(account_kid, { type: 'push_task', kid: push_task_kid })
      wakePushes(deps)
    })
  } else {
    const change_of = { place, sections, change_kid: change.kid }
    await (is_brief ? queueDelivery : markDevices)(trx, change_of, now)
  }
  await trx
    .deleteFrom('configuration_change')
    .where('configuration_kid', '=', head.kid)
    .where('version', '<=', head.version - versions_kept)
    .execute()
}

/** While a change goes out in steps its configuration takes no other: aborting it would take that back too. @throws `config_in_steps` */
async function assertNotInSteps(trx: Db, configuration_kid: string): Promise<void> {
  const staged = await trx
    .selectFrom('configuration_change')
    .select('kid')
    .where('configuration_kid', '=', configuration_kid)
    .where('is_staged', '=', true)
    .executeTakeFirst()
  if (staged) refuse('config_in_steps')
}

const pick = (values: Values, sections: readonly ConfigSection[]): Values =>
  Object.fromEntries(sections.flatMap((section) => (section in values ? [[section, values[section]]] : [])))

type By = { updated_by_kid: string; updated_by: string; updated_by_token_kid?: string | null; updated_at: Date }
type Head = { kid: string; version: number }
type NewHead = {
  place: WritePlace
  type: number
  now: Date
  by: By
  count: number
  name?: string | undefined
  description?: string | undefined
}
/** The configuration of a kind at a place, a version further where it changed. Undefined where there is none and none is due. */
async function writeHead(
  trx: Db,
  { place, type, now, by, count, name, description }: NewHead,
  is_changed: boolean,
): Promise<Head | undefined> {
  const known = await trx
    .selectFrom('configuration')
    .select(['kid', 'version'])
    .where(atPlace(place))
    .where('type', '=', type)
    .executeTakeFirst()
  if (!known && !is_changed) return undefined
  const about = { ...(name !== undefined && { name }), ...(description !== undefined && { description }) }
  if (known) {
    const version = known.version + (is_changed ? 1 : 0)
    if (is_changed || Object.keys(about).length > 0)
      await trx
        .updateTable('configuration')
        .set({ ...about, ...by, version, section_count: count })
        .where('kid', '=', known.kid)
        .execute()
    return { kid: known.kid, version }
  }
  const kid = newKid()
  await trx
    .insertInto('configuration')
    .values({
      kid,
      ...place,
      ltscope: place.ltscope as Ltscope,
      type,
      ...about,
      version: 1,
      section_count: count,
      created_at: now,
      ...by,
    })
    .execute()
  return { kid, version: 1 }
}

/**
 * Sets a section that has no versions at a place; null takes it away. Where that is something else than before, the devices below
 * are queued. Whether anything was set there.
 */
export async function writeSetting(
  trx: Db,
  place: WritePlace,
  section: Section,
  value: unknown,
  by: By,
): Promise<boolean> {
  const before = await trx
    .selectFrom('terminal_config')
    .select('value')
    .where(atPlace(place))
    .where('section', '=', section)
    .executeTakeFirst()
  await writeRow(trx, place, section, value, by)
  if (!isEqual(before?.value ?? null, value)) await queueDelivery(trx, { place, sections: [section] }, by.updated_at)
  return before !== undefined
}

/** The only statements that write rows of `terminal_config` are here and in `dropSettings`. */
async function writeRow(trx: Db, place: WritePlace, section: Section, value: unknown, by: By): Promise<void> {
  if (value === null) {
    await trx.deleteFrom('terminal_config').where(atPlace(place)).where('section', '=', section).execute()
    return
  }
  const change = { value: JSON.stringify(value), ...by }
  const done = await trx
    .updateTable('terminal_config')
    .set(change)
    .where(atPlace(place))
    .where('section', '=', section)
    .executeTakeFirst()
  if (done.numUpdatedRows > 0n) return
  await trx
    .insertInto('terminal_config')
    .values({ kid: newKid(), section, ...place, ltscope: place.ltscope as Ltscope, ...change })
    .execute()
}

type Setting = { section: Section; value: object }
const isSetTo = ({ section, value }: Setting, account_kid: string) =>
  sql<boolean>`account_kid = ${account_kid} AND section = ${section} AND value = ${JSON.stringify(value)}::jsonb`

/** Queues the devices below every place of an account where a section is exactly this, which has changed itself. */
export async function queueWhereSet(trx: Db, account_kid: string, setting: Setting, now: Date): Promise<WritePlace[]> {
  const places = await trx
    .selectFrom('terminal_config')
    .select(['account_kid', 'ltscope', 'terminal_group_kid', 'profile_kid', 'terminal_kid'])
    .where(isSetTo(setting, account_kid))
    .execute()
  for (const place of places) await queueDelivery(trx, { place, sections: [setting.section] }, now)
  return places
}

/** Takes a section of an account away wherever it is exactly this: what is set above holds there again. */
export async function dropSettings(trx: Db, account_kid: string, setting: Setting, now: Date): Promise<WritePlace[]> {
  const places = await queueWhereSet(trx, account_kid, setting, now)
  await trx.deleteFrom('terminal_config').where(isSetTo(setting, account_kid)).execute()
  return places
}

/** Per cent of the sections of a kind that are set. */
export const completenessOf = (type: number, section_count: number): number => {
  const sections = Object.values(configSections).filter((section) => section.type === type).length
  return sections === 0 ? 0 : Math.round((section_count / sections) * 100)
}
