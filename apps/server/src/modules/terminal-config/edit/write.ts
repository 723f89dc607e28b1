import { ltscopes, sectionsOfType, sectionTypes } from '@mdm/contract'
import { configSections, holdingSections } from '@mdm/contract/config/sections.ts'
import type { ConfigAct, ConfigSection, Ltscope, PlainRollout } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { newKid } from '../../../lib/ids.ts'
import { refuse } from '../../../refusal.ts'
import { lockAccount } from '../../../db/lock-account.ts'
import { markDue, owed_at_once } from '../steps/owe.ts'
import { countDevices, devicesBelow, isEqual } from '../levels/reach.ts'
import type { WritePlace } from '../levels/reach.ts'

type Db = Kysely<Tables>
export type Values = Partial<Record<ConfigSection, unknown>>
export type Writing = {
  deps: Deps
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
  /** Devices that it takes hold of get it once a second person has approved its push. */
  asks_approval?: boolean
  /** Takes back this change, whose steps have ended with that. */
  takes_back?: string | undefined
}
const versions_kept = 100
/** Of a change that only waits for its approval. */
const one_step: PlainRollout = { steps: [{ percent: 100 }], success_percent: 0, error_percent: 100 }

/** One at a time for an account, and for the platform. */
const lock = (trx: Db, account_kid: string | null): Promise<unknown> =>
  account_kid === null
    ? sql`SELECT pg_advisory_xact_lock(hashtext('platform configuration'))`.execute(trx)
    : lockAccount(trx, account_kid)

export const atPlace = (place: WritePlace) => {
  const is = (column: string, value: string | null) =>
    value === null ? sql`${sql.ref(column)} IS NULL` : sql`${sql.ref(column)} = ${value}`
  return sql<boolean>`ltscope = ${place.ltscope} AND ${is('account_kid', place.account_kid)}
    AND ${is('terminal_group_kid', place.terminal_group_kid)} AND ${is('terminal_kid', place.terminal_kid)}`
}

/**
 * Writes sections of one place: the settings, the configurations that they belong to, a version of each that changed, and
 * what that owes to devices. Answers with the sections that are something else than before.
 */
export async function writeSections(
  trx: Db,
  { deps, user, token_kid, place, act, values, rollout, asks_approval = false, takes_back, ...about }: Writing,
): Promise<ConfigSection[]> {
  await lock(trx, place.account_kid)
  if (takes_back !== undefined) await endSteps(trx, takes_back)
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
    const after: Values = { ...was }
    for (const section of differ) {
      if (values[section] === null) delete after[section]
      else after[section] = values[section]
    }
    const head = await writeHead(
      trx,
      { place, type, now, by, count: Object.keys(after).length, ...about },
      differ.length > 0,
    )
    if (differ.length === 0 || !head) continue
    await assertNotInSteps(trx, head.kid)
    changed.push(...differ)
    for (const section of differ) await writeOne(trx, place, section, values[section], by)
    const below = await devicesBelow(trx, place, differ)
    const devices = await countDevices(trx, below)
    const kid = newKid()
    const waits = asks_approval && devices > 0 && differ.some((section) => holdingSections.includes(section))
    const is_staged = below !== null && place.account_kid !== null && (waits || (rollout !== undefined && devices > 1))
    const is_owing = !is_staged && devices > owed_at_once
    await trx
      .insertInto('configuration_change')
      .values({
        kid,
        configuration_kid: head.kid,
        ...place,
        ltscope: place.ltscope as Ltscope,
        type,
        version: head.version,
        act,
        sections: differ,
        before: JSON.stringify(was),
        after: JSON.stringify(after),
        devices,
        is_owing,
        is_staged,
        asks_approval: is_staged && waits,
        rollout: is_staged ? JSON.stringify(rollout ?? one_step) : null,
        created_by_kid: user.kid,
        created_by: user.name,
        created_by_token_kid: token_kid ?? null,
        created_at: now,
      })
      .execute()
    if (below && devices > 0 && !is_owing && !is_staged)
      await markDue(trx, { below, change_kid: kid, limit: owed_at_once })
    await trx
      .deleteFrom('configuration_change')
      .where('configuration_kid', '=', head.kid)
      .where('version', '<=', head.version - versions_kept)
      .execute()
  }
  return changed
}

/** What a change takes from a configuration whose newest one is going out in steps could not be told from it. @throws `config_in_steps` */
async function assertNotInSteps(trx: Db, configuration_kid: string): Promise<void> {
  const staged = await trx
    .selectFrom('configuration_change')
    .select('kid')
    .where('configuration_kid', '=', configuration_kid)
    .where('is_staged', '=', true)
    .executeTakeFirst()
  if (staged) refuse('config_in_steps')
}

const endSteps = (trx: Db, kid: string) =>
  trx.updateTable('configuration_change').set({ is_staged: false }).where('kid', '=', kid).execute()

const pick = (values: Values, sections: readonly ConfigSection[]): Values =>
  Object.fromEntries(sections.flatMap((section) => (section in values ? [[section, values[section]]] : [])))

type By = { updated_by_kid: string; updated_by: string; updated_at: Date }
type Head = {
  place: WritePlace
  type: number
  now: Date
  by: By
  count: number
  name?: string | undefined
  description?: string | undefined
}
/** The configuration of a kind at a place, a version further where it changed. Undefined where there is none and none is due. */
async function writeHead(trx: Db, { place, type, now, by, count, name, description }: Head, is_changed: boolean) {
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

async function writeOne(trx: Db, place: WritePlace, section: ConfigSection, value: unknown, by: By): Promise<void> {
  if (value === null)
    return void (await trx.deleteFrom('terminal_config').where(atPlace(place)).where('section', '=', section).execute())
  const change = { value: JSON.stringify(value), ...by }
  const done = await trx
    .updateTable('terminal_config')
    .set(change)
    .where(atPlace(place))
    .where('section', '=', section)
    .executeTakeFirst()
  if (done.numUpdatedRows === 0n)
    await trx
      .insertInto('terminal_config')
      .values({ kid: newKid(), section, ...place, ltscope: place.ltscope as Ltscope, ...change })
      .execute()
}

/** Per cent of the sections of a kind that are set. */
export const completenessOf = (type: number, section_count: number): number => {
  const of = Object.values(configSections).filter((section) => section.type === type).length
  return of === 0 ? 0 : Math.round((section_count / of) * 100)
}

export const platformPlace: WritePlace = {
  account_kid: null,
  ltscope: ltscopes.platform,
  terminal_group_kid: null,
  terminal_kid: null,
}
