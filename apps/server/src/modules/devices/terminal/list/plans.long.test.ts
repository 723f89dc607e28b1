import { TerminalFilter } from '@mdm/contract'
import { sql } from 'kysely'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testActor } from '../../../../testing/actor.ts'
import { postgres_missing } from '../../../../testing/postgres.ts'
import type { TestDeps } from '../../../../testing/deps.ts'
import { newKid } from '../../../../lib/ids.ts'
import { insert as insertField } from '../../../fleet/custom-field/index.ts'
import { paging } from '../index.ts'
import { addAccount, openDeps } from '../../../../testing/devices.ts'

const devices = 100_000
const strangers = 10_000
const at_once = 1_000
const large = new Set(['terminal', 'terminal_state', 'terminal_config'])

/** Rows as they are in a large fleet; every value of a filter has some of them, few or many. */
async function fill(deps: TestDeps, account: string, count: number, floor: string): Promise<void> {
  // A statement has its time limit, also beside other work.
  for (let from = 1; from <= count; from += at_once) await insertRows(deps, account, from, floor)
  // Every tenth goes by rules of its own.
  await sql`
    insert into terminal_config (kid, account_kid, section, ltscope, terminal_kid, value, updated_by_kid, updated_by,
      updated_at)
    select gen_random_uuid(), account_kid, 'collection', 40, kid, '{}', account_kid, 'Someone', registered_at
    from terminal where account_kid = ${account}::uuid and right(sn, 1) = '7'
  `.execute(deps.db)
}

async function insertRows(deps: TestDeps, account: string, from: number, floor: string): Promise<void> {
  await sql`
    with added as (insert into terminal (kid, account_kid, sn, name, model, os_version, imei, claim_hash, registered_at, tags, fields)
    select gen_random_uuid(), ${account}::uuid, right(${account}, 8) || lpad(n::text, 8, '0'), 'Till ' || n % 5000,
      'Model ' || n % 20, (8 + n % 7)::text, lpad((350000000000000 + n)::text, 15, '0'), ''::bytea,
      timestamptz '2024-01-01' + n * interval '10 minutes',
      case when n % 200 = 0 then array['vip'] when n % 3 = 0 then array['lab'] else '{}' end,
      case when n % 50 = 0 then jsonb_build_object(${floor}::text, n % 100) else '{}' end
    from generate_series(${from}::int, ${from + at_once - 1}::int) n returning *)
    insert into terminal_state (terminal_kid, account_kid, is_online, last_online_at, battery_level, network_type, signal,
      network, foreground_app, fence_state)
    select kid, account_kid, h % 10 < 6, registered_at + h * interval '1 second', h % 101,
      case when h % 50 = 0 then 'mobile' else 'wifi' end, -30 - h % 60,
      jsonb_build_object('is_metered', h % 50 = 0, 'is_roaming', h % 400 = 0), case when h % 30 > 0 then 'com.acme' end,
      case when h % 17 = 0 then 'outside' when h % 17 < 6 then 'inside' end
    from (select *, hashtext(kid::text)::bigint & 65535 as h from added) t
  `.execute(deps.db)
}

// The planner's choices are PostgreSQL's: the embedded database is the same planner, slower to fill.
describe.skipIf(postgres_missing)(`the plans of the list over ${devices.toLocaleString('en')} devices`, () => {
  let deps: TestDeps
  let account: string
  let floor: string
  const statements: { text: string; values: unknown[] }[] = []
  beforeAll(async () => {
    deps = await openDeps('postgres')
    account = await addAccount(deps)
    const owner = testActor(deps, account)
    floor = (await insertField(owner, { name: 'floor', kind: 'number', choices: [] })).kid
    await fill(deps, account, devices, floor)
    await fill(deps, await addAccount(deps), strangers, newKid())
    await deps.database.vacuum()
  })
  afterAll(() => deps?.close())

  /** What the pool is asked while `run` runs. */
  async function recording(run: () => Promise<unknown>): Promise<typeof statements> {
    const { pool } = deps.database
    const connect = pool.connect.bind(pool)
    statements.length = 0
    pool.connect = (async () => {
      const client = await connect()
      const query = client.query.bind(client) as (...args: unknown[]) => unknown
      client.query = ((...args: unknown[]) => {
        if (typeof args[0] === 'string' && /^select|^with/.test(args[0]))
          statements.push({ text: args[0], values: (args[1] ?? []) as unknown[] })
        return query(...args)
      }) as pg.PoolClient['query']
      const release = client.release.bind(client)
      client.release = (error) => {
        client.query = query as pg.PoolClient['query']
        client.release = release
        release(error)
      }
      return client
    }) as pg.Pool['connect']
    try {
      await run()
      return [...statements]
    } finally {
      pool.connect = connect
    }
  }

  type Plan = { 'Node Type': string; 'Relation Name'?: string; Plans?: Plan[] }
  const scansOf = (plan: Plan): string[] => [
    ...(plan['Node Type'] === 'Seq Scan' ? [plan['Relation Name'] ?? ''] : []),
    ...(plan.Plans ?? []).flatMap(scansOf),
  ]
  async function scans(input: object) {
    const filter = TerminalFilter.parse(input)
    const viewer = testActor(deps, account)
    let total = 0
    const asked = await recording(async () => {
      const page = await paging(viewer, { page: 1, page_size: 20, ...filter })
      total = page.total
      expect(page.items.filter(({ sn, upload_roles }) => sn && upload_roles)).toHaveLength(Math.min(total, 20))
    })
    const found: string[] = []
    for (const { text, values } of asked) {
      const explained = await deps.database.pool.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
        `explain (format json) ${text}`,
        values,
      )
      found.push(...scansOf(explained.rows[0]!['QUERY PLAN'][0]!.Plan))
    }
    expect(asked.length).toBeGreaterThan(1)
    return { scanned: found.filter((table) => large.has(table)), total }
  }

  const one = (condition: object) => ({ where: { all: [condition] } })
  it.each<[string, () => object]>([
    ['online', () => ({ is_online: true })],
    ['offline', () => ({ is_online: false })],
    ['a model', () => ({ model: 'Model 3' })],
    ['a system version', () => ({ os_version: '9' })],
    ['a UID that no device has', () => ({ uid: 'NM11602S1E0ENGEN0001' })],
    ['several models', () => ({ model: ['Model 3', 'Model 4', 'Model 5'] })],
    [
      'several models and versions that are offline',
      () => ({ model: ['Model 3', 'Model 4'], os_version: ['9', '10'], is_online: false }),
    ],
    [
      'a pasted list of SNs',
      () => ({
        sns: Array.from({ length: 200 }, (_, at) => `${account.slice(-8)}${String(at * 37).padStart(8, '0')}`),
      }),
    ],
    [
      'a pasted list of SNs that are online',
      () => ({ sns: [`${account.slice(-8)}00000003`, 'nobody'], is_online: true }),
    ],
    ['a text', () => ({ text: '0004711' })],
    ['an app in front', () => ({ foreground_state: 2 })],
    ['no app in front', () => ({ foreground_state: 1 })],
    ['metered', () => ({ metered: 2 })],
    ['not metered', () => ({ metered: 1 })],
    ['roaming', () => ({ roaming: 2 })],
    ['not roaming', () => ({ roaming: 1 })],
    ['without a fence', () => ({ location_fence_status: 0 })],
    ['inside the fence', () => ({ location_fence_status: 1 })],
    ['outside the fence', () => ({ location_fence_status: 2 })],
    ['an agent of others', () => ({ agent_kind: 'mdmesh' })],
    ['our own agent', () => ({ agent_kind: 'mdm' })],
    ['what an agent does', () => ({ can: 'shutdown' })],
    ['a model and a version that are online', () => ({ model: 'Model 3', os_version: '9', is_online: true })],
    ['a narrow range of battery', () => ({ battery: { min: 5, max: 6 } })],
    ['a wide range of battery', () => ({ battery: { min: 0, max: 60 } })],
    ['a narrow range of signal', () => ({ signal: { min: -33, max: -32 } })],
    ['a wide range of signal', () => ({ signal: { min: -85, max: -40 } })],
    ['a tag that few have', () => ({ tag: 'vip' })],
    ['a tag that many have', () => ({ tag: 'lab' })],
    ['several tags', () => ({ tag: ['vip', 'lab'] })],
    ['a tag that nobody has', () => ({ tag: 'none' })],
    [
      'a field',
      () => ({
        custom_field: { field: 'custom_field', custom_field_kid: floor, op: 'between', value: { min: 0, max: 50 } },
      }),
    ],
    ['a network', () => one({ field: 'network_type', op: 'is_one_of', value: ['mobile'] })],
    ['the beginning of an SN', () => one({ field: 'sn', op: 'starts_with', value: `${account.slice(-8)}0000` })],
    ['a part of an alias', () => one({ field: 'name', op: 'contains', value: 'till 471' })],
    ['an IMEI', () => one({ field: 'imei', op: 'is', value: '350000000004711' })],
    ['last contact long ago', () => one({ field: 'last_online_at', op: 'before', value: '2024-01-20T00:00:00Z' })],
    ['registered lately', () => one({ field: 'registered_at', op: 'after', value: '2025-11-20T00:00:00Z' })],
  ])('%s: an index, no scan', async (_title, input) => {
    expect((await scans(input())).scanned).toEqual([])
  })

  it('a count stops at 10,000', async () => {
    expect((await scans({ metered: 1 })).total).toBe(10_000)
  })

  it.each(['registered_at', 'sn'] as const)('behind 10,000 of more that match, by %s, pages go on', async (sort) => {
    const viewer = testActor(deps, account)
    const pageOf = (more: object) =>
      paging(viewer, { page_size: 20, page: 1, sort, order: 'desc', ...TerminalFilter.parse({ tag: 'lab' }), ...more })
    const expected = await viewer.scope
      .selectFrom('terminal')
      .select(['kid', 'sn'])
      .where(sql<boolean>`tags && array['lab']`)
      .orderBy(sort, 'desc')
      .orderBy('kid', 'desc')
      .limit(60)
      .execute()
    const first = await pageOf({})
    const second = await pageOf({ after: first.next })
    expect(
      [...first.items, ...second.items, ...(await pageOf({ page: 3 })).items].map(({ kid, sn }) => ({ kid, sn })),
    ).toEqual(expected)
    for (const page of [first, second]) expect(page).toMatchObject({ total: 10_000, total_is_exact: false })
    const last = await pageOf({ page: 500 })
    const beyond = await pageOf({ after: last.next })
    expect(beyond.items).toHaveLength(20)
    expect(beyond.items[0]![sort] < last.items.at(-1)![sort]).toBe(true)
  })
})
