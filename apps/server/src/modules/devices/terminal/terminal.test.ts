import { contract } from '@mdm/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ensurePartitions } from '../../../jobs/partitions.ts'
import { newKid } from '../../../lib/ids.ts'
import { testActor } from '../../../testing/actor.ts'
import type { TestDeps } from '../../../testing/deps.ts'
import { insert as insertGroup } from '../../fleet/terminal-group/index.ts'
import { counts, values } from './list/facets.ts'
import * as terminals from './index.ts'
import {
  addAccount,
  addTerminal,
  announced,
  lockingDatabases,
  device,
  miscounted,
  openDeps,
  refusalOf,
} from '../../../testing/devices.ts'

const minute = 60_000

describe.each(lockingDatabases)('devices on %s', (kind) => {
  let deps: TestDeps
  beforeAll(async () => {
    deps = await openDeps(kind)
    await ensurePartitions(deps)
  })
  afterAll(() => deps?.close())

  const as = (account_kid: string, visible_groups?: string[]) => ({
    ...testActor(deps, account_kid, visible_groups),
    request: { language: 'en' } as never,
  })
  const group = async (account_kid: string, name: string, parent_kid = 'ROOT') =>
    (await insertGroup(as(account_kid), { name, parent_kid })).kid
  const groupsOf = async (...kids: string[]) => {
    const rows = await deps.db
      .selectFrom('terminal')
      .select(['kid', 'terminal_group_kid'])
      .where('kid', 'in', kids)
      .execute()
    return kids.map((kid) => rows.find((row) => row.kid === kid)?.terminal_group_kid)
  }

  it('keeps a note about a device, for those who may see the device', async () => {
    const account = await addAccount(deps)
    const kid = await addTerminal(deps, account, { terminal_group_kid: await group(account, 'dock') })
    const note = 'Screen replaced in May.\nStands at dock 4.'
    for (const stranger of [as(await addAccount(deps)), as(account, [newKid()])])
      expect(await refusalOf(terminals.writeNote(stranger, { kid, note }))).toBe('not_found')
    await terminals.writeNote(as(account), { kid, note })
    expect(await terminals.detailOf(as(account), kid)).toMatchObject({ note })
    const { input } = contract.terminal.calls.update_note
    expect(input.safeParse({ kid, note: 'x'.repeat(2_001) }).success).toBe(false)
  })

  it('reads a device with everything that is known of it', async () => {
    const account = await addAccount(deps)
    const terminal_group_kid = await group(account, 'shop')
    const kid = await addTerminal(deps, account, { name: 'Till 1', terminal_group_kid }, { battery_level: 55.5 })
    const location = { longitude: 105.8, latitude: 21 }
    await deps.db
      .updateTable('terminal_state')
      .set({
        is_online: true,
        transport: 'mqtt',
        last_contact_at: deps.clock.now(),
        location: JSON.stringify(location),
        sims: JSON.stringify([{ slot: 1 }]),
      })
      .where('terminal_kid', '=', kid)
      .execute()
    const found = await terminals.detailOf(as(account), kid)
    expect(found).toMatchObject({
      kid,
      sn: kid.toUpperCase(),
      name: 'Till 1',
      terminal_group_name: 'shop',
      is_online: true,
      transport: 'mqtt',
      battery_level: 55.5,
      last_contact_at: deps.clock.now(),
      location,
      sims: [{ slot: 1 }],
      wifi: null,
    })
    expect(contract.terminal.calls.get.output.parse(found).last_contact_at).toBe(deps.clock.now().toISOString())
    const stranger = await addAccount(deps)
    const elsewhere = [newKid()]
    for (const other of [as(stranger), as(account, elsewhere)])
      expect(await refusalOf(terminals.detailOf(other, kid))).toBe('not_found')
  })

  it('renames under the rules of aliases', async () => {
    const account = await addAccount(deps)
    const kid = await addTerminal(deps, account)
    expect(await refusalOf(terminals.rename(as(account), { kid, name: 'x'.repeat(37) }))).toBe('alias_too_long')
    expect(await refusalOf(terminals.rename(as(account), { kid, name: '100%' }))).toBe('alias_has_percent')
    expect(await refusalOf(terminals.rename(as(account), { kid, name: 'two\nlines' }))).toBe('bad_input')
    expect(await refusalOf(terminals.rename(as(await addAccount(deps)), { kid, name: 'x' }))).toBe('not_found')
    expect((await terminals.rename(as(account), { kid, name: 'Quầy 1 收银台' })).name).toBe('Quầy 1 收银台')
    expect(deps.events.slice(-2).map((e) => e.event.type)).toEqual(['terminal_info', 'terminal_list_changed'])
  })

  it('moves all of the named devices or none', async () => {
    const account = await addAccount(deps)
    const other = await addAccount(deps)
    const [a, b] = [await group(account, 'a'), await group(account, 'b')]
    const one = await addTerminal(deps, account)
    const two = await addTerminal(deps, account, { terminal_group_kid: a })
    const foreign = await addTerminal(deps, other)
    const move = (terminal_kids: string[], terminal_group_kid: string, visible_groups?: string[]) =>
      refusalOf(terminals.moveGroup(as(account, visible_groups), { terminal_kids, terminal_group_kid }))
    expect(await move([one, foreign], a)).toBe('device_not_found')
    expect(await move([one, newKid()], a)).toBe('device_not_found')
    expect(await move([one], await group(other, 'foreign'))).toBe('group_unknown')
    expect(await move([one, two], b, [b])).toBe('device_not_found')
    expect(await move([two], b, [a])).toBe('group_unknown')
    expect(await move([two], 'NO_GROUP', [a])).toBe('group_unknown')
    expect(await groupsOf(one, two, foreign)).toEqual([null, a, null])
    expect(await move([one, two, two], b)).toEqual({ not_refused: 2 })
    expect(await move([two], 'NO_GROUP')).toEqual({ not_refused: 1 })
    expect(await groupsOf(one, two)).toEqual([b, null])
    expect(await miscounted(deps)).toEqual([])
  })

  it('moves back and forth at once without a deadlock or a wrong count', async () => {
    const account = await addAccount(deps)
    const groups = [await group(account, 'a'), await group(account, 'b')]
    const kids: string[] = []
    for (let n = 0; n < 20; n += 1) kids.push(await addTerminal(deps, account, { terminal_group_kid: groups[n % 2]! }))
    await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        terminals.moveGroup(as(account), {
          terminal_kids: n % 3 ? kids : kids.toReversed(),
          terminal_group_kid: groups[n % 2]!,
        }),
      ),
    )
    expect(new Set(await groupsOf(...kids)).size).toBe(1)
    expect(await miscounted(deps)).toEqual([])
  })

  it('cancels all of the named devices or none, ends their tasks, and lets them come back', async () => {
    const account = await addAccount(deps)
    const d = device()
    const one = await addTerminal(deps, account, { sn: d.sn })
    const two = await addTerminal(deps, account)
    const foreign = await addTerminal(deps, await addAccount(deps))
    const task = newKid()
    const now = deps.clock.now()
    await deps.db
      .insertInto('push_task')
      .values({
        kid: task,
        account_kid: account,
        type: 'message',
        payload: '{}',
        description: '',
        summary: '',
        created_by_kid: newKid(),
        created_by: 'x',
        created_at: now,
        total: 1,
        wait_receipt: 1,
      })
      .execute()
    await deps.db
      .insertInto('push_task_terminal')
      .values({
        push_task_kid: task,
        terminal_kid: one,
        account_kid: account,
        sn: d.sn,
        type: 'message',
        state_at: now,
        created_at: now,
        send_at: now,
      })
      .execute()
    const cancel = (
      terminalKids: string[],
      more: { sns?: string[]; confirm?: string; visible_groups?: string[] } = {},
    ) => {
      const { visible_groups, ...given } = more
      return refusalOf(terminals.cancel(as(account, visible_groups), { terminalKids, confirm: 'DELETE', ...given }))
    }
    const left = async () =>
      (await deps.db.selectFrom('terminal').select('kid').where('account_kid', '=', account).execute()).length
    expect(await cancel([one], { confirm: 'delete' })).toBe('confirm_text_wrong')
    expect(await cancel([one, foreign])).toBe('device_not_found')
    expect(await cancel([one], { sns: ['other'] })).toBe('device_not_found')
    expect(await cancel([one], { visible_groups: [await group(account, 'elsewhere')] })).toBe('device_not_found')
    expect([await left(), deps.kicked]).toEqual([2, []])
    expect(await refusalOf(announced(deps, d))).toBe('device_already_registered')

    expect(await cancel([one, one, two], { sns: [d.sn, two.toUpperCase()] })).toHaveProperty('not_refused.length', 2)
    expect(await left()).toBe(0)
    expect(deps.kicked.map((k) => k.terminal_kid).toSorted()).toEqual([one, two].toSorted())
    const ended = await deps.db
      .selectFrom('push_task_terminal')
      .select(['state', 'code'])
      .where('push_task_kid', '=', task)
      .executeTakeFirst()
    expect(ended).toEqual({ state: 'failed', code: 'device_gone' })
    const states = await deps.db
      .selectFrom('terminal_state')
      .select('terminal_kid')
      .where('account_kid', '=', account)
      .execute()
    expect(states).toEqual([])
    expect(await refusalOf(announced(deps, d))).toHaveProperty('not_refused')
    expect(await miscounted(deps)).toEqual([])
  })

  it('pages events of a device that is visible', async () => {
    const account = await addAccount(deps)
    const kid = await addTerminal(deps, account)
    const now = deps.clock.now().getTime()
    const row = (n: number) => ({
      kid: newKid(),
      account_kid: account,
      terminal_kid: kid,
      type: n % 2 ? 'boot' : 'fence_in',
      at: new Date(now - n * minute),
      received_at: new Date(now),
      detail: JSON.stringify({ n }),
    })
    const registered_at = new Date(now - 30 * minute)
    await deps.db.updateTable('terminal').set({ registered_at }).where('kid', '=', kid).execute()
    await deps.db
      .insertInto('terminal_event')
      .values(Array.from({ length: 25 }, (_, n) => row(n)))
      .execute()
    const input = { terminal_kid: kid, page: 1, page_size: 10 }
    const first = await terminals.pagingEvent(as(account), input)
    expect(first.items.map((e) => e.detail['n'])).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(first).toMatchObject({ total: 26, total_is_exact: true })
    expect(contract.terminal.calls.paging_event.output.parse(first).items).toHaveLength(10)
    const next = await terminals.pagingEvent(as(account), { ...input, after: first.next! })
    expect(next.items[0]?.detail).toEqual({ n: 10 })
    const boots = await terminals.pagingEvent(as(account), { ...input, type: 'boot', order: 'asc' })
    expect([boots.total, boots.items[0]?.detail['n']]).toEqual([12, 23])
    expect(await refusalOf(terminals.pagingEvent(as(await addAccount(deps)), input))).toBe('not_found')
    expect(await refusalOf(terminals.pagingEvent(as(account, [newKid()]), input))).toBe('not_found')
  })

  it('pages registration and connections among the events of a device', async () => {
    const account = await addAccount(deps)
    const kid = await addTerminal(deps, account)
    const now = deps.clock.now().getTime()
    const at = (minutes_ago: number) => new Date(now - minutes_ago * minute)
    await deps.db
      .updateTable('terminal')
      .set({ registered_at: at(9) })
      .where('kid', '=', kid)
      .execute()
    const session = (epoch: string, from: number, to: number | null) => ({
      epoch,
      account_kid: account,
      terminal_kid: kid,
      node_kid: newKid(),
      address: '192.0.2.7',
      connected_at: at(from),
      disconnected_at: to === null ? null : at(to),
    })
    await deps.db
      .insertInto('terminal_session')
      .values([session(newKid(), 8, 5), session(newKid(), 2, null)])
      .execute()
    const input = { terminal_kid: kid, page: 1, page_size: 2 }
    const first = await terminals.pagingEvent(as(account), input)
    const rest = await terminals.pagingEvent(as(account), { ...input, page_size: 9, after: first.next! })
    const all = [...first.items, ...rest.items]
    expect(all.map(({ type }) => type)).toEqual(['online', 'offline', 'online', 'registered'])
    expect(all[0]!.detail).toEqual({ address: '192.0.2.7' })
    expect(all.map((event) => event.at)).toEqual([at(2), at(5), at(8), at(9)])
    expect(new Set(all.map((event) => event.kid)).size).toBe(4)
    expect(contract.terminal.calls.paging_event.output.parse(first).items).toHaveLength(2)
    const only = await terminals.pagingEvent(as(account), { ...input, type: 'offline' })
    expect(only).toMatchObject({ total: 1, items: [{ type: 'offline' }] })
  })

  it('thins the running history evenly to 500 points', async () => {
    const account = await addAccount(deps)
    const kid = await addTerminal(deps, account)
    const now = deps.clock.now().getTime()
    const hours = 24
    const report = (seconds_ago: number, seq: number) => ({
      account_kid: account,
      terminal_kid: kid,
      received_at: new Date(now - seconds_ago * 1000),
      device_time: new Date(now - seconds_ago * 1000),
      seq,
      cpu: seq % 100,
      parts: '{}',
    })
    const run = () => terminals.listRun(as(account), { terminal_kid: kid, hours })
    await deps.db
      .insertInto('terminal_report')
      .values(Array.from({ length: 500 }, (_, n) => report(n * 2 + 1, n)))
      .execute()
    const few = await run()
    expect(few).toHaveLength(500)
    expect(few.map((p) => p.at.getTime())).toEqual(few.map((p) => p.at.getTime()).toSorted((a, b) => a - b))
    const all = Array.from({ length: 4_320 }, (_, n) => report(1_000 + n * 20, n))
    for (let n = 0; n < all.length; n += 540)
      await deps.db
        .insertInto('terminal_report')
        .values(all.slice(n, n + 540))
        .execute()
    const many = await run()
    expect(contract.terminal.calls.list_run.output.parse(many)).toHaveLength(many.length)
    const span = (hours * 3_600_000) / 500
    expect(many.length).toBeGreaterThan(490)
    expect(many.length).toBeLessThanOrEqual(500)
    const spans = many.map((p) => Math.ceil((p.at.getTime() - (now - hours * 3_600_000)) / span))
    expect(new Set(spans).size).toBe(many.length)
    expect(spans).toEqual(spans.toSorted((a, b) => a - b))
    expect(many.at(-1)?.at).toEqual(few.at(-1)?.at)
    expect(await refusalOf(terminals.listRun(as(await addAccount(deps)), { terminal_kid: kid, hours }))).toBe(
      'not_found',
    )
  })

  it('offers models and versions, and counts, of the devices a user may see', async () => {
    const account = await addAccount(deps)
    const [a, b] = [await group(account, 'a'), await group(account, 'b')]
    await addTerminal(
      deps,
      account,
      { model: 'Z9', os_version: '2', uid: 'U2', terminal_group_kid: a },
      { is_online: true },
    )
    await addTerminal(
      deps,
      account,
      { model: 'A1', os_version: '1', uid: 'U1', terminal_group_kid: b },
      { is_online: true },
    )
    await addTerminal(deps, account, { model: 'A1', os_version: '', terminal_group_kid: a })
    await addTerminal(deps, account, { model: 'm', os_version: '10' })
    await addTerminal(deps, await addAccount(deps), { model: 'foreign', os_version: 'foreign' }, { is_online: true })
    expect(await terminals.facets(as(account))).toEqual({
      models: ['A1', 'Z9', 'm'],
      os_versions: ['1', '10', '2'],
      uids: ['U1', 'U2'],
      total: 4,
      online: 2,
    })
    expect(await terminals.facets(as(account, [a]))).toEqual({
      models: ['A1', 'Z9'],
      os_versions: ['2'],
      uids: ['U2'],
      total: 2,
      online: 1,
    })
    expect(await terminals.facets(as(await addAccount(deps)))).toEqual({
      models: [],
      os_versions: [],
      uids: [],
      total: 0,
      online: 0,
    })
  })

  it('counts devices by model and version when asked: the commonest fifty, and the rest', async () => {
    const account = await addAccount(deps)
    const [a, b] = [await group(account, 'a'), await group(account, 'b')]
    await addTerminal(deps, account, { model: 'A', os_version: '9', terminal_group_kid: a })
    await addTerminal(deps, account, { model: 'B', os_version: '9', terminal_group_kid: b })
    await addTerminal(deps, account, { model: 'B', os_version: '', terminal_group_kid: a })
    await addTerminal(deps, account, { model: '', os_version: '10' })
    await addTerminal(deps, await addAccount(deps), { model: 'A', os_version: '9' })
    const shares = async (visible_groups?: string[]) => {
      const { output } = contract.terminal.calls.facets
      const { model_shares, os_version_shares } = output.parse(
        await terminals.facets(as(account, visible_groups), true),
      )
      return { models: model_shares, versions: os_version_shares }
    }
    expect(await shares()).toEqual({
      models: {
        top: [
          { value: 'B', count: 2 },
          { value: 'A', count: 1 },
        ],
        rest: 0,
      },
      versions: {
        top: [
          { value: '9', count: 2 },
          { value: '10', count: 1 },
        ],
        rest: 0,
      },
    })
    expect(await shares([a])).toEqual({
      models: {
        top: [
          { value: 'A', count: 1 },
          { value: 'B', count: 1 },
        ],
        rest: 0,
      },
      versions: { top: [{ value: '9', count: 1 }], rest: 0 },
    })
    for (let n = 0; n < 52; n += 1)
      await addTerminal(deps, account, { model: `M${n}`, os_version: '9', terminal_group_kid: b })
    const { models, versions } = await shares()
    expect([models?.top.length, models?.rest, versions?.rest]).toEqual([50, 4, 0])
    expect(models?.top.slice(0, 2)).toEqual([
      { value: 'B', count: 2 },
      { value: 'A', count: 1 },
    ])
    expect((await shares([b])).models).toMatchObject({ rest: 3 })
    expect(await terminals.facets(as(account))).not.toHaveProperty('model_shares')
  })

  it('reads nothing but an index for the facets of a large account', async () => {
    const account = await addAccount(deps)
    const small = await group(account, 'small')
    const fill = (account_kid: string, rows: number) =>
      deps.database.pool.query(
        `insert into terminal (kid, account_kid, sn, model, os_version, claim_hash, registered_at)
         select gen_random_uuid(), $1::uuid, $1::uuid::text || n, 'Model ' || n % 7, (n % 11)::text, '', now() from generate_series(1, $2::int) n`,
        [account_kid, rows],
      )
    await fill(account, 10_000)
    await fill(await addAccount(deps), 5_000)
    await addTerminal(deps, account, { model: 'Model 1', os_version: '1', terminal_group_kid: small })
    await deps.database.pool.query('vacuum analyze terminal')
    for (const [column, index] of [
      ['model', 'terminal_by_model'],
      ['os_version', 'terminal_by_os_version'],
    ] as const) {
      for (const query of [values(as(account), column), counts(as(account), column)]) {
        // Only a plan that has run shows what lies below a recursion.
        const scans = scansOf(await query.explain('json', sql`analyze`))
        expect(scans.length).toBeGreaterThan(0)
        for (const scan of scans)
          expect(scan).toMatchObject({
            'Node Type': 'Index Only Scan',
            'Index Name': index,
            'Index Cond': expect.stringContaining(`(${column} `),
          })
      }
      const limited = scansOf(await counts(as(account, [small]), column).explain('json'))
      expect(JSON.stringify(limited)).toContain('terminal_by_group')
      expect(JSON.stringify(limited)).not.toContain('Seq Scan')
    }
    expect((await terminals.facets(as(account), true)).model_shares?.top[0]).toEqual({ value: 'Model 1', count: 1430 })
  })
})

type Plan = { 'Node Type': string; 'Relation Name'?: string; Plans?: Plan[] }
/** Every node of a plan that reads the table of devices. */
function scansOf(explained: unknown): Plan[] {
  const walk = (plan: Plan): Plan[] => [
    ...(plan['Relation Name'] === 'terminal' ? [plan] : []),
    ...(plan.Plans ?? []).flatMap(walk),
  ]
  const [row] = explained as { 'QUERY PLAN': { Plan: Plan }[] }[]
  return walk(row!['QUERY PLAN'][0]!.Plan)
}
