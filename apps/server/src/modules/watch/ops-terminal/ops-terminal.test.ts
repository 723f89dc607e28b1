import { contract } from '@mdm/contract'
import type { Sent } from '@mdm/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testApi } from '../../../testing/calls.ts'
import type { TestApi } from '../../../testing/calls.ts'
import { createAccount } from '../../people/account/index.ts'
import { addTerminal, databases, openDeps } from '../../../testing/devices.ts'
import type { TestDeps } from '../../../testing/deps.ts'
import { matching, paging } from './service.ts'

const call = contract.opsTerminal.calls.paging
type Input = Sent<typeof call>

describe('the search over all customers', () => {
  let o: TestApi
  beforeAll(async () => {
    o = await testApi()
    const at = (n: number) => new Date(o.deps.clock.now().getTime() + n * 1_000)
    const more = [{ is_online: true }, {}] as const
    for (let n = 0; n < 12; n += 1)
      await addTerminal(
        o.deps,
        [o.acme, o.globex, o.acme_sub][n % 3]!.kid,
        {
          sn: `${n % 2 ? 'AB' : 'ab'}-${String(n).padStart(4, '0')}`,
          name: n === 4 ? 'Kho Hà Nội' : '',
          registered_at: at(n % 4),
        },
        more[n % 2],
      )
    await o.deps.db.updateTable('terminal').set({ imei: '350000000000777' }).where('sn', '=', 'ab-0006').execute()
    const closed = await createAccount(o.deps.db, { type: 1, name: 'Closed', status: 'invalid' })
    await addTerminal(o.deps, closed.kid, { sn: 'ZZ-closed', registered_at: at(9) })
  })
  afterAll(async () => {
    expect(o.internal_errors).toEqual([])
    await o.close()
  })
  const found = async (input: Input = {}) => (await o.call(call, input, o.operator)).data
  const sns = async (input: Input) => (await found(input)).items.map((row) => row.sn)

  it('finds parts of SN, alias and IMEI, and beginnings of SNs when there is little to go by', async () => {
    expect((await found()).total).toBe(13)
    expect(await sns({ text: '-0007' })).toEqual(['AB-0007'])
    expect(await sns({ text: 'HÀ NỘI' })).toEqual(['ab-0004'])
    expect(await sns({ text: '0777' })).toEqual(['ab-0006'])
    expect((await found({ text: 'aB' })).total).toBe(12)
    expect((await found({ text: 'AB-0' })).total).toBe(12)
    expect((await found({ text: '00' })).total).toBe(0)
    expect((await found({ text: '%' })).total).toBe(0)
    expect((await found({ text: '---' })).total).toBe(0)
    expect((await found({ text: "'; drop table terminal; --" })).total).toBe(0)
  })

  it('answers GET with the same as POST', async () => {
    const asked = { text: 'AB-0', is_online: 'true', page_size: '2', sort: 'sn', order: 'asc' } as const
    const got = await o.call({ ...call, method: 'GET' }, asked, o.operator)
    expect(got).toMatchObject({ status: 200, result: 1 })
    expect(got.data).toEqual((await o.call(call, { ...asked, is_online: true, page_size: 2 }, o.operator)).data)
    expect(got.data.items).toHaveLength(2)
    expect((await o.call({ ...call, method: 'GET' }, { page_size: 'x' }, o.operator)).result).toBe(10000)
    expect((await o.call({ ...call, method: 'GET' }, {}, o.acme_root)).status).toBe(403)
  })

  it('says whose a device is and whether one can go there', async () => {
    const [closed] = (await found({ text: 'ZZ' })).items
    expect(closed).toMatchObject({ account_name: 'Closed', account_state: 'invalid', can: [], is_online: false })
    const [own] = (await found({ text: '0001' })).items
    expect(own).toMatchObject({ account_kid: o.globex.kid, account_name: 'Globex', can: ['enter'], is_online: false })
  })

  it('is limited to customers and presence', async () => {
    expect((await found({ account_text: 'ACME' })).total).toBe(8)
    expect((await found({ account_text: 'sub' })).items.map((row) => row.account_name)).toEqual(
      Array(4).fill('Acme Sub'),
    )
    expect((await found({ account_text: 'nobody' })).total).toBe(0)
    expect((await found({ is_online: true })).total).toBe(6)
    expect((await found({ is_online: false })).total).toBe(7)
    expect((await found({ is_online: true, account_text: 'globex', text: 'ab' })).total).toBe(2)
  })

  const filters: Input[] = [{}, { text: 'ab' }, { text: '000' }, { account_text: 'acme' }, { is_online: false }]
  const sorts = (['registered_at', 'sn'] as const).flatMap((sort) =>
    (['asc', 'desc'] as const).map((order) => ({ sort, order })),
  )
  it.each(filters.flatMap((filter) => sorts.map((sort) => ({ ...filter, ...sort }))))(
    'pages and cursors of %o together are the whole list once',
    async (input) => {
      const whole = await found({ ...input, page_size: 200 })
      const kids = whole.items.map((row) => row.kid)
      expect(new Set(kids).size).toBe(whole.total)
      const values = whole.items.map((row) => row[input.sort])
      expect(values).toEqual(input.order === 'asc' ? values.toSorted() : values.toSorted().toReversed())
      const byCursor: string[] = []
      const byPage: string[] = []
      for (let after: string | null | undefined; after !== null;) {
        const page = await found({ ...input, page_size: 5, ...(after === undefined ? {} : { after }) })
        byCursor.push(...page.items.map((row) => row.kid))
        after = page.next
      }
      for (let page = 1; page <= Math.ceil(whole.total / 5); page += 1)
        byPage.push(...(await found({ ...input, page_size: 5, page })).items.map((row) => row.kid))
      expect(byCursor).toEqual(kids)
      expect(byPage).toEqual(kids)
    },
  )

  it('is the provider’s alone', async () => {
    expect((await o.call(call, {}, o.acme_root)).status).toBe(403)
    const plain = await o.person(101, o.provider.kid, 'no-search', ['externalUserManageList'])
    expect((await o.call(call, {}, plain)).status).toBe(403)
  })
})

describe.each(databases)('among many devices on %s', (kind) => {
  let deps: TestDeps
  const rows = 30_000
  beforeAll(async () => {
    deps = await openDeps(kind)
    for (let n = 0; n < 5; n += 1) {
      const { kid } = await createAccount(deps.db, { type: 1, name: `Many ${n}` })
      await deps.database.pool.query(
        `with t as (
           insert into terminal (kid, account_kid, sn, name, claim_hash, registered_at)
           select gen_random_uuid(), $1::uuid, 'SN' || lpad(n::text, 8, '0'), 'till ' || n % 50, '', now() - n * interval '1 minute'
           from generate_series($2::int, $3::int) n returning kid, account_kid)
         insert into terminal_state (terminal_kid, account_kid, is_online) select kid, account_kid, true from t`,
        [kid, (n * rows) / 5 + 1, ((n + 1) * rows) / 5],
      )
    }
    const { kid } = await createAccount(deps.db, { type: 1, name: 'Few' })
    await addTerminal(deps, kid, { sn: 'XY-1', name: 'the needle' })
    await deps.database.pool.query('vacuum analyze terminal, terminal_state, account')
  })
  afterAll(() => deps.close())

  type Plan = {
    'Node Type': string
    'Relation Name'?: string
    'Actual Rows': number
    'Actual Loops': number
    Plans?: Plan[]
  }
  /** Rows that a plan really took from devices and their states. */
  const readRows = (plan: Plan): number => {
    const own = plan['Relation Name']?.startsWith('terminal') ? plan['Actual Rows'] * plan['Actual Loops'] : 0
    return (plan.Plans ?? []).reduce((sum, each) => sum + readRows(each), own)
  }
  const planOf = async (query: { explain(format: 'json', options: unknown): Promise<unknown> }) => {
    const [row] = (await query.explain('json', sql`analyze`)) as { 'QUERY PLAN': { Plan: Plan }[] }[]
    return row!['QUERY PLAN'][0]!.Plan
  }

  it.each([
    ['part of an SN', { text: '00012345' }, 'terminal_search'],
    ['part of an alias', { text: 'needle' }, 'terminal_search'],
    ['the beginning of an SN', { text: 'XY' }, 'terminal_sn_prefix'],
    ['what nobody has', { text: '?!' }, 'terminal_sn_prefix'],
  ] as const)('%s is found by index', async (_what, input, index) => {
    const kids = matching(deps.db, { page: 1, page_size: 20, ...input }).limit(10_001)
    const plan = await planOf(kids)
    expect(JSON.stringify(plan)).toContain(index)
    expect(JSON.stringify(plan)).not.toContain('Seq Scan')
    expect(readRows(plan)).toBeLessThan(100)
  })

  it('the few who are offline are found without the many who are not', async () => {
    const plan = await planOf(matching(deps.db, { page: 1, page_size: 20, is_online: false }).limit(10_001))
    expect(readRows(plan)).toBeLessThan(100)
  })

  it('any page costs its own rows', async () => {
    for (const input of [
      {},
      { text: 'SN' },
      { text: 'till' },
      { account_text: 'many' },
      { is_online: true },
      { account_text: 'few' },
    ] as const)
      for (const sort of ['registered_at', 'sn'] as const) {
        const page = await paging(deps, { page: 1, page_size: 20, sort, ...input })
        expect(page.items.length).toBe('account_text' in input && input.account_text === 'few' ? 1 : 20)
        expect(page.total_is_exact).toBe(!('text' in input || 'is_online' in input))
        const next = page.next && (await paging(deps, { page: 1, page_size: 20, sort, ...input, after: page.next }))
        if (next) expect(next.items).toHaveLength(20)
      }
  })
})
