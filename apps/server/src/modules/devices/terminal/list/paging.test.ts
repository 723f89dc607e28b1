import { contract } from '@mdm/contract'
import type { Contract, In } from '@mdm/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testActor } from '../../../../testing/actor.ts'
import type { TestDeps } from '../../../../testing/deps.ts'
import { insert as insertGroup } from '../../../fleet/terminal-group/index.ts'
import { paging } from '../index.ts'
import { addAccount, addTerminal, databases, openDeps, refusalOf } from '../../../../testing/devices.ts'

type Input = In<Contract['terminal']['calls']['paging']>
const sorts = ['sn', 'name', 'model', 'os_version', 'registered_at', 'last_online_at', 'battery_level'] as const

describe.each(databases)('the device list on %s', (kind) => {
  let deps: TestDeps
  let account: string
  let groups: { top: string; below: string; side: string }
  beforeAll(async () => {
    deps = await openDeps(kind)
    account = await addAccount(deps)
    const group = async (name: string, parent_kid = 'ROOT') =>
      (await insertGroup(testActor(deps, account), { name, parent_kid })).kid
    const top = await group('top')
    groups = { top, below: await group('below', top), side: await group('side') }
    const now = deps.clock.now().getTime()
    // Few values a column, so that most rows are told apart by their kid alone.
    for (let n = 0; n < 40; n += 1)
      await addTerminal(
        deps,
        account,
        {
          sn: `SN-${String((n * 7) % 40).padStart(3, '0')}`,
          name: ['', 'Kho Hà Nội', 'till', 'a_b', 'Till'][n % 5]!,
          model: ['M1', 'M2', ''][n % 3]!,
          os_version: ['9', '10'][n % 2]!,
          terminal_group_kid: [null, groups.top, groups.below, groups.side][n % 4]!,
          registered_at: new Date(now + (n % 6) * 1000),
        },
        {
          is_online: n % 3 === 0,
          battery_level: n % 4 === 0 ? null : [0.1, 33.3, 100][n % 3]!,
          last_online_at: n % 5 === 0 ? null : new Date(now + (n % 7)),
        },
      )
    const stranger = await addAccount(deps)
    await addTerminal(deps, stranger, { sn: 'SN-foreign', name: 'till', model: 'M1' }, { is_online: true })
  })
  afterAll(() => deps?.close())

  const page = (input: Partial<Input>, visible_groups?: string[]) =>
    paging(testActor(deps, account, visible_groups), { page: 1, page_size: 200, terminal_group_kid: 'ALL', ...input })
  const filters: [string, Partial<Input>, string[]?][] = [
    ['everything', {}],
    ['online', { is_online: true }],
    ['offline of a model', { is_online: false, model: 'M2' }],
    ['a group', { terminal_group_kid: 'top' }],
    ['no group', { terminal_group_kid: 'NO_GROUP', os_version: '9' }],
    ['a text', { text: 'TILL' }],
    ['a battery range', { battery: { min: 20, max: 100 } }],
    ['a limited user', { is_online: true }, ['top', 'side']],
  ]
  const named = (name: string) => groups[name as keyof typeof groups] ?? name
  const real = (input: Partial<Input>): Partial<Input> =>
    input.terminal_group_kid ? { ...input, terminal_group_kid: named(input.terminal_group_kid) as 'ALL' } : input

  describe.each(filters)('of %s', (_title, asked, limited) => {
    const cases = sorts.flatMap((sort) => (['asc', 'desc'] as const).map((order) => ({ sort, order })))
    it.each(cases)('by $sort $order: pages and cursors together are the whole list once', async ({ sort, order }) => {
      const visible_groups = limited?.map(named)
      const input = { ...real(asked), sort, order }
      const whole = await page(input, visible_groups)
      expect(whole.items.length).toBeGreaterThan(4)
      expect(whole.total).toBe(whole.items.length)
      expect(whole.next).toBe(null)
      expect(contract.terminal.calls.paging.output.parse(whole).items).toHaveLength(whole.total)

      type Item = (typeof whole.items)[number]
      const value = (item: Item) => (item[sort] instanceof Date ? item[sort].getTime() : item[sort])
      const compare = (a: Item, b: Item): number => {
        const [x, y] = [value(a), value(b)]
        if (x === y) return a.kid < b.kid ? -1 : 1
        // Nulls are largest, as an index has them.
        if (x === null || y === null) return x === null ? 1 : -1
        return x < y ? -1 : 1
      }
      const sorted = whole.items.toSorted(compare)
      const kids = (items: Item[]) => items.map((item) => item.kid)
      expect(kids(whole.items)).toEqual(kids(order === 'asc' ? sorted : sorted.toReversed()))

      const byPage: Item[] = []
      const byCursor: Item[] = []
      for (let n = 1; n <= Math.ceil(whole.total / 3); n += 1)
        byPage.push(...(await page({ ...input, page: n, page_size: 3 }, visible_groups)).items)
      for (let after: string | null | undefined; after !== null;) {
        const found = await page({ ...input, page_size: 3, ...(after === undefined ? {} : { after }) }, visible_groups)
        byCursor.push(...found.items)
        after = found.next
        expect(found.total).toBe(whole.total)
      }
      expect(kids(byPage)).toEqual(kids(whole.items))
      expect(kids(byCursor)).toEqual(kids(whole.items))
    })
  })

  it('counts what is there, from counters or by counting', async () => {
    const total = async (input: Partial<Input>, visible_groups?: string[]) => {
      const found = await page(input, visible_groups)
      expect(found.items).toHaveLength(found.total)
      return found.total
    }
    expect(await total({})).toBe(40)
    expect(await total({ terminal_group_kid: 'NO_GROUP' })).toBe(10)
    expect(await total({ terminal_group_kid: groups.top })).toBe(20)
    expect(await total({ terminal_group_kid: groups.below })).toBe(10)
    expect(await total({}, [groups.below, groups.side])).toBe(20)
    expect(await total({ terminal_group_kid: 'NO_GROUP' }, [groups.below])).toBe(0)
    expect(await total({ terminal_group_kid: groups.top }, [groups.below])).toBe(10)
    expect(await total({ terminal_group_kid: groups.side }, [groups.below])).toBe(0)
    expect(await total({ is_online: true })).toBe(14)
    expect(await total({ sort: 'battery_level', is_online: false })).toBe(26)
    expect(await total({ model: 'M1', os_version: '9' })).toBe(7)
  })

  it.each([{}, { terminal_group_kid: 'NO_GROUP' }, { is_online: true }, { text: 'sn-03' }] as Partial<Input>[])(
    'says behind the last page of %j how many there are',
    async (input) => {
      const { total } = await page(input)
      expect(total).toBeGreaterThan(0)
      expect(await page({ ...input, page: 9 })).toMatchObject({ items: [], next: null, total, total_is_exact: true })
    },
  )

  it('finds parts of SN and alias literally, and beginnings when there is little to go by', async () => {
    const found = async (text: string) => (await page({ text })).total
    expect(await found('sn-03')).toBe(10)
    expect(await found('HÀ NỘI')).toBe(8)
    expect(await found('a_b')).toBe(8)
    expect(await found('a%b')).toBe(0)
    expect(await found('\\')).toBe(0)
    expect(await found('ti')).toBe(16)
    expect(await found('ll')).toBe(0)
    expect(await found('s')).toBe(40)
    expect(await found("'; drop table terminal; --")).toBe(0)
    expect(await found('foreign')).toBe(0)
  })

  it('refuses cursors that it did not make', async () => {
    const cursor = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')
    const kid = '01900000-0000-7000-8000-000000000000'
    const bad = [
      'x',
      cursor(),
      cursor('sn', 'asc', 'a', '-'.repeat(36)),
      cursor('sn', 'up', 'a', kid),
      cursor('name', 'asc', 'a', kid),
      cursor('sn', 'asc', 5, kid),
    ]
    for (const after of bad) expect(await refusalOf(page({ sort: 'sn', after }))).toBe('bad_input')
    for (const [sort, value] of [
      ['registered_at', 'soon'],
      ['battery_level', 'full'],
      ['last_online_at', '99999-99-99'],
      ['sn', 'a\0'],
    ] as const)
      expect(await refusalOf(page({ sort, after: cursor(sort, 'asc', value, kid) }))).toBe('bad_input')
    expect(await refusalOf(page({ page: 60, page_size: 200 }))).toBe('bad_input')
  })
})
