import { ltscopes, sectionsOfType, configStates } from '@mdm/contract'
import type { ConfigSection, Contract, In } from '@mdm/contract'
import { masked } from '@mdm/contract/config/sections.ts'
import { sql } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { containing, readPage } from '../../../db/paging.ts'
import { refuse } from '../../../refusal.ts'
import { devicesBelow, withinVisibleGroups, countDevices } from './affected.ts'
import { resolvePlace, writePlace } from './config-places.ts'
import { isWaiting } from './delivery.ts'
import { effectiveOf, settingsFor } from './levels.ts'
import { stepHasReached } from './staged-change.ts'
import { completenessOf } from './write.ts'

type Calls = Contract['terminalConfig']['calls']

/** The reader of an account's configurations or, across all accounts, of the platform's. */
export type Reader = Pick<Actor, 'scope' | 'visible_groups'> & { is_platform?: true }

/** Rows of a table of configurations with what their places are called, as far as the user reaches. */
const placed = ({ scope, visible_groups, is_platform }: Reader, table: 'configuration' | 'configuration_change') =>
  scope
    .selectFrom(`${table as 'configuration_change'} as c`)
    .leftJoin('terminal_group as g', 'g.kid', 'c.terminal_group_kid')
    .leftJoin('config_profile as p', 'p.kid', 'c.profile_kid')
    .leftJoin('terminal as t', 't.kid', 'c.terminal_kid')
    .where((eb) =>
      is_platform
        ? eb('c.ltscope', '=', ltscopes.platform)
        : eb.or([
            eb('c.ltscope', '=', ltscopes.account),
            visible_groups
              ? sql<boolean>`COALESCE(c.terminal_group_kid = ANY(${[...visible_groups]}::uuid[]), false)`
              : eb('g.kid', 'is not', null),
            eb('p.kid', 'is not', null),
            eb('t.kid', 'is not', null),
          ]),
    )
    .select([
      'c.kid',
      'c.type',
      'c.ltscope',
      'c.terminal_group_kid',
      'c.profile_kid',
      'c.terminal_kid',
      'c.version',
      'c.created_at',
      sql<string | null>`COALESCE(NULLIF(t.name, ''), t.sn, p.name, g.name)`.as('place_name'),
    ])

/** Of `configuration`. */
const aboutColumns = [
  sql<string>`c.name`.as('name'),
  sql<string>`c.description`.as('description'),
  sql<number>`c.section_count`.as('section_count'),
  sql<Date>`c.updated_at`.as('updated_at'),
  sql<string>`c.updated_by`.as('updated_by'),
] as const

export async function paging(actor: Actor, input: In<Calls['paging']>) {
  const { text, types, ltscope, terminal_group_kid, state } = input
  const waiting_for = changesWaiting(actor).whereRef('h.configuration_kid', '=', sql.ref('c.kid')).select('h.kid')
  const page = await readPage({
    query: placed(actor, 'configuration')
      .$if(state !== undefined, (q) =>
        q.where(sql<number>`c.section_count`, state === configStates.not_configured ? '=' : '>', 0),
      )
      .$if(state === configStates.modify, (q) => q.where((eb) => eb.exists(waiting_for)))
      .$if(state === configStates.modified, (q) => q.where((eb) => eb.not(eb.exists(waiting_for))))
      .select(aboutColumns)
      .$if(Boolean(text), (q) =>
        q.where(
          sql<boolean>`(lower(c.name) LIKE ${containing(text!)} OR lower(COALESCE(NULLIF(t.name, ''), t.sn, p.name, g.name, '')) LIKE ${containing(text!)})`,
        ),
      )
      .$if(types !== undefined && types.length > 0, (q) => q.where('c.type', 'in', types!))
      .$if(ltscope !== undefined, (q) => q.where('c.ltscope', '=', ltscope as never))
      .$if(terminal_group_kid !== undefined, (q) => q.where('c.terminal_group_kid', '=', terminal_group_kid!)),
    input,
    columns: {
      updated_at: { ref: sql`c.updated_at`, order: 'desc' },
      created_at: { ref: sql`c.created_at`, order: 'desc' },
      name: { ref: sql`lower(c.name)` },
      version: { ref: sql`c.version`, order: 'desc' },
    },
    key: sql`c.kid`,
  })
  const waiting = await waitingOf(actor, page.items)
  return { ...page, items: page.items.map((row) => shown(row, waiting)) }
}

type Row = { kid: string; type: number; section_count: number }
const shown = <R extends Row>({ section_count, ...row }: R, waiting: ReadonlySet<string>) => ({
  ...row,
  sections_set: section_count,
  sections_total: sectionsOfType(row.type).length,
  completeness: completenessOf(row.type, section_count),
  state:
    section_count === 0
      ? configStates.not_configured
      : waiting.has(row.kid)
        ? configStates.modify
        : configStates.modified,
})

/** Configurations of which a device that their newest change reached has not confirmed it yet. */
async function waitingOf(actor: Actor, rows: readonly { kid: string }[]): Promise<Set<string>> {
  if (rows.length === 0) return new Set()
  const found = await changesWaiting(actor)
    .select('h.configuration_kid')
    .distinct()
    .where(
      'h.configuration_kid',
      'in',
      rows.map(({ kid }) => kid),
    )
    .execute()
  return new Set(found.map(({ configuration_kid }) => configuration_kid))
}

/** The scope itself leaves out what is beyond their groups. */
const mine = ({ scope }: Reader) => scope.selectFrom('terminal').select('terminal.kid')

/** What devices `d` were told last, and hold; of who is limited to groups, those there. */
const deliveries = (reader: Reader) =>
  reader.scope
    .selectFrom('terminal_config_delivery as d')
    .innerJoin('terminal_state as s', 's.terminal_kid', 'd.terminal_kid')
    .$if(reader.visible_groups !== undefined, (q) => q.where('d.terminal_kid', 'in', mine(reader)))

/** Changes `h` that devices still wait for, or have not confirmed. */
const changesWaiting = (reader: Reader) =>
  reader.scope
    .selectFrom('configuration_change as h')
    .where((eb) =>
      eb.or([
        eb.exists(eb.selectFrom('terminal_config_queue as w').whereRef('w.change_kid', '=', 'h.kid').select('w.kid')),
        eb('h.is_staged', '=', true),
        eb.exists(
          deliveries(reader).whereRef('d.change_kid', '=', sql.ref('h.kid')).where(isWaiting).select('d.terminal_kid'),
        ),
      ]),
    )

export async function changePaging(actor: Reader, input: In<Calls['change_paging']>) {
  const { types, ltscope, terminal_group_kid, profile_kid, terminal_kid } = input
  const page = await readPage({
    query: changesOf(actor)
      .$if(types !== undefined && types.length > 0, (q) => q.where('c.type', 'in', types!))
      .$if(ltscope !== undefined, (q) => q.where('c.ltscope', '=', ltscope as never))
      .$if(terminal_group_kid !== undefined, (q) => q.where('c.terminal_group_kid', '=', terminal_group_kid!))
      .$if(profile_kid !== undefined, (q) => q.where('c.profile_kid', '=', profile_kid!))
      .$if(terminal_kid !== undefined, (q) => q.where('c.terminal_kid', '=', terminal_kid!)),
    input,
    columns: { created_at: { ref: sql`c.created_at`, order: 'desc' } },
    key: sql`c.kid`,
  })
  return { ...page, items: await withProgress(actor, page.items) }
}

const changeColumns = [
  sql<string>`c.act`.$castTo<'save' | 'reset' | 'copy' | 'revert'>().as('act'),
  sql<string[]>`c.sections`.as('sections'),
  sql<number>`c.devices`.as('devices'),
  sql<boolean>`c.is_staged`.as('is_in_steps'),
  sql<string | null>`c.push_task_kid::text`.as('push_task_kid'),
  sql<string>`c.created_by`.as('created_by'),
  sql<string>`c.configuration_kid::text`.as('configuration_kid'),
] as const

const changesOf = (reader: Reader) =>
  placed(reader, 'configuration_change')
    .select(changeColumns)
    .select((eb) => [
      eb
        .exists(eb.selectFrom('terminal_config_queue as w').whereRef('w.change_kid', '=', 'c.kid').select('w.kid'))
        .$castTo<boolean>()
        .as('is_queuing'),
      eb
        .selectFrom('push_task as k')
        .whereRef('k.kid', '=', 'c.push_task_kid')
        .select('k.list_kid')
        .as('push_list_kid'),
    ])

type Change = {
  kid: string
  ltscope: number
  version: number
  devices: number
  is_queuing: boolean
  is_in_steps: boolean
  push_task_kid: string | null
  push_list_kid: string | null
  configuration_kid: string
}
const none = '00000000-0000-0000-0000-000000000000'

/**
 * The progress of devices with each change. A user who is limited to groups gets that of the devices there: of a change of the whole
 * account those whose newest change it is, and those whose step has not begun.
 */
async function withProgress<C extends Change>(reader: Reader, changes: readonly C[]) {
  const { scope, visible_groups } = reader
  if (changes.length === 0) return []
  const counts = await deliveries(reader)
    .select((eb) => [
      'd.change_kid',
      eb.fn.countAll<number>().as('reached'),
      sql<number>`(count(*) FILTER (WHERE ${isWaiting}))::int`.as('waiting'),
    ])
    .where(
      'd.change_kid',
      'in',
      changes.map(({ kid }) => kid),
    )
    .groupBy('d.change_kid')
    .execute()
  const failures = await deliveries(reader)
    .innerJoin('terminal_config_result as r', 'r.terminal_kid', 'd.terminal_kid')
    .select((eb) => ['d.change_kid', eb.fn.count<number>('d.terminal_kid').distinct().as('failed')])
    .where(
      'd.change_kid',
      'in',
      changes.map(({ kid }) => kid),
    )
    .where('r.outcome', '<>', 'applied')
    .where(sql<boolean>`NOT ${isWaiting}`)
    .groupBy('d.change_kid')
    .execute()
  const pushes = changes.flatMap(({ is_in_steps, push_task_kid }) =>
    is_in_steps && push_task_kid ? push_task_kid : [],
  )
  const given = await scope
    .selectFrom('push_task_terminal as p')
    .select((eb) => ['p.push_task_kid', eb.fn.countAll<number>().as('devices')])
    .where('p.push_task_kid', 'in', pushes.length > 0 ? pushes : [none])
    .where(stepHasReached)
    .$if(visible_groups !== undefined, (q) => q.where('p.terminal_kid', 'in', mine(reader)))
    .groupBy('p.push_task_kid')
    .execute()
  const listedBy = visible_groups ? await listedOf(reader, changes) : undefined
  const givenBy = new Map(given.map((row) => [row.push_task_kid, Number(row.devices)]))
  const configurations = await scope
    .selectFrom('configuration')
    .select(['kid', 'name', 'version'])
    .where(
      'kid',
      'in',
      changes.map(({ configuration_kid }) => configuration_kid),
    )
    .execute()
  const by = new Map(counts.map((row) => [row.change_kid, row]))
  const failedBy = new Map(failures.map((row) => [row.change_kid, Number(row.failed)]))
  const configurationBy = new Map(configurations.map((row) => [row.kid, row]))
  return changes.map(({ devices: of_all, is_queuing, configuration_kid, push_list_kid, ...change }) => {
    const reached = Number(by.get(change.kid)?.reached ?? 0)
    const waiting = Number(by.get(change.kid)?.waiting ?? 0)
    const failed = failedBy.get(change.kid) ?? 0
    const { is_in_steps, push_task_kid, ltscope } = change
    const in_steps = listedBy ? (listedBy.get(push_list_kid ?? '') ?? 0) : of_all
    const held = is_in_steps ? Math.max(0, in_steps - (givenBy.get(push_task_kid ?? '') ?? 0)) : 0
    // All devices of a change to one of their groups were theirs.
    const devices = visible_groups && ltscope === ltscopes.account ? reached + held : of_all
    const superseded = is_queuing ? 0 : Math.max(0, devices - reached - held)
    return {
      ...change,
      name: configurationBy.get(configuration_kid)?.name ?? '',
      is_newest: configurationBy.get(configuration_kid)?.version === change.version,
      progress: {
        devices,
        applied: Math.max(0, reached - waiting - failed),
        waiting,
        failed,
        superseded,
        held,
        is_queuing,
      },
    }
  })
}

/** Devices within reach that changes in steps are for. */
async function listedOf(reader: Reader, changes: readonly Change[]): Promise<ReadonlyMap<string, number>> {
  const lists = changes.flatMap(({ is_in_steps, push_list_kid }) => (is_in_steps && push_list_kid) || [])
  if (lists.length === 0) return new Map()
  const rows = await reader.scope
    .selectFrom('push_list_terminal as l')
    .select((eb) => ['l.push_list_kid', eb.fn.countAll<number>().as('devices')])
    .where('l.push_list_kid', 'in', lists)
    .where('l.reason', 'is', null)
    .where('l.terminal_kid', 'in', mine(reader))
    .groupBy('l.push_list_kid')
    .execute()
  return new Map(rows.map(({ push_list_kid, devices }) => [push_list_kid, Number(devices)]))
}

export async function changeGet(actor: Reader, kid: string) {
  const row = await changesOf(actor).where('c.kid', '=', kid).executeTakeFirst()
  if (!row) return refuse('not_found')
  const { before, after } = await actor.scope
    .selectFrom('configuration_change')
    .select(['before', 'after'])
    .where('kid', '=', kid)
    .executeTakeFirstOrThrow()
  const [change] = await withProgress(actor, [row])
  return { ...change!, before: maskedAll(before), after: maskedAll(after) }
}

const maskedAll = (values: Partial<Record<ConfigSection, unknown>>) =>
  Object.fromEntries(
    Object.entries(values).map(([section, value]) => [section, masked(section as ConfigSection, value) as never]),
  )

/** What stands beside the sections of one kind at one place. */
export async function otherInfo(actor: Actor, input: In<Calls['other_info']>) {
  const { type, terminal_kid, terminal_group_kid, profile_kid } = input
  const ltscope = terminal_kid
    ? ltscopes.terminal
    : profile_kid
      ? ltscopes.profile
      : terminal_group_kid
        ? ltscopes.group
        : ltscopes.account
  const place = { ltscope, terminal_kid, terminal_group_kid, profile_kid }
  const levels = await resolvePlace(actor, place)
  const settings = await settingsFor(actor, terminal_kid ?? null)
  const found = await placed(actor, 'configuration')
    .select(aboutColumns)
    .where('c.type', '=', type)
    .where('c.ltscope', '=', ltscope)
    .$if(terminal_kid !== undefined, (q) => q.where('c.terminal_kid', '=', terminal_kid!))
    .$if(terminal_group_kid !== undefined, (q) => q.where('c.terminal_group_kid', '=', terminal_group_kid!))
    .$if(profile_kid !== undefined, (q) => q.where('c.profile_kid', '=', profile_kid!))
    .executeTakeFirst()
  const sections = sectionsOfType(type)
  const sources = sections.map((section) => effectiveOf(settings, section, levels.slice(0, -1)).source)
  const above = levels
    .slice(1, -1)
    .toReversed()
    .find((level) => sources.some((source) => source.ltscope === level.ltscope && source.kid === level.kid))
  const below = await devicesBelow(actor.deps.db, writePlace(actor.account_kid, place), sections)
  return {
    configuration: found ? shown(found, await waitingOf(actor, [found])) : null,
    inherits_from: above ?? null,
    devices: await countDevices(actor.deps.db, below && withinVisibleGroups(below, actor.visible_groups)),
  }
}
