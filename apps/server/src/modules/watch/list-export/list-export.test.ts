import { constants } from '@mdm/contract'
import type { contract, Sent } from '@mdm/contract'
import { readXlsx } from 'hucre/xlsx'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { handlers } from '../../../handlers.ts'
import { testHttpServer } from '../../../testing/http-server.ts'
import type { TestHttpServer } from '../../../testing/http-server.ts'
import { digest, newKid, newSecret } from '../../../lib/ids.ts'
import { createRole } from '../../people/account/index.ts'

type Person = Awaited<ReturnType<TestHttpServer['person']>>
type Wanted = Sent<typeof contract.listExport.calls.insert>
type Handler = (typeof handlers)['terminal'][string]
const not_possible = 49021
const devices = 430

let world: TestHttpServer
let person: Person
const usual: Handler = handlers.terminal['paging']!
/** What answers terminal/paging: the real one, but where a test watches it. */
let paging: Handler = usual
beforeAll(async () => {
  world = await testHttpServer({
    handlers: { ...handlers, terminal: { ...handlers.terminal, paging: (input, ctx) => paging(input, ctx) } },
  })
  person = await world.person(['deviceList', 'operationLogList'])
  await addDevices(person.account_kid, devices)
})
afterAll(async () => {
  expect(world.internal_errors).toEqual([])
  await world.close()
})
afterEach(() => {
  paging = usual
})

const wanted = (changed: Partial<Wanted> = {}): Wanted => ({
  path: 'terminal/paging',
  input: { sort: 'sn' },
  format: 'csv',
  name: 'Devices',
  zone_id: 'Asia/Ho_Chi_Minh',
  columns: [{ key: 'sn', title: 'SN' }],
  ...changed,
})
const ask = async (changed: Partial<Wanted> = {}, as: Person = person, query = '') => {
  const reply = await world.call(`/api/list_export/insert${query}`, {
    method: 'POST',
    headers: as.bearer,
    body: JSON.stringify(wanted(changed)),
  })
  return { status: reply.status, ...reply.body, url: (reply.body.data as { url?: string } | null)?.url ?? '' }
}
async function addDevices(account_kid: string, count: number): Promise<void> {
  const kids = Array.from({ length: count }, newKid)
  const nothing = { imei: null, resolution: null, host: null, qrcode_kid: null, terminal_group_kid: null }
  const never = { secret_hash: null, first_connected_at: null, quarantined_until: null }
  const registered_at = world.deps.clock.now()
  await world.deps.db
    .insertInto('terminal')
    .values(
      kids.map((kid) => ({ ...nothing, ...never, kid, account_kid, sn: kid, claim_hash: digest(kid), registered_at })),
    )
    .execute()
  await world.deps.db
    .insertInto('terminal_state')
    .values(kids.map((terminal_kid) => ({ terminal_kid, account_kid })))
    .execute()
}
const lines = (text: string) =>
  text
    .replace(/^\uFEFF/, '')
    .split('\r\n')
    .slice(0, -1)

describe('an export', () => {
  it('is the whole list with its filters and order, read page by page, for one download', async () => {
    const { url } = await ask({ input: { sort: 'sn', order: 'desc', page: 3, page_size: 5, after: 'x' } })
    expect(url).toMatch(/^\/files\/export\/[0-9a-f]{64}$/)
    const reply = await world.call(url)
    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(reply.headers.get('content-disposition')).toBe(
      `attachment; filename="Devices.csv"; filename*=UTF-8''Devices.csv`,
    )
    expect(reply.headers.get('cache-control')).toBe('no-store')
    const [title, ...sns] = lines(reply.text)
    expect(title).toBe('SN')
    const rows = await world.deps.db.selectFrom('terminal').select('sn').orderBy('sn', 'desc').execute()
    expect(sns).toEqual(rows.map(({ sn }) => sn))
    expect((await world.call(url)).status).toBe(404)
    const [{ sn } = { sn: '' }] = rows
    const one = await ask({ input: { text: sn } })
    expect(lines((await world.call(one.url)).text)).toEqual(['SN', sn])
  })

  it('writes times in its zone, words for values, names safely, and XLSX and PDF as well', async () => {
    const [first] = await world.deps.db.selectFrom('terminal').select('kid').orderBy('sn').limit(1).execute()
    await world.deps.db.updateTable('terminal').set({ name: '=cmd()' }).where('kid', '=', first!.kid).execute()
    const columns = [
      { key: 'name', title: 'Tên' },
      { key: 'is_online', title: 'Online', words: { true: 'Có', false: 'Không' } },
      { key: 'registered_at', title: 'At' },
      { key: 'last_online_at', title: 'Seen' },
    ]
    const csv = await ask({ columns, name: 'Thiết bị / 设备: "a"' })
    const reply = await world.call(csv.url)
    expect(reply.headers.get('content-disposition')).toContain(
      `filename*=UTF-8''${encodeURIComponent('Thiết bị _ 设备_ _a_.csv')}`,
    )
    expect(lines(reply.text).slice(0, 2)).toEqual(['Tên,Online,At,Seen', `'=cmd(),Không,2026/01/15 15:00:00,`])
    const { url } = await ask({ columns, format: 'xlsx', zone_id: 'UTC' })
    const file = await fetch(world.url + url)
    expect(file.headers.get('content-type')).toBe('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet')
    const [sheet] = (await readXlsx(new Uint8Array(await file.arrayBuffer()))).sheets
    expect(sheet!.rows).toHaveLength(devices + 1)
    expect(sheet!.rows[1]!.slice(0, 3)).toEqual(['=cmd()', 'Không', '2026/01/15 08:00:00'])
    const printed = await fetch(world.url + (await ask({ columns, format: 'pdf' })).url)
    expect(printed.headers.get('content-type')).toBe('application/pdf')
    expect(printed.headers.get('content-disposition')).toMatch(/^attachment;.*\.pdf/)
    expect((await printed.text()).slice(0, 5)).toBe('%PDF-')
  })

  it('has tags and the fields of the account, each in a column of its own', async () => {
    const [first] = await world.deps.db.selectFrom('terminal').select('kid').orderBy('sn').limit(1).execute()
    const field = newKid()
    const given = { tags: ['lab', 'vip'], fields: JSON.stringify({ [field]: 2.5 }) }
    await world.deps.db.updateTable('terminal').set(given).where('kid', '=', first!.kid).execute()
    const columns = [
      { key: 'tags', title: 'Tags' },
      { key: `fields.${field}`, title: 'Floor' },
      { key: 'fields.constructor', title: 'None' },
    ]
    const [, ...rows] = lines((await world.call((await ask({ columns })).url)).text)
    expect(rows.slice(0, 2)).toEqual(['"lab, vip",2.5,', ',,'])
  })

  it('is of lists that the caller may read, of inputs and fields that they have', async () => {
    const refusals: [Partial<Wanted>, number, number][] = [
      [{ path: 'terminal/get' }, 422, not_possible],
      [{ path: 'nonsense' }, 422, not_possible],
      [{ path: 'terminal/cancel' }, 422, not_possible],
      [{ path: 'file_cloud/paging' }, 403, 403],
      [{ path: 'ops/account/paging' }, 403, 403],
      [{ input: { sort: 'nonsense' } }, 400, 10000],
      [{ columns: [{ key: 'secret_hash', title: 'x' }] }, 400, 10000],
      [{ columns: [{ key: 'constructor', title: 'x' }] }, 400, 10000],
      [{ columns: [{ key: 'sn.length', title: 'x' }] }, 400, 10000],
      [{ columns: [] }, 400, 10000],
      [{ zone_id: 'Nowhere/Land' }, 400, 10000],
    ]
    for (const [changed, status, result] of refusals) expect(await ask(changed)).toMatchObject({ status, result })
    const { data } = await ask({ input: { sort: 'nonsense' } })
    expect(Object.keys((data as { fields: object }).fields)).toEqual(['input.sort'])
    const stranger = await world.call('/api/list_export/insert', { method: 'POST', body: JSON.stringify(wanted()) })
    expect(stranger.status).toBe(401)
  })

  it('has the rows of who asked: other accounts and other groups stay out', async () => {
    const kid = (
      await world.deps.db
        .insertInto('terminal_group')
        .values({ kid: world.deps.node_kid, account_kid: person.account_kid, parent_kid: null, name: 'G', depth: 1 })
        .returning('kid')
        .executeTakeFirstOrThrow()
    ).kid
    const limited = await world.person(['deviceList'], { account_kid: person.account_kid, groups: [kid] })
    const other = await world.person(['deviceList'])
    await addDevices(other.account_kid, 1)
    for (const [as, count] of [
      [limited, 0],
      [other, 1],
    ] as const) {
      const { url } = await ask({}, as)
      expect(lines((await world.call(url)).text)).toHaveLength(1 + count)
    }
  })

  it('is worth nothing without its session, its permission, its time, or its exact address', async () => {
    const leaving = await world.person(['deviceList'])
    const ended = await ask({}, leaving)
    await world.deps.db.deleteFrom('session').where('user_kid', '=', leaving.user_kid).execute()
    expect((await world.call(ended.url)).status).toBe(401)

    const losing = await world.person(['deviceList'])
    const lost = await ask({}, losing)
    await world.deps.db
      .updateTable('role')
      .set({ permissions: [] })
      .where('account_kid', '=', losing.account_kid)
      .execute()
    expect((await world.call(lost.url)).status).toBe(403)

    const { url } = await ask()
    expect((await world.call(`${url.slice(0, -1)}${url.endsWith('0') ? '1' : '0'}`)).status).toBe(404)
    await world.deps.clock.advance(10 * 60_000)
    expect((await world.call(url)).status).toBe(404)
  })

  it('leaves its address neither in the database nor in the operation log', async () => {
    const { url } = await ask()
    const secret = url.split('/').at(-1)!
    const log = await world.deps.db
      .selectFrom('operation_log')
      .selectAll()
      .where('module_code', '=', 'list_export')
      .execute()
    expect(log.length).toBeGreaterThan(0)
    const kept = await world.deps.db.selectFrom('list_export').selectAll().execute()
    expect(JSON.stringify([log, kept])).not.toContain(secret)
    expect(JSON.stringify(log)).toContain('terminal/paging as csv')
  })
})

describe('a long export', () => {
  let pages = 0
  /** The first page again and again, as of a list without end; so wide that it soon fills what lies between us and it. */
  const endless: Handler = async (input, ctx) => {
    pages += 1
    const { after: _, ...first } = input as Record<string, unknown>
    const page = (await usual(first, ctx)) as { items: object[] }
    return { ...page, items: page.items.map((item) => ({ ...item, model: wide })), next: `page-${pages}` }
  }
  const wide = 'x'.repeat(2_000)
  const start = async () => {
    const aborter = new AbortController()
    const columns = ['sn', 'model'].map((key) => ({ key, title: key }))
    const reply = await fetch(world.url + (await ask({ columns })).url, { signal: aborter.signal })
    return { reply, stop: () => aborter.abort() }
  }
  const settled = async (): Promise<number> => {
    const before = pages
    await new Promise((resolve) => setTimeout(resolve, 500))
    return pages === before ? pages : settled()
  }

  it('of a list without pages is all of it, or the rows that a screen shows, in its order', async () => {
    const keeper = await world.person(['userRoleManageList'])
    const { account_kid } = keeper
    const made = ['alpha', 'beta', 'gamma'].map((code) => ({ account_kid, code, name: `=${code}`, permissions: [] }))
    const roles = await Promise.all(made.map((role) => createRole(world.deps.db, { ...role, weight: 1 })))
    const columns = [{ key: 'name', title: 'Name' }]
    const exported = async (kids?: string[]) => {
      const { url } = await ask({ path: 'role/list', input: {}, columns, ...(kids && { kids }) }, keeper)
      return lines((await world.call(url)).text)
    }
    const all = await exported()
    expect(all).toHaveLength(1 + 1 + made.length)
    expect(all).toEqual(expect.arrayContaining(["'=alpha", "'=beta", "'=gamma"]))
    expect(await exported([roles[2]!.kid, newKid(), roles[0]!.kid])).toEqual(['Name', "'=gamma", "'=alpha"])
    const { status, data } = await ask({ kids: [newKid()] })
    expect({ status, data }).toEqual({ status: 400, data: { fields: { kids: expect.any(String) } } })
  })

  it('waits for its reader, and ends when the reader leaves; two of an account run at once', async () => {
    paging = endless
    const running = [await start(), await start()]
    expect(running.map(({ reply }) => reply.status)).toEqual([200, 200])
    const third = await ask()
    const refused = await world.call(third.url)
    expect(refused.status).toBe(429)
    expect(await settled()).toBeGreaterThan(0)
    running[0]!.stop()
    // The one that was refused is not used up.
    paging = usual
    await expect.poll(async () => (await world.call(third.url)).status).toBe(200)
    running[1]!.stop()
    const at_end = await settled()
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(pages).toBe(at_end)
  })

  it('ends when its session does', async () => {
    const leaving = await world.person(['deviceList'], { account_kid: person.account_kid })
    const { url } = await ask({}, leaving)
    let asked = 0
    paging = async (input, ctx) => {
      if ((asked += 1) === 20)
        await world.deps.db.deleteFrom('session').where('user_kid', '=', leaving.user_kid).execute()
      return endless(input, ctx)
    }
    await expect(world.call(url)).rejects.toThrow()
    expect(asked).toBe(20)
  })

  it('comes so often an hour for a customer, whoever asks, sub-accounts and API tokens included, and from another list', async () => {
    const root = await world.person(['deviceList'])
    const sub = await world.person(['deviceList'])
    await world.deps.db
      .updateTable('account')
      .set({ type: 2, parent_kid: root.account_kid })
      .where('kid', '=', sub.account_kid)
      .execute()
    const api = `mdm_${newSecret()}`
    const now = world.deps.clock.now()
    await world.deps.db
      .insertInto('api_token')
      .values({
        kid: newKid(),
        user_kid: sub.user_kid,
        name: 'lists',
        prefix: api.slice(0, 12),
        token_hash: digest(api),
        permissions: ['deviceList'],
        created_at: now,
        expires_at: new Date(now.getTime() + 7 * 3_600_000),
      })
      .execute()
    const token = { ...sub, bearer: { authorization: `Bearer ${api}` } }
    const all = [root, sub, token]
    // What is refused for another reason is none.
    for (const who of all) expect((await ask({ path: 'nonsense' }, who)).status).toBe(422)
    for (let n = 0; n < constants.exports_per_hour; n += 1) expect((await ask({}, all[n % 3])).status).toBe(200)
    for (const who of all) expect(await ask({}, who)).toMatchObject({ status: 429, result: 429 })
    const devices = {
      match: {},
      sort: 'sn',
      format: 'csv',
      name: 'x',
      zone_id: 'UTC',
      columns: [{ key: 'sn', title: 'SN' }],
    }
    const of_devices = (who: Person) =>
      world.call('/api/terminal/export', { method: 'POST', headers: who.bearer, body: JSON.stringify(devices) })
    for (const who of all) expect((await of_devices(who)).status).toBe(429)
    expect((await ask()).status).toBe(200)
    await world.deps.clock.advance(3_600_000 / constants.exports_per_hour)
    expect((await ask({}, sub)).status).toBe(200)
    expect((await ask({}, root)).status).toBe(429)
  })
})
