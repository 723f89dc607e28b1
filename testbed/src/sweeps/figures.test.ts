import { configStates, configTypes, ltscopes } from '@mdm/contract'
import { newKid } from '@mdm/server/lib/ids.ts'
import { addTerminal } from '@mdm/server/testing/devices.ts'
import { testHttpServer } from '@mdm/server/testing/http-server.ts'
import type { TestHttpServer } from '@mdm/server/testing/http-server.ts'
import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { caller } from '../caller.ts'
import type { Caller } from '../caller.ts'
import { even, makeFigureRows, third } from './figure-rows.ts'

/**
 * Every figure about devices, as somebody who is limited to one group is told it, and as somebody who is not: each is what
 * counting the rows of their devices gives.
 */
let o: TestHttpServer
let limited: Caller
let whole: Caller
let things: Things
/** Devices by whom they are of: three in the group, five in another, two in none. */
const kids: { limited: string[]; whole: string[] } = { limited: [], whole: [] }
type Things = Awaited<ReturnType<typeof makeFigureRows>>

beforeAll(async () => {
  o = await testHttpServer()
  const { db, clock } = o.deps
  const root = await o.person(['*'])
  const { account_kid } = root
  const groups = await Promise.all(
    ['Near', 'Far'].map(async (name) => {
      const kid = newKid()
      await db.insertInto('terminal_group').values({ kid, account_kid, parent_kid: null, name, depth: 1 }).execute()
      return kid
    }),
  )
  const [near, far] = groups as [string, string]
  const person = await o.person(['*'], { account_kid, groups: [near] })
  for (let n = 0; n < 10; n++) {
    const terminal_group_kid = n < 3 ? near : n < 8 ? far : null
    const kid = await addTerminal(
      o.deps,
      account_kid,
      {
        terminal_group_kid,
        model: even(n) ? 'M2' : 'M1',
        quarantined_until: even(n) ? new Date(clock.now().getTime() + 3_600_000) : null,
      },
      { is_online: even(n), battery_level: third(n) ? 5 : 90 },
    )
    kids.whole.push(kid)
    if (n < 3) kids.limited.push(kid)
  }
  things = await makeFigureRows(o.deps, { account_kid, maker_kid: person.user_kid, kids: kids.whole })
  limited = caller(o.url, { token: person.token })
  whole = caller(o.url, { token: root.token })
})
afterAll(async () => {
  expect(o.internal_errors).toEqual([])
  await o.close()
})

/** Devices `t`, with their state `s`. */
type Which = RawBuilder<unknown>
const all: Which = sql`true`
const online: Which = sql`s.is_online`
const waiting: Which = sql`s.config_version IS NULL`
const about = (table: string, condition: Which): Which =>
  sql`EXISTS (SELECT FROM ${sql.table(table)} r WHERE r.terminal_kid = t.kid AND ${condition})`
const pushed = (state: string): Which => about('push_task_terminal', sql`r.state = ${state}`)
const notObeyed: Which = sql`NOT ${waiting} AND ${about('terminal_config_result', sql`r.outcome = 'failed'`)}`
const obeyed: Which = sql`NOT ${waiting} AND NOT ${about('terminal_config_result', sql`r.outcome = 'failed'`)}`
const leftOut: Which = about('push_list_terminal', sql`r.reason IS NOT NULL`)
const heldBack: Which = sql`NOT ${leftOut} AND ${about('push_task_terminal', sql`r.sent_at IS NULL`)}`
const behind: Which = about('terminal_app', sql`r.version_code < 2`)

async function count(of: readonly string[], which: Which): Promise<number> {
  const { rows } = await sql<{ n: number }>`SELECT count(*)::int AS n FROM terminal t
    JOIN terminal_state s ON s.terminal_kid = t.kid WHERE t.kid = ANY(${of}::uuid[]) AND (${which})`.execute(o.deps.db)
  return rows[0]!.n
}

const page = { page: 1, page_size: 50 }
const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0)
type Figures = Record<string, number | undefined>
const figures: [call: string, ask: (by: Caller) => Promise<Figures>, counted: Record<string, Which>][] = [
  [
    'terminal/facets',
    async (by) => {
      const { total, online: now, model_shares } = await by.terminal.facets({ with_shares: true })
      return { total, online: now, model: model_shares?.top.find(({ value }) => value === 'M2')?.count }
    },
    { total: all, online, model: sql`t.model = 'M2'` },
  ],
  [
    'terminal/list_online',
    async (by) => {
      const { points } = await by.terminal.list_online({})
      return { before: points[0]!.online, now: points.at(-1)!.online }
    },
    { before: online, now: online },
  ],
  [
    'terminal/list_low_storage',
    async (by) => ({ rows: (await by.terminal.list_low_storage({})).length }),
    { rows: sql`s.storage_percent >= 90` },
  ],
  [
    'terminal/list_quarantined',
    async (by) => ({ rows: (await by.terminal.list_quarantined({})).length }),
    { rows: sql`t.quarantined_until IS NOT NULL` },
  ],
  [
    'terminal/paging',
    async (by) => ({
      total: (await by.terminal.paging(page)).total,
      online: (await by.terminal.paging({ ...page, is_online: true })).total,
    }),
    { total: all, online },
  ],
  [
    'terminal/count',
    async (by) => ({ count: (await by.terminal.count({ match: { is_online: true } })).count }),
    { count: online },
  ],
  [
    'terminal_group/list_with_child',
    async (by) => ({
      total: sum((await by.terminalGroup.list_with_child({})).map(({ total_count }) => total_count)),
    }),
    { total: sql`t.terminal_group_kid IS NOT NULL` },
  ],
  [
    'terminal_dynamic_group/list',
    async (by) => ({ count: (await by.terminalDynamicGroup.list({ with_counts: true }))[0]!.count }),
    { count: online },
  ],
  [
    'terminal_location/list',
    async (by) => ({
      total: (await by.terminalLocation.list({ bounds: { west: -180, south: -80, east: 180, north: 80 }, zoom: 2 }))
        .total,
    }),
    { total: about('terminal_position', all) },
  ],
  [
    'terminal_location/extent',
    async (by) => ({ placed: (await by.terminalLocation.extent({})).placed }),
    { placed: about('terminal_position', all) },
  ],
  [
    'electronic_fence/get',
    async (by) => {
      const { inside, outside } = await by.electronicFence.get({ kid: things.fence_kid })
      return { inside, outside }
    },
    {
      inside: about('terminal_fence', sql`r.state = 'inside'`),
      outside: about('terminal_fence', sql`r.state = 'outside'`),
    },
  ],
  [
    'alert_rule/paging',
    async (by) => {
      const { firing, waiting: soon } = (await by.alertRule.paging(page)).items[0]!
      return { firing, soon }
    },
    {
      firing: about('alert_terminal', sql`r.fired_at IS NOT NULL`),
      soon: about('alert_terminal', sql`r.fired_at IS NULL`),
    },
  ],
  [
    'alert_rule/preview',
    async (by) => ({
      total: (await by.alertRule.preview({ watch: { kind: 'battery', params: { percent: 20 } } })).total,
    }),
    { total: sql`s.battery_level <= 20` },
  ],
  [
    'alert/paging_terminal',
    async (by) => ({ total: (await by.alert.paging_terminal({ ...page, alert_kid: things.alert_kid })).total }),
    { total: about('alert_device', all) },
  ],
  ...(['get', 'paging', 'list_open'] as const).map((call): (typeof figures)[number] => [
    `alert/${call}`,
    async (by) => {
      const open = {
        get: async () => by.alert.get({ kid: things.alert_kid }),
        paging: async () => (await by.alert.paging(page)).items[0]!,
        list_open: async () => (await by.alert.list_open({})).alerts[0]!,
      }
      const { count: now, peak } = await open[call]()
      return { now, peak }
    },
    { now: about('alert_device', sql`r.cleared_at IS NULL`), peak: about('alert_device', all) },
  ]),
  [
    'app_center/installed',
    async (by) => {
      const { devices, behind: old } = await by.appCenter.installed({ kid: things.app_kid })
      return { devices, old }
    },
    { devices: about('terminal_app', all), old: behind },
  ],
  [
    'app_center/open_tasks',
    async (by) => ({ devices: (await by.appCenter.open_tasks({ kid: things.app_kid })).devices }),
    { devices: pushed('wait_receipt') },
  ],
  [
    'software/paging',
    async (by) => ({
      devices: (await by.software.paging(page)).items.find(({ version }) => version === '1')?.devices,
    }),
    { devices: behind },
  ],
  [
    'os_version/fleet',
    async (by) => ({ now: sum((await by.osVersion.fleet({})).now.map(({ devices }) => devices)) }),
    { now: all },
  ],
  [
    'push_task/paging',
    async (by) => {
      const { counts, target_count, left_out } = (await by.pushTask.paging(page)).items[0]!
      const { total, completed, failed, wait_receipt } = counts
      return { total, completed, failed, wait_receipt, target_count, left_out }
    },
    {
      total: all,
      completed: pushed('completed'),
      failed: pushed('failed'),
      wait_receipt: pushed('wait_receipt'),
      target_count: all,
      left_out: leftOut,
    },
  ],
  [
    'push_task/get',
    async (by) => {
      const { counts, plan, left_out_counts } = await by.pushTask.get({ kid: things.task_kid })
      const { total, completed, failed } = plan[0]!.counts
      return { of_all: counts.total, total, completed, failed, left_out: left_out_counts[0]!.count }
    },
    {
      of_all: all,
      total: all,
      completed: pushed('completed'),
      failed: pushed('failed'),
      left_out: leftOut,
    },
  ],
  [
    'push_task/paging_terminal',
    async (by) => ({ total: (await by.pushTask.paging_terminal({ ...page, push_task_kid: things.task_kid })).total }),
    { total: about('push_task_terminal', all) },
  ],
  [
    'push_task/paging_left_out',
    async (by) => ({ total: (await by.pushTask.paging_left_out({ ...page, push_task_kid: things.task_kid })).total }),
    { total: leftOut },
  ],
  [
    'terminal_config/get_statistical_result',
    async (by) => {
      const { total, modify, modified, failed } = await by.terminalConfig.get_statistical_result({
        type: configTypes.event,
      })
      return { total, modify, modified, failed }
    },
    { total: all, modify: waiting, modified: sql`NOT ${waiting}`, failed: notObeyed },
  ],
  [
    'terminal_config/drift',
    async (by) => ({
      failed: (await by.terminalConfig.drift({ ...page, cause: 'failed' })).total,
      absent: (await by.terminalConfig.drift({ ...page, cause: 'not_connected' })).total,
    }),
    { failed: notObeyed, absent: waiting },
  ],
  ...(['change_get', 'change_paging'] as const).map((call): (typeof figures)[number] => [
    `terminal_config/${call}`,
    async (by) => {
      const { progress } =
        call === 'change_get'
          ? await by.terminalConfig.change_get({ kid: things.change_kid })
          : (await by.terminalConfig.change_paging(page)).items[0]!
      const { devices, applied, waiting: late, failed } = progress
      return { devices, applied, late, failed }
    },
    { devices: all, applied: obeyed, late: waiting, failed: notObeyed },
  ]),
  [
    'terminal_config/change_get of one in steps',
    async (by) => {
      const { held } = (await by.terminalConfig.change_get({ kid: things.in_steps_kid })).progress
      return { held }
    },
    { held: heldBack },
  ],
  [
    'get/terminal/config/other/info',
    async (by) => ({ devices: (await by.terminalConfig.other_info({ type: configTypes.event })).devices }),
    { devices: all },
  ],
  [
    'terminal_config/affected',
    async (by) => ({
      devices: (await by.terminalConfig.affected({ ltscope: ltscopes.account, language: { locale: 'vi_VN' } })).devices,
    }),
    { devices: all },
  ],
]

describe('figures of who is limited to one group, and of who is not', () => {
  test.each(figures)('%s', async (_, ask, counted) => {
    const rowsOf = async (of: readonly string[]) =>
      Object.fromEntries(
        await Promise.all(
          Object.entries(counted).map(async ([name, which]) => [name, await count(of, which)] as const),
        ),
      )
    const [mine, everything] = [await rowsOf(kids.limited), await rowsOf(kids.whole)]
    // There are some within reach, and more beyond it.
    for (const [name, n] of Object.entries(mine)) expect(n > 0 && n < everything[name]!, name).toBe(true)
    expect(await ask(whole)).toEqual(everything)
    expect(await ask(limited)).toEqual(mine)
  })
})

test('a configuration that only devices beyond their group wait for has reached all of theirs', async () => {
  const { db } = o.deps
  const stateFor = async (by: Caller) => (await by.terminalConfig.paging(page)).items[0]!.state
  await db.updateTable('configuration_change').set({ is_staged: false }).execute()
  expect([await stateFor(limited), await stateFor(whole)]).toEqual([configStates.modify, configStates.modify])
  await db.updateTable('terminal_state').set({ config_version: 1 }).where('terminal_kid', 'in', kids.limited).execute()
  expect([await stateFor(limited), await stateFor(whole)]).toEqual([configStates.modified, configStates.modify])
})
