import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { TerminalFilter } from '@mdm/contract'
import { platformConfig } from '@mdm/contract/config/sections.ts'
import type { ExportState } from '@mdm/contract'
import { readXlsx } from 'hucre/xlsx'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Actor } from '../../../actor.ts'
import type { ExportInput } from '../../../db/schema/tables-export.ts'
import type { ObjectStore } from '../../../files/object-store.ts'
import { localObjects } from '../../../files/local-objects.ts'
import { newKid } from '../../../lib/ids.ts'
import { testActor } from '../../../testing/actor.ts'
import { otherServer } from '../../../testing/other-server.ts'
import { testDeps } from '../../../testing/deps.ts'
import type { TestDeps } from '../../../testing/deps.ts'
import { addAccount, addTerminal, refusalOf } from '../../../testing/devices.ts'
import { cancel, fileOf, keepExports, recent, shown, start, deviceExports } from './index.ts'
import { wake } from '../../../lib/background.ts'

const count = 1_230
let deps: TestDeps
let objects: ObjectStore
let account_kid: string
let north: string
let kids: string[]
const faults: unknown[] = []

beforeAll(async () => {
  deps = await testDeps({ onInternalError: (error) => void faults.push(error) })
  objects = await localObjects(join(deps.config.data, 'objects'))
  account_kid = await addAccount(deps)
  north = newKid()
  await deps.db
    .insertInto('terminal_group')
    .values({ kid: north, account_kid, parent_kid: null, name: 'North', depth: 1 })
    .execute()
  kids = Array.from({ length: count }, newKid)
  const nothing = {
    name: '',
    imei: null,
    resolution: null,
    host: null,
    qrcode_kid: null,
    secret_hash: null,
    first_connected_at: null,
    quarantined_until: null,
  }
  const registered_at = deps.clock.now()
  await deps.db
    .insertInto('terminal')
    .values(
      kids.map((kid, n) => ({
        ...nothing,
        kid,
        account_kid,
        sn: `SN-${String(n).padStart(5, '0')}`,
        model: n % 3 === 0 ? 'M3' : 'M1',
        terminal_group_kid: n < 5 ? north : null,
        tags: n === 0 ? ['=lab', 'vip'] : [],
        claim_hash: Buffer.alloc(1),
        registered_at,
      })),
    )
    .execute()
  await deps.db
    .insertInto('terminal_state')
    .values(kids.map((terminal_kid) => ({ terminal_kid, account_kid })))
    .execute()
  await addTerminal(deps, await addAccount(deps), { sn: 'OF ANOTHER', model: 'M3' })
})
afterAll(async () => {
  expect(faults).toEqual([])
  await deps.close()
})
afterEach(async () => {
  gate?.()
  gate = undefined
  await idle()
  await deps.db.deleteFrom('terminal_export').execute()
})

/** Holds the bytes of an export back until it is called. */
let gate: (() => void) | undefined
function withObjects(): TestDeps {
  const store: ObjectStore = {
    ...objects,
    async put(key, body, max) {
      if (hold) await hold
      return objects.put(key, body, max)
    },
  }
  const hold = gate ? new Promise<void>((resolve) => (gate = resolve)) : undefined
  return Object.assign(deps, { objects: store })
}
const held = (): TestDeps => {
  gate = () => {}
  return withObjects()
}

const who = (on = deps, group_kids?: readonly string[]): Actor => testActor(on, account_kid, group_kids)
const wanted = (more: Partial<ExportInput> = {}): ExportInput => ({
  match: TerminalFilter.parse({}),
  sort: 'sn',
  format: 'csv',
  name: 'Thiết bị: all',
  zone_id: 'Asia/Ho_Chi_Minh',
  columns: [{ key: 'sn', title: 'SN' }],
  ...more,
})
const stateOf = async (kid: string): Promise<ExportState | undefined> =>
  (await recent(who())).find((row) => row.kid === kid)?.state
const ended = async (kid: string, state: ExportState = 'done') =>
  void (await expect.poll(() => stateOf(kid)).toBe(state))
/** Nothing is being written any more. */
async function idle(): Promise<void> {
  await deps.db.updateTable('terminal_export').set({ state: 'failed' }).where('state', '=', 'running').execute()
  await new Promise((resolve) => setTimeout(resolve, 50))
}
const bytesOf = async (kid: string) => (await fileOf(who(), kid)).body as AsyncIterable<Buffer>
const linesOf = async (kid: string): Promise<string[]> =>
  (await text(await bytesOf(kid)))
    .replace(/^\uFEFF/, '')
    .trimEnd()
    .split('\r\n')

describe('an export', () => {
  it('says which devices it covers', async () => {
    const rangeOf = async (more: Partial<ExportInput>) => {
      const { kid } = await start(who(withObjects()), wanted(more), 'en')
      await ended(kid)
      const { range, match } = shown((await recent(who())).find((row) => row.kid === kid)!)
      return [range, match]
    }
    const some = TerminalFilter.parse({ is_online: true })
    expect(await rangeOf({})).toEqual(['all', null])
    expect(await rangeOf({ match: some })).toEqual(['filter', some])
    const { kid } = await deps.db
      .selectFrom('terminal')
      .select('kid')
      .where('account_kid', '=', account_kid)
      .limit(1)
      .executeTakeFirstOrThrow()
    expect(await rangeOf({ match: undefined, terminal_kids: [kid] })).toEqual(['named', null])
  })

  it('holds every device that matches, in the order asked for, in the words and the zone of who asked', async () => {
    deps.events.length = 0
    const columns = [
      { key: 'sn', title: 'SN' },
      { key: 'is_online', title: '=Trạng thái', words: { true: 'Trực tuyến', false: 'Ngoại tuyến' } },
      { key: 'registered_at', title: 'Lúc' },
      { key: 'tags', title: 'Nhãn' },
    ]
    const match = TerminalFilter.parse({ where: { any: [{ field: 'model', op: 'is_one_of', value: ['M3'] }] } })
    const { kid } = await start(who(withObjects()), wanted({ match, columns, order: 'asc' }), 'vi')
    await ended(kid)
    const [head, first, ...rest] = await linesOf(kid)
    expect([head, first]).toEqual(["SN,'=Trạng thái,Lúc,Nhãn", `SN-00000,Ngoại tuyến,2026/01/15 15:00:00,"'=lab, vip"`])
    expect(rest.map((line) => line.slice(0, 8))).toEqual(
      Array.from({ length: count / 3 - 1 }, (_, n) => `SN-${String((n + 1) * 3).padStart(5, '0')}`),
    )
    const [row] = await recent(who())
    expect(shown(row!)).toMatchObject({
      state: 'done',
      name: 'Thiết bị_ all.csv',
      total: count / 3,
      done: count / 3,
      created_by: 'Ann',
    })
    const told = deps.events.flatMap(({ account_kid: of, event }) =>
      event.type === 'terminal_export' ? [{ of, ...event }] : [],
    )
    expect(told.at(-1)).toMatchObject({ of: account_kid, schedule_version: kid, state: 'done', done: count / 3 })
    expect(told[0]).toMatchObject({ state: 'running', done: 0 })
  })

  it('says of each device where it is of its fence, and holds those that are asked for', async () => {
    const states = deps.db.updateTable('terminal_state')
    await states.set({ fence_state: 'inside' }).where('terminal_kid', '=', kids[1]!).execute()
    await states.set({ fence_state: 'outside' }).where('terminal_kid', '=', kids[2]!).execute()
    const words = { 0: 'Không có', 1: 'Bên trong', 2: 'Bên ngoài' }
    const columns = [
      { key: 'sn', title: 'SN' },
      { key: 'location_fence_status', title: 'Hàng rào', words },
    ]
    const of = async (location_fence_status: -1 | 0 | 1 | 2) => {
      const match = TerminalFilter.parse({ location_fence_status })
      const { kid } = await start(who(withObjects()), wanted({ match, columns, order: 'asc' }), 'vi')
      await ended(kid)
      return (await linesOf(kid)).slice(1)
    }
    expect(await of(1)).toEqual(['SN-00001,Bên trong'])
    expect(await of(2)).toEqual(['SN-00002,Bên ngoài'])
    expect((await of(0)).slice(0, 2)).toEqual(['SN-00000,Không có', 'SN-00003,Không có'])
    expect(await of(-1)).toHaveLength(count)
    await states.set({ fence_state: null }).execute()
  })

  it('holds named devices in the order in which they were named, as a workbook too', async () => {
    const named = [kids[7]!, kids[3]!, kids[7]!]
    const { kid } = await start(
      who(withObjects()),
      wanted({ match: undefined, terminal_kids: named, format: 'xlsx' }),
      'en',
    )
    await ended(kid)
    const chunks: Buffer[] = []
    for await (const chunk of await bytesOf(kid)) chunks.push(chunk)
    const [sheet] = (await readXlsx(Buffer.concat(chunks))).sheets
    expect(sheet!.rows).toEqual([['SN'], ['SN-00007'], ['SN-00003']])
  })

  it('says of each device what it reports by itself, and the level that this comes from', async () => {
    const config = {
      kid: newKid(),
      account_kid,
      section: 'collection' as const,
      updated_by_kid: newKid(),
      updated_by: 'Ann',
      updated_at: deps.clock.now(),
    }
    const value = JSON.stringify({
      ...platformConfig.collection,
      battery_percent: 7,
      is_wifi_on: false,
      is_mobile_on: false,
      is_location_on: false,
    })
    await deps.db
      .insertInto('terminal_config')
      .values({ ...config, ltscope: 30, terminal_group_kid: north, terminal_kid: null, value })
      .execute()
    const words = {
      battery_percent: 'Pin (%)',
      every_hours: 'Định kỳ (giờ)',
      is_usage_on: 'Lưu lượng',
      true: 'Có',
      source: 'Lấy từ',
      group: 'Nhóm',
      // What a group is called is not translated.
      North: 'Bắc',
    }
    const columns = [
      { key: 'sn', title: 'SN' },
      { key: 'upload_roles', title: 'Quy tắc', words },
    ]
    const { kid } = await start(
      who(withObjects()),
      wanted({ match: undefined, terminal_kids: [kids[0]!, kids[9]!], columns }),
      'vi',
    )
    await ended(kid)
    const { every_hours, battery_percent } = platformConfig.collection
    const [, inGroup, elsewhere] = await linesOf(kid)
    expect(inGroup).toBe(`SN-00000,Pin (%): 7; Định kỳ (giờ): ${every_hours}; Lưu lượng: Có; Lấy từ: Nhóm; Nhóm: North`)
    expect(elsewhere).toContain(`SN-00009,Pin (%): ${battery_percent}; wifi_dbm: `)
    expect(elsewhere).toMatch(/Lấy từ: platform$/)
    const matching = await start(who(withObjects()), wanted({ columns, order: 'asc' }), 'vi')
    await ended(matching.kid)
    const lines = await linesOf(matching.kid)
    expect([lines[1], lines[10]]).toEqual([inGroup, elsewhere])
    await deps.db.deleteFrom('terminal_config').execute()
  })

  it('is of who may see it: groups limit it, and others of these groups do not get it', async () => {
    const limited = who(withObjects(), [north])
    const { kid } = await start(limited, wanted(), 'en')
    await ended(kid)
    expect(await linesOf(kid)).toHaveLength(1 + 5)
    expect(await recent(limited)).toHaveLength(1)
    for (const other of [who(deps, [north]), testActor(deps, newKid())]) {
      expect(await recent(other)).toEqual([])
      expect(await refusalOf(fileOf(other, kid))).toBe('not_found')
      expect(await refusalOf(cancel(other, kid))).toBe('not_found')
    }
  })

  it('names only devices that are there, for who names them', async () => {
    const named = (terminal_kids: string[]) => wanted({ match: undefined, terminal_kids })
    expect(await refusalOf(start(who(withObjects()), named([kids[0]!, newKid()]), 'en'))).toBe('device_not_found')
    const limited = who(withObjects(), [north])
    expect(await refusalOf(start(limited, named([kids[0]!, kids[9]!]), 'en'))).toBe('device_not_found')
    expect(await recent(who())).toEqual([])
  })

  it('takes no column that the list does not show', async () => {
    for (const key of ['secret_hash', 'sn.length', 'constructor'])
      expect(await refusalOf(start(who(withObjects()), wanted({ columns: [{ key, title: 'x' }] }), 'en'))).toBe(
        'bad_input',
      )
  })
})

describe('one at a time', () => {
  it('refuses a second one of the account until the first is cancelled, which leaves no bytes', async () => {
    const first = await start(who(held()), wanted(), 'en')
    await expect.poll(async () => (await recent(who()))[0]!.object).not.toBeNull()
    expect(await refusalOf(start(who(), wanted(), 'en'))).toBe('export_running')
    const { object } = (await recent(who()))[0]!
    expect((await cancel(who(), first.kid)).state).toBe('canceled')
    expect(await refusalOf(cancel(who(), first.kid))).toBe('export_not_running')
    expect(await refusalOf(fileOf(who(), first.kid))).toBe('not_found')
    gate!()
    gate = undefined
    const second = await start(who(withObjects()), wanted(), 'en')
    await ended(second.kid)
    await expect.poll(() => objects.info(object!)).toBeUndefined()
    expect(await stateOf(first.kid)).toBe('canceled')
  })
})

describe('a server that dies over it', () => {
  it('is followed by one that begins again, and by none for ever', async () => {
    const dying = await otherServer(held())
    const { kid } = await start(who(dying), wanted(), 'en')
    await expect.poll(async () => (await recent(who()))[0]!.object).not.toBeNull()
    const left_over = (await recent(who()))[0]!.object!
    // What it was about to write comes to nothing: another has taken over meanwhile.
    await dying.die()
    const late = gate!
    gate = undefined
    wake(withObjects(), deviceExports)
    await ended(kid)
    late()
    expect(await linesOf(kid)).toHaveLength(1 + count)
    await expect.poll(() => objects.info(left_over)).toBeUndefined()
    expect(await linesOf(kid)).toHaveLength(1 + count)

    await deps.db.updateTable('terminal_export').set({ state: 'running', attempt: 3 }).where('kid', '=', kid).execute()
    wake(deps, deviceExports)
    await ended(kid, 'failed')
  })
})

describe('after seven days', () => {
  it('an export and its bytes are gone; so are all but the newest twenty', async () => {
    const first = await start(who(withObjects()), wanted(), 'en')
    await ended(first.kid)
    const { object } = (await recent(who()))[0]!
    await deps.clock.advance(7 * 86_400_000 - 1_000)
    await keepExports(deps)
    expect(await linesOf(first.kid)).toHaveLength(1 + count)
    await deps.clock.advance(2_000)
    expect(await refusalOf(fileOf(who(), first.kid))).toBe('not_found')
    await keepExports(deps)
    expect(await objects.info(object!)).toBeUndefined()
    expect(await deps.db.selectFrom('terminal_export').selectAll().execute()).toEqual([])

    for (let n = 0; n < 22; n++) {
      const { kid } = await start(who(), wanted({ match: undefined, terminal_kids: [kids[0]!] }), 'en')
      await ended(kid)
    }
    await keepExports(deps)
    expect(await deps.db.selectFrom('terminal_export').select('kid').execute()).toHaveLength(20)
  })
})
