import { constants, contract } from '@mdm/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { actorOf } from '../../../actor.ts'
import { testApi } from '../../../testing/calls.ts'
import type { As, TestApi } from '../../../testing/calls.ts'
import { newKid } from '../../../lib/ids.ts'
import { bytesText } from '../../../lib/bytes.ts'
import { createAccount } from '../../people/account/index.ts'
import { lockingDatabases, openDeps } from '../../../testing/devices.ts'
import type { TestDeps } from '../../../testing/deps.ts'
import { beginUpload } from '../../../files/upload-space.ts'
import { copy, insert } from '../file-cloud/index.ts'
import { pushes } from './report.ts'
import { ownSpace, get as spaceFor, updateSpace } from './service.ts'

const disk = contract.opsFileDisk.calls
const apps = contract.opsAppCenter.calls
const report = contract.opsContentReport.calls
const cloud = contract.fileCloud.calls

let o: TestApi
beforeAll(async () => {
  o = await testApi()
})
afterAll(async () => {
  expect(o.internal_errors).toEqual([])
  await o.close()
})

/** An upload whose bytes have all arrived; its kid. */
async function uploaded(
  { db, clock }: Pick<TestDeps, 'db' | 'clock'>,
  account_kid: string,
  user_kid: string,
  size: number,
) {
  const kid = newKid()
  const at = clock.now()
  const done = { object: kid, md5: 'm', sha256: 's', finished_at: at }
  await db
    .insertInto('upload')
    .values({ kid, account_kid, user_kid, name: '', size, created_at: at, ...done })
    .execute()
  return kid
}
/** Objects that are as large as their uploads say. */
const objectsOf = ({ db }: Pick<TestDeps, 'db'>): Partial<TestDeps['objects']> => ({
  async size(object) {
    const row = await db.selectFrom('upload').select('size').where('kid', '=', object).executeTakeFirst()
    return row?.size
  },
  async delete() {},
})

describe('disk space', () => {
  const update = (space: number, row: { kid: string; account_kid: string }, by: As = o.operator) =>
    o.call(disk.update_space, { kid: row.kid, account_kid_param: row.account_kid, disk_space: space }, by)
  const get = async (kid: string) => (await o.call(disk.get, { account_kid_param: kid }, o.operator)).data

  it('is there from the beginning, read and changed by operators', async () => {
    const row = await get(o.acme.kid)
    expect(row).toMatchObject({
      account_kid: o.acme.kid,
      disk_space: constants.default_disk_space,
      used: 0,
      item_count: 0,
    })
    expect((await update(2 ** 30, row)).result).toBe(1)
    expect((await get(o.acme.kid)).disk_space).toBe(2 ** 30)
    const center = await o.call(apps.get, { account_kid_param: o.acme.kid }, o.operator)
    expect(center.data).toMatchObject({ disk_space: constants.default_disk_space })
    const input = { kid: center.data.kid, account_kid_param: o.acme.kid, disk_space: 5 }
    expect((await o.call(disk.update_space, input, o.operator)).status).toBe(404)
    expect((await o.call(apps.update_space, input, o.operator)).result).toBe(1)
    expect((await update(1, { ...row, account_kid: o.globex.kid })).status).toBe(404)
    expect((await update(-1, row)).result).toBe(10000)
    for (const kid of [newKid(), o.provider.kid])
      expect((await o.call(disk.get, { account_kid_param: kid }, o.operator)).status).toBe(404)
    expect((await update(1, row, o.acme_root)).status).toBe(403)
  })

  it('cannot be smaller than what is in it', async () => {
    const { kid } = await createAccount(o.deps.db, { type: 1, name: 'Full' })
    const file = {
      kid: newKid(),
      account_kid: kid,
      name: 'f',
      size: 1536,
      md5: '',
      sha256: '',
      content_type: '',
      object: 'f',
    }
    const values = { ...file, created_by_kid: kid, created_by: '', created_at: o.deps.clock.now() }
    await o.deps.db.insertInto('file_cloud').values(values).execute()
    const row = await get(kid)
    expect(row).toMatchObject({ used: 1536, item_count: 1 })
    const refused = await update(1535, row)
    expect(refused).toMatchObject({ result: 45006 })
    expect(refused.message).toContain('1.5 KB')
    expect((await update(1536, row)).result).toBe(1)
    await o.deps.db.deleteFrom('file_cloud').where('kid', '=', file.kid).execute()
    expect(await get(kid)).toMatchObject({ used: 0, item_count: 0, disk_space: 1536 })
  })

  it.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1 KB'],
    [1_587_000, '1.51 MB'],
    [10 * 2 ** 30, '10 GB'],
    [3 * 2 ** 60, '3072 PB'],
  ])('%d bytes read %s', (bytes, text) => {
    expect(bytesText(bytes)).toBe(text)
  })
})

describe('a file that does not fit', () => {
  it('is refused whole, its upload can be kept once there is room', async () => {
    Object.assign(o.deps, { objects: objectsOf(o.deps), signFile: () => '/' })
    const { kid } = await createAccount(o.deps.db, { type: 1, name: 'Tight' })
    const by = await o.person(3, kid, 'tight', ['fileCloud*'])
    await sql`UPDATE disk_space SET max_bytes = 10 WHERE account_kid = ${kid}`.execute(o.deps.db)
    const keep = (upload_kid: string, name: string) => o.call(cloud.insert, { upload_kid, name }, by)
    const first = await uploaded(o.deps, kid, by.kid, 6)
    const second = await uploaded(o.deps, kid, by.kid, 5)
    expect((await keep(first, 'first')).result).toBe(1)
    expect((await keep(second, 'second')).result).toBe(45005)
    const { items } = (await o.call(cloud.paging, {}, by)).data
    expect(items.map((file) => file.name)).toEqual(['first'])
    expect((await o.call(cloud.delete, { kid: items[0]!.kid }, by)).result).toBe(1)
    expect((await keep(second, 'second')).result).toBe(1)
  })

  describe.each(lockingDatabases)('on %s', (kind) => {
    it('leaves the last bytes to as many of 20 as fit', async () => {
      const deps = await openDeps(kind)
      Object.assign(deps, { objects: objectsOf(deps), signFile: () => '/' })
      const { kid } = await createAccount(deps.db, { type: 1, name: 'Raced' })
      await sql`UPDATE disk_space SET max_bytes = 75 WHERE account_kid = ${kid} AND area = 'file_disk'`.execute(deps.db)
      const user_kid = newKid()
      const actor = actorOf(deps, { account_kid: kid, group_kids: undefined, user_kid, name: 'x', token_kid: null })
      const made = await Promise.allSettled(
        Array.from({ length: 20 }, async (_, n) => {
          const upload_kid = await uploaded(deps, kid, user_kid, 10)
          return insert(
            { ...actor, uploads: actor.scope },
            { upload_kid, name: `${n}.txt`, folder_kid: null, is_visible: true },
          )
        }),
      )
      const refused = made.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
      expect(refused).toHaveLength(13)
      for (const reason of refused) expect(reason).toMatchObject({ refusal: 'storage_exceeded' })
      const row = await deps.db
        .selectFrom('disk_space')
        .selectAll()
        .where('account_kid', '=', kid)
        .orderBy('area')
        .execute()
      expect(row.map((each) => [each.area, each.used_bytes, each.item_count])).toEqual([
        ['app_center', 0, 0],
        ['file_disk', 70, 7],
      ])
      await deps.close()
    })

    it('of a customer is shared by its sub-accounts, also when 20 take of it at once', async () => {
      const deps = await openDeps(kind)
      const root = await createAccount(deps.db, { type: 1, name: 'Family' })
      const subs = []
      for (const name of ['Family A', 'Family B'])
        subs.push(await createAccount(deps.db, { type: 2, name, parent_kid: root.kid }))
      await sql`UPDATE disk_space SET max_bytes = 75 WHERE account_kid = ${root.kid}`.execute(deps.db)
      const begin = ({ kid }: { kid: string }) =>
        beginUpload(deps, {
          account_kid: kid,
          user_kid: newKid(),
          name: '',
          size: 10,
          area: 'file_disk',
          fingerprint: '',
        })
      const all = [root, ...subs]
      const begun = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => begin(all[n % 3]!)))
      const refused = begun.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
      expect(refused).toHaveLength(13)
      for (const reason of refused) expect(reason).toMatchObject({ refusal: 'storage_exceeded' })
      const actor = (account_kid: string) =>
        actorOf(deps, { account_kid, group_kids: undefined, user_kid: newKid(), name: 'x', token_kid: null })
      for (const { kid } of all) {
        const { disk_space, used, arriving } = await ownSpace(actor(kid), 'file_disk')
        expect(disk_space - used - arriving).toBe(5)
      }
      await deps.close()
    })

    it('tells at every moment what is stored and what arrives, also while an upload is being kept', async () => {
      const deps = await openDeps(kind)
      const { kid: account_kid } = await createAccount(deps.db, { type: 1, name: 'Keeping' })
      const user_kid = newKid()
      const actor = actorOf(deps, { account_kid, group_kids: undefined, user_kid, name: 'x', token_kid: null })
      const file = { account_kid, user_kid, name: '', size: 10, area: 'file_disk', fingerprint: '' } as const
      const keep = (kid: string) =>
        deps.db.transaction().execute(async (trx) => {
          await sql`UPDATE upload SET claimed_at = now() WHERE kid = ${kid}`.execute(trx)
          await sql`UPDATE disk_space SET used_bytes = used_bytes + 10
            WHERE account_kid = ${account_kid} AND area = 'file_disk'`.execute(trx)
        })
      for (let kept = 0; kept < 20; kept++) {
        const { kid } = await beginUpload(deps, file)
        const [seen] = await Promise.all([ownSpace(actor, 'file_disk'), keep(kid)])
        expect([
          [kept * 10, 10],
          [kept * 10 + 10, 0],
        ]).toContainEqual([seen.used, seen.arriving])
      }
      await deps.close()
    })

    it('of a customer is kept for no more sub-accounts than fit, also when 20 are given a share at once', async () => {
      const deps = await openDeps(kind)
      const root = await createAccount(deps.db, { type: 1, name: 'Sharing' })
      await sql`UPDATE disk_space SET max_bytes = 75 WHERE account_kid = ${root.kid}`.execute(deps.db)
      const subs = []
      for (let n = 0; n < 20; n++)
        subs.push(await createAccount(deps.db, { type: 2, name: `Sharing ${n}`, parent_kid: root.kid }))
      const given = await Promise.allSettled(
        subs.map(async ({ kid: account_kid }) => {
          const { kid } = await spaceFor(deps, 'file_disk', account_kid)
          await updateSpace(deps, 'file_disk', { kid, account_kid, disk_space: 10 })
        }),
      )
      const refused = given.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
      expect(refused).toHaveLength(13)
      for (const reason of refused) expect(reason).toMatchObject({ refusal: 'storage_beyond_customer' })
      await deps.close()
    })

    it('leaves copies no more than uploads that are on their way do, in whichever order 20 of both come', async () => {
      const deps = await openDeps(kind)
      Object.assign(deps, { objects: objectsOf(deps), signFile: () => '/' })
      const { kid: account_kid } = await createAccount(deps.db, { type: 1, name: 'Copies' })
      const user_kid = newKid()
      const actor = actorOf(deps, { account_kid, group_kids: undefined, user_kid, name: 'x', token_kid: null })
      const keep = (upload_kid: string, name: string) =>
        insert({ ...actor, uploads: actor.scope }, { upload_kid, name, folder_kid: null, is_visible: true })
      const begin = (size: number) =>
        beginUpload(deps, { account_kid, user_kid, name: '', size, area: 'file_disk', fingerprint: '' })
      const file = await keep(await uploaded(deps, account_kid, user_kid, 10), 'file.txt')
      const duplicate = () => copy(actor, { kids: [file.kid], folder_kid: null })
      const space = (max_bytes: number) =>
        deps.db.updateTable('disk_space').set({ max_bytes }).where('account_kid', '=', account_kid).execute()

      await space(35)
      const first = await begin(20)
      await expect(duplicate()).rejects.toMatchObject({ refusal: 'storage_exceeded' })
      await expect(begin(10)).rejects.toMatchObject({ refusal: 'storage_exceeded' })

      await space(75)
      const made = await Promise.allSettled(
        Array.from({ length: 20 }, async (_, n) => void (await (n % 2 === 0 ? begin(10) : duplicate()))),
      )
      const refused = made.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
      expect(refused).toHaveLength(16)
      for (const reason of refused) expect(reason).toMatchObject({ refusal: 'storage_exceeded' })

      // What has room on its way has it when it is kept.
      const arrived = { object: sql<string>`kid::text`, md5: 'm', sha256: 's', finished_at: deps.clock.now() }
      await deps.db.updateTable('upload').set(arrived).where('claimed_at', 'is', null).execute()
      const arriving = await deps.db.selectFrom('upload').select('kid').where('claimed_at', 'is', null).execute()
      expect(arriving.map(({ kid }) => kid)).toContain(first.kid)
      for (const { kid } of arriving) await keep(kid, `${kid}.txt`)
      const { used_bytes } = await deps.db
        .selectFrom('disk_space')
        .select('used_bytes')
        .where('account_kid', '=', account_kid)
        .where('area', '=', 'file_disk')
        .executeTakeFirstOrThrow()
      expect(used_bytes).toBe(70)
      await deps.close()
    })
  })
})

describe('the space of a customer', () => {
  const area = 'file_disk'
  const size = (account_kid: string, bytes: number) =>
    o.deps.db
      .updateTable('disk_space')
      .set({ used_bytes: bytes })
      .where('account_kid', '=', account_kid)
      .where('area', '=', area)
      .execute()
  const get = async (account_kid_param: string) => (await o.call(disk.get, { account_kid_param }, o.operator)).data
  const set = async (account_kid_param: string, disk_space?: number) =>
    o.call(disk.update_space, { kid: (await get(account_kid_param)).kid, account_kid_param, disk_space }, o.operator)
  const room = async (account_kid: string) => {
    const of = { account_kid, group_kids: undefined, user_kid: newKid(), name: 'x', token_kid: null }
    const { disk_space, used } = await ownSpace(actorOf(o.deps, of), area)
    return disk_space - used
  }
  async function family(name: string, max: number) {
    const root = (await createAccount(o.deps.db, { type: 1, name })).kid
    const below = async (of: string) =>
      (await createAccount(o.deps.db, { type: 2, name: `${name} ${of}`, parent_kid: root })).kid
    const [first, second] = [await below('A'), await below('B')]
    await set(root, max)
    return { root, first, second }
  }

  it('is no more with sub-accounts than without, and is kept for those that have a share of it', async () => {
    const { root, first, second } = await family('Kept', 100)
    expect(await get(first)).toMatchObject({ disk_space: 100, is_shared: true, most: 100, least: 0 })
    expect((await set(first, 60)).result).toBe(1)
    expect(await get(first)).toMatchObject({ disk_space: 60, is_shared: false, most: 100 })
    // Who has none draws on what is neither used nor kept.
    expect([await room(root), await room(first), await room(second)]).toEqual([40, 60, 40])
    await size(first, 20)
    await size(second, 10)
    expect([await room(root), await room(first), await room(second)]).toEqual([30, 40, 30])
    const beyond = await set(second, 41)
    expect(beyond).toMatchObject({ result: 45018 })
    expect(beyond.message).toContain('40 B')
    expect((await set(second, 40)).result).toBe(1)
    expect([await room(root), await room(first), await room(second)]).toEqual([0, 40, 30])
    // Below what it stores it is not, and given back it is everybody's again.
    expect((await set(first, 19)).result).toBe(45006)
    expect((await set(first)).result).toBe(1)
    expect([await room(root), await room(first), await room(second)]).toEqual([40, 40, 30])
  })

  it('cannot be smaller than what all of its accounts store and what is kept for them', async () => {
    const { root, first, second } = await family('Least', 100)
    await set(first, 60)
    await size(root, 5)
    await size(second, 10)
    expect(await get(root)).toMatchObject({ disk_space: 100, is_shared: false, least: 75, most: null })
    const refused = await set(root, 74)
    expect(refused).toMatchObject({ result: 45006 })
    expect(refused.message).toContain('75 B')
    expect((await set(root, 75)).result).toBe(1)
    expect((await set(root)).data).toMatchObject({ fields: { disk_space: expect.anything() } })
  })

  it('counts once in the report, where a sub-account without a share is shown its', async () => {
    const before = (await o.call(report.total, {}, o.operator)).data
    const { root, first } = await family('Counted', 1000)
    await set(first, 300)
    const after = (await o.call(report.total, {}, o.operator)).data
    expect(after.file_space - before.file_space).toBe(1000)
    const { items } = (await o.call(report.paging, { text: 'counted', sort: 'name' }, o.operator)).data
    expect(items.map(({ kid, file_space }) => [kid === root, file_space])).toEqual([
      [true, 1000],
      [false, 300],
      [false, 1000],
    ])
  })

  it('holds configuration files too', async () => {
    Object.assign(o.deps, {
      objects: { put: async () => undefined, delete: async () => undefined },
      signFile: () => '/',
    })
    const { root } = await family('Configured', 10)
    const by = await o.person(3, root, 'configured', ['configureFilePush*'])
    const calls = contract.configFile.calls
    const add = (name: string, bytes: number) =>
      o.call(calls.insert, { name, content: Buffer.alloc(bytes).toString('base64'), path: '/etc/x' }, by)
    const first = await add('one.xml', 7)
    expect(first.result).toBe(1)
    expect(await get(root)).toMatchObject({ used: 7, item_count: 1 })
    expect((await add('two.xml', 4)).result).toBe(45005)
    expect((await o.call(calls.delete, { kid: first.data.kid }, by)).result).toBe(1)
    expect(await get(root)).toMatchObject({ used: 0, item_count: 0 })
    expect((await add('two.xml', 4)).result).toBe(1)
  })
})

describe('the content report', () => {
  const day_ms = 24 * 3_600_000
  const task = async (
    account_kid: string,
    days_ago: number,
    counts: { completed: number; failed: number },
    type = 'file',
  ) =>
    o.deps.db
      .insertInto('push_task')
      .values({
        kid: newKid(),
        account_kid,
        type: type as 'file',
        payload: '{}',
        description: '',
        summary: '',
        created_by_kid: newKid(),
        created_by: '',
        created_at: new Date(o.deps.clock.now().getTime() - days_ago * day_ms),
        total: 100,
        wait_receipt: 100 - counts.completed - counts.failed,
        ...counts,
      })
      .execute()

  it('says what each stores and pushed in the time, and all together', async () => {
    const { kid } = await createAccount(o.deps.db, { type: 1, name: 'Report A' })
    const other = await createAccount(o.deps.db, { type: 1, name: 'Report B' })
    const before = (await o.call(report.total, {}, o.operator)).data
    await task(kid, 1, { completed: 5, failed: 1 })
    await task(kid, 29, { completed: 7, failed: 0 }, 'app_install')
    await task(kid, 31, { completed: 9, failed: 2 })
    await task(kid, 1, { completed: 50, failed: 0 }, 'message')
    await task(other.kid, 2, { completed: 1, failed: 3 })
    await sql`UPDATE disk_space SET used_bytes = 70, item_count = 2 WHERE account_kid = ${kid} AND area = 'app_center'`.execute(
      o.deps.db,
    )
    await sql`UPDATE disk_space SET used_bytes = 8, item_count = 1 WHERE account_kid = ${other.kid} AND area = 'file_disk'`.execute(
      o.deps.db,
    )
    const rows = async (input: object) => (await o.call(report.paging, { text: 'report ', ...input }, o.operator)).data
    const all = await rows({})
    expect(all.items.map((row) => row.name)).toEqual(['Report A', 'Report B'])
    expect(all.items[0]).toMatchObject({
      kid,
      type: 1,
      file_count: 0,
      file_used: 0,
      file_space: constants.default_disk_space,
      app_count: 2,
      app_used: 70,
      push_count: 2,
      download_count: 12,
      failed_count: 1,
    })
    expect(all.items[1]).toMatchObject({ file_used: 8, push_count: 1, download_count: 1, failed_count: 3 })
    const from = new Date(o.deps.clock.now().getTime() - 40 * day_ms).toISOString()
    const to = new Date(o.deps.clock.now().getTime() - 10 * day_ms).toISOString()
    expect((await rows({ from, to })).items[0]).toMatchObject({ push_count: 2, download_count: 16, failed_count: 2 })
    for (const sort of ['name', 'file_used', 'file_count', 'app_used'] as const) {
      const first = await rows({ sort, page_size: 1 })
      const rest = await rows({ sort, page_size: 1, after: first.next! })
      expect([...first.items, ...rest.items].map((row) => row.kid).toSorted()).toEqual([kid, other.kid].toSorted())
    }
    const total = (await o.call(report.total, {}, o.operator)).data
    expect(total.push_count - before.push_count).toBe(3)
    expect(total.download_count - before.download_count).toBe(13)
    expect(total.app_used - before.app_used).toBe(70)
    expect((await o.call(report.paging, {}, o.acme_root)).status).toBe(403)
  })

  it('reads the tasks of an account by index', async () => {
    await sql`INSERT INTO push_task (kid, account_kid, type, payload, description, summary, created_by_kid, created_by, created_at, total, wait_receipt)
      SELECT gen_random_uuid(), ${o.acme.kid}::uuid, CASE n % 5 WHEN 0 THEN 'file' ELSE 'message' END, '{}', '', '', gen_random_uuid(), '',
        now() - n * interval '1 hour', 1, 1 FROM generate_series(1, 5000) n`.execute(o.deps.db)
    await sql`ANALYZE push_task`.execute(o.deps.db)
    const period = { from: new Date(Date.now() - day_ms), to: new Date() }
    const plan = await pushes(o.deps.db, period).where('account_kid', '=', o.acme.kid).explain('json')
    expect(JSON.stringify(plan)).toContain('push_task_by_type')
    expect(JSON.stringify(plan)).not.toContain('Seq Scan')
  })
})
