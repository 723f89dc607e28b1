import { constants, contract, fileLimits } from '@mdm/contract'
import type { Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testApi } from '../../../testing/calls.ts'
import type { As, TestApi } from '../../../testing/calls.ts'
import { newKid } from '../../../lib/ids.ts'
import { createAccount } from '../../people/account/index.ts'

const cloud = contract.fileCloud.calls
const platform = contract.opsPlatformFile.calls

/** Objects by the size that their uploads say. */
const objects = new Map<string, number>()
let o: TestApi
beforeAll(async () => {
  o = await testApi()
  Object.assign(o.deps, {
    signFile: () => '/files/x',
    objects: {
      size: async (key: string) => objects.get(key),
      delete: async (key: string) => void objects.delete(key),
    },
  })
})
afterAll(async () => {
  expect(o.internal_errors).toEqual([])
  await o.close()
})

type Someone = As & { kid: string; account_kid: string }
let n = 0
async function someone(space?: number): Promise<Someone> {
  const { kid } = await createAccount(o.deps.db, { type: 1, name: `Files ${(n += 1)}` })
  if (space !== undefined)
    await sql`UPDATE disk_space SET max_bytes = ${space} WHERE account_kid = ${kid}`.execute(o.deps.db)
  return { ...(await o.person(3, kid, `files${n}`, ['fileCloud*'])), account_kid: kid }
}
async function uploaded(account_kid: string, user_kid: string, size: number): Promise<string> {
  const kid = newKid()
  const at = o.deps.clock.now()
  const done = { object: kid, md5: 'm', sha256: 's', finished_at: at }
  const row = { kid, account_kid, user_kid, name: '', size, created_at: at, ...done }
  await o.deps.db.insertInto('upload').values(row).execute()
  objects.set(kid, size)
  return kid
}
const calls = (by: Someone, rows: typeof cloud = cloud) => ({
  file: async (name: string, folder_kid: string | null = null, size = 3) =>
    (await o.call(rows.insert, { upload_kid: await uploaded(by.account_kid, by.kid, size), name, folder_kid }, by))
      .data,
  folder: async (name: string, folder_kid: string | null = null, more: { device_path?: string } = {}) =>
    (await o.call(rows.insert_folder, { name, folder_kid, ...more }, by)).data.kid,
  list: async (input: Partial<In<Contract['fileCloud']['calls']['paging']>> = {}) =>
    (await o.call(rows.paging, { sort: 'name', ...input }, by)).data.items,
  names: async (folder_kid?: string) =>
    (await o.call(rows.paging, { sort: 'name', ...(folder_kid ? { folder_kid } : {}) }, by)).data.items.map(
      ({ name }) => name,
    ),
})

describe('folders', () => {
  it('stand only under folders, before files, with a path and a place on devices', async () => {
    const by = await someone()
    const { file, folder, list, names } = calls(by)
    const maps = await folder('Maps')
    const vn = await folder('Việt Nam', maps)
    await file('a.txt')
    const deep = await file('hanoi.png', vn)
    expect(deep).toMatchObject({
      path: 'Maps/Việt Nam/',
      device_path: `${constants.device_storage_root}/Maps/Việt Nam`,
    })
    expect(await names()).toEqual(['Maps', 'a.txt'])
    expect(await names(maps)).toEqual(['Việt Nam'])
    expect((await list({ text: 'HANOI' })).map(({ kid }) => kid)).toEqual([deep.kid])
    expect(await list({ text: 'a.txt', folder_kid: maps })).toEqual([])
    expect((await list({ is_flat: true })).map(({ name }) => name)).toEqual(['a.txt', 'hanoi.png'])
    expect((await list({ kids: [deep.kid, maps] })).map(({ name }) => name)).toEqual(['Maps', 'hanoi.png'])
    // Below a file nothing can be, nor below what is somebody else's.
    const others = await calls(await someone()).folder('Theirs')
    for (const folder_kid of [deep.kid, others, newKid()])
      expect(await o.call(cloud.insert_folder, { name: 'x', folder_kid }, by)).toMatchObject({ result: 45007 })
    await o.call(cloud.update, { kid: maps, device_path: '/data/maps' }, by)
    expect((await o.call(cloud.get, { kid: deep.kid }, by)).data).toMatchObject({
      device_path: '/data/maps/Việt Nam',
      folders: [{ name: 'Maps' }, { name: 'Việt Nam' }],
    })
    expect((await o.call(cloud.list_folder, {}, by)).data).toMatchObject([
      { name: 'Maps', device_path: '/data/maps' },
      { name: 'Việt Nam', device_path: '/data/maps/Việt Nam' },
    ])
  })

  it('have names by the rules, unique among what lies beside them whatever its case', async () => {
    const by = await someone()
    const { file, folder } = calls(by)
    const maps = await folder('Maps')
    for (const name of [
      '',
      ' ',
      'a/b',
      'a\\b',
      'a:b',
      'a*',
      '"',
      '<',
      'a|',
      'end.',
      '..',
      'x'.repeat(256),
      'a\u0000',
      'a\u200bb',
      'a\u202eb',
      '\u200d',
    ])
      expect([name, (await o.call(cloud.insert_folder, { name }, by)).result]).toEqual([name, 45002])
    expect(await o.call(cloud.insert_folder, { name: 'MAPS' }, by)).toMatchObject({ result: 44001 })
    await folder('B\u00c1O C\u00c1O')
    expect(await o.call(cloud.insert_folder, { name: 'ba\u0301o ca\u0301o' }, by)).toMatchObject({ result: 44001 })
    expect(await o.call(cloud.make_path, { names: ['maps', 'Deep'] }, by)).toMatchObject({ result: 1 })
    const one = await file('Maps', maps)
    expect(one.name).toBe('Maps')
    expect(await o.call(cloud.update, { kid: one.kid, name: 'deep' }, by)).toMatchObject({ result: 44001 })
    expect(await o.call(cloud.update, { kid: one.kid, name: 'map.png', is_visible: false }, by)).toMatchObject({
      result: 1,
    })
    expect((await o.call(cloud.get, { kid: one.kid }, by)).data).toMatchObject({
      name: 'map.png',
      is_visible: false,
      content_type: 'image/png',
    })
  })

  it('are nested as deep as they may be, made by many at once', async () => {
    const by = await someone()
    const names = Array.from({ length: fileLimits.depth }, (_, at) => `L${at}`)
    const made = await Promise.all(Array.from({ length: 8 }, () => o.call(cloud.make_path, { names }, by)))
    expect(new Set(made.map(({ data }) => data.kid)).size).toBe(1)
    const [{ data }] = made as [(typeof made)[0]]
    expect(await o.call(cloud.insert_folder, { name: 'x', folder_kid: data.kid }, by)).toMatchObject({ result: 45008 })
    expect((await o.call(cloud.get_space, {}, by)).data).toMatchObject({
      folder_count: fileLimits.depth,
      file_count: 0,
    })
  })
})

describe('moving, copying, deleting', () => {
  it('moves many, never a folder into itself, and says nothing of what is not its own', async () => {
    const by = await someone()
    const { file, folder, names } = calls(by)
    const [a, b] = [await folder('A'), await folder('B')]
    const within = await folder('Within', a)
    const [one, two] = [await file('1.txt'), await file('2.txt', b)]
    const move = (kids: string[], folder_kid: string | null) => o.call(cloud.move, { kids, folder_kid }, by)
    expect(await move([a], within)).toMatchObject({ result: 45010 })
    expect(await move([a], a)).toMatchObject({ result: 45010 })
    expect(await move([one.kid, b], within)).toMatchObject({ result: 1 })
    expect(await names(within)).toEqual(['B', '1.txt'])
    expect((await o.call(cloud.get, { kid: two.kid }, by)).data.path).toBe('A/Within/B/')
    await file('1.TXT')
    expect(await move([one.kid], null)).toMatchObject({ result: 44001 })
    const theirs = await calls(await someone()).file('theirs.txt')
    expect(await move([one.kid, theirs.kid], a)).toMatchObject({ status: 404 })
    expect(await names(within)).toEqual(['B', '1.txt'])
  })

  it('copies folders with all in them, numbers what is taken, and counts the space; bytes stay with the last of them', async () => {
    const by = await someone(100)
    const { file, folder, names } = calls(by)
    const a = await folder('A')
    const one = await file('map.tar.gz', a, 30)
    const copy = (kids: string[], folder_kid: string | null = null) => o.call(cloud.copy, { kids, folder_kid }, by)
    expect((await copy([a])).data.kids).toHaveLength(1)
    expect(await names()).toEqual(['A', 'A (2)'])
    expect(await copy([a], a)).toMatchObject({ result: 45010 })
    expect((await copy([one.kid], a)).result).toBe(1)
    expect(await names(a)).toEqual(['map (2).tar.gz', 'map.tar.gz'])
    expect(await copy([a])).toMatchObject({ result: 45005 })
    const { object } = await o.deps.db
      .selectFrom('file_cloud')
      .select('object')
      .where('kid', '=', one.kid)
      .executeTakeFirstOrThrow()
    expect((await o.call(cloud.batch_delete, { kids: [a, one.kid] }, by)).data).toEqual({ deleted: 2, kept: [] })
    expect(objects.has(object!)).toBe(true)
    expect((await o.call(cloud.get_space, {}, by)).data).toMatchObject({ used: 30, file_count: 1, folder_count: 1 })
    const [left] = await calls(by).list()
    expect((await o.call(cloud.delete, { kid: left!.kid }, by)).result).toBe(1)
    expect(objects.has(object!)).toBe(false)
    expect((await o.call(cloud.get_space, {}, by)).data).toMatchObject({ used: 0, file_count: 0, folder_count: 0 })
  })

  it('keeps what a push still needs, and the folder that it is in', async () => {
    const by = await someone()
    const { file, folder, names } = calls(by)
    const a = await folder('A')
    const needed = await file('needed.txt', a)
    const free = await file('free.txt')
    const task = {
      kid: newKid(),
      account_kid: (await createAccount(o.deps.db, { type: 1, name: `Other ${n}` })).kid,
      type: 'file' as const,
      payload: JSON.stringify({ files: [{ kid: needed.kid }], path: '/' }),
      description: '',
      summary: '',
      created_by_kid: by.kid,
      created_by: '',
      created_at: o.deps.clock.now(),
      total: 0,
      wait_receipt: 0,
    }
    await o.deps.db.insertInto('push_task').values(task).execute()
    expect((await o.call(cloud.batch_delete, { kids: [a, free.kid] }, by)).data).toEqual({
      deleted: 1,
      kept: [{ kid: a, name: 'A' }],
    })
    expect(await o.call(cloud.delete, { kid: needed.kid }, by)).toMatchObject({ result: 43011 })
    await o.deps.db.updateTable('push_task').set({ ended_at: o.deps.clock.now() }).where('kid', '=', task.kid).execute()
    expect((await o.call(cloud.delete, { kid: a }, by)).result).toBe(1)
    expect(await names()).toEqual([])
  })

  it('gives the last bytes to as many of twenty as fit, whether they are uploaded or copied', async () => {
    const by = await someone(105)
    const first = await calls(by).file('first.bin', null, 10)
    const kids = await Promise.all(Array.from({ length: 10 }, () => uploaded(by.account_kid, by.kid, 10)))
    const tried = await Promise.all([
      ...kids.map((upload_kid, at) => o.call(cloud.insert, { upload_kid, name: `${at}.bin` }, by)),
      ...Array.from({ length: 10 }, () => o.call(cloud.copy, { kids: [first.kid] }, by)),
    ])
    expect(tried.filter(({ result }) => result === 1)).toHaveLength(9)
    expect(tried.filter(({ result }) => result === 45005)).toHaveLength(11)
    expect((await o.call(cloud.get_space, {}, by)).data).toMatchObject({ used: 100, file_count: 10 })
  })
})

describe('platform files', () => {
  it('are seen and copied by every customer, changed by the provider alone', async () => {
    const provider = { ...o.operator, kid: o.operator.kid, account_kid: o.provider.kid } as Someone
    const { file, folder } = calls(provider, platform)
    const shelf = await folder(`Shelf ${newKid()}`)
    const given = await file('given.txt', shelf)
    const by = await someone()
    const seen = (await calls(by).list({ text: 'given.txt' })).find(({ kid }) => kid === given.kid)
    expect(seen).toMatchObject({ origin: 'platform', created_by: '', parent_kid: shelf })
    expect((await calls(by).list({ origin: 'private' })).length).toBe(0)
    for (const refused of [
      o.call(cloud.update, { kid: given.kid, name: 'mine.txt' }, by),
      o.call(cloud.delete, { kid: given.kid }, by),
      o.call(cloud.move, { kids: [given.kid], folder_kid: null }, by),
    ])
      expect((await refused).status).toBe(404)
    expect(await o.call(cloud.insert_folder, { name: 'x', folder_kid: shelf }, by)).toMatchObject({ result: 45007 })
    expect((await o.call(cloud.copy, { kids: [shelf] }, by)).result).toBe(1)
    expect((await calls(by).list({ is_flat: true, origin: 'private' })).map(({ name }) => name)).toEqual(['given.txt'])
    expect((await o.call(platform.delete, { kid: shelf }, provider)).result).toBe(1)
    // The copy is the customer's own now, bytes and all.
    const [own] = await calls(by).list({ is_flat: true, origin: 'private' })
    expect([...objects.keys()]).toContain(
      (await o.deps.db.selectFrom('file_cloud').select('object').where('kid', '=', own!.kid).executeTakeFirstOrThrow())
        .object,
    )
    expect((await o.call(platform.paging, {}, by)).status).toBe(403)
  })
})
