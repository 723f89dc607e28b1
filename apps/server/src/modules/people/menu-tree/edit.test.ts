import { contract } from '@mdm/contract'
import type { Sent } from '@mdm/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testApi } from '../../../testing/calls.ts'
import type { TestApi } from '../../../testing/calls.ts'
import { newKid } from '../../../lib/ids.ts'
import { missingEntries } from './delivered.ts'
import { seedLevels } from './seed.ts'
import { ensureMenus } from './service.ts'

const ops = contract.opsMenuTree.calls
const seen = contract.menuTree.calls.list
const [fits_not, under_operation, has_children, into_itself] = [49006, 49001, 49002, 49003]
const [parent_unknown, is_delivered, duplicate_code, bad_input] = [49004, 49005, 44002, 10000]

let o: TestApi
beforeAll(async () => {
  o = await testApi()
  await ensureMenus(o.deps)
})
afterAll(async () => {
  expect(o.internal_errors).toEqual([])
  await o.close()
})

const name = { en: 'Entry', vi: 'Mục', 'zh-cn': '条目' }
let made = 0
type Draft = Partial<Sent<typeof ops.insert>>
const add = (type: 'module' | 'group' | 'page' | 'operation', draft: Draft = {}) =>
  o.call(ops.insert, { code: `own-${(made += 1)}`, name, type, end_type: 1, ...draft }, o.operator)
const kidOf = async (type: Parameters<typeof add>[0], draft: Draft = {}) => {
  const reply = await add(type, draft)
  expect(reply).toMatchObject({ result: 1 })
  return reply.data.kid
}
const all = async () => (await o.call(ops.list, {}, o.operator)).data
const read = async (kid: string) => (await o.call(ops.get, { kid }, o.operator)).data
const seeded = async (code: string) => (await all()).find((row) => row.code === code)!
const save = async (kid: string, changed: Draft & { kid?: string }) => {
  const { is_seeded: _, has_child: _child, encoding: _encoding, p_id, sort: _sort, ...row } = await read(kid)
  const visible = row.visible as 0 | 1
  return o.call(ops.update, { ...row, visible, p_id: p_id ?? 'ROOT', ...changed }, o.operator)
}
const under = async (p_id: string) => (await all()).filter((row) => row.p_id === p_id).map((row) => row.kid)

describe('the whole menu', () => {
  it('says where each entry stands and which client shows it', async () => {
    const rows = await all()
    expect(new Set(rows.map((row) => row.encoding)).size).toBe(rows.length)
    expect(rows[0]).toMatchObject({ encoding: '01', end: 'web' })
    for (const row of rows.filter(({ p_id }) => p_id !== null)) {
      const parent = rows.find(({ kid }) => kid === row.p_id)!
      expect(row.encoding).toMatch(new RegExp(`^${parent.encoding}\\.\\d\\d$`))
    }
    expect(rows.map((row) => row.encoding)).toEqual(rows.map((row) => row.encoding).toSorted())
  })

  it('is listed with both sides, hidden entries and operations, parents before children', async () => {
    const rows = await all()
    expect(rows).toHaveLength(seedLevels().flat().length)
    const at = new Map(rows.map((row, i) => [row.kid, i]))
    expect(rows.filter((row, i) => row.p_id !== null && at.get(row.p_id)! > i)).toEqual([])
    expect(new Set(rows.map((row) => row.end_type))).toEqual(new Set([1, 2]))
    expect(rows.find((row) => row.code === 'deviceList')).toMatchObject({
      is_seeded: true,
      has_child: true,
      end: 'web',
    })
    expect((await o.call(ops.list, {}, o.acme_root)).status).toBe(403)
  })

  it('says whether a code is taken', async () => {
    const { kid } = await seeded('deviceList')
    const isTaken = async (code: string, src_kid?: string) =>
      (await o.call(ops.exists, src_kid === undefined ? { code } : { code, src_kid }, o.operator)).data.exists
    expect([await isTaken('deviceList'), await isTaken('deviceList', kid), await isTaken('free')]).toEqual([
      true,
      false,
      false,
    ])
  })
})

describe('a new entry', () => {
  it('stands last, is read again, and is seen with its hint', async () => {
    const { kid: p_id } = await seeded('device-manages')
    const kid = await kidOf('page', { p_id, path: '/own/page', remind: 'New', icon: '', access_code: '' })
    expect(await read(kid)).toMatchObject({
      p_id,
      name,
      path: '/own/page',
      icon: null,
      access_code: null,
      remind: 'New',
      is_seeded: false,
      has_child: false,
    })
    expect((await under(p_id)).at(-1)).toBe(kid)
    const rows = (await o.call(seen, {}, o.acme_person)).data
    expect(rows.find((row) => row.kid === kid)).toMatchObject({ remind: 'New' })
  })

  it('stands only where its type may', async () => {
    const module = await kidOf('module')
    const group = await kidOf('group', { p_id: module })
    const page = await kidOf('page', { p_id: group })
    const operation = await kidOf('operation', { p_id: page })
    for (const type of ['module', 'group', 'page', 'operation'] as const)
      expect((await add(type, { p_id: operation })).result).toBe(under_operation)
    for (const [type, p_id] of [
      ['module', module],
      ['module', page],
      ['group', page],
      ['page', page],
      ['group', group],
      ['operation', group],
      ['operation', 'ROOT'],
    ] as const)
      expect((await add(type, { p_id })).result).toBe(fits_not)
    expect((await add('page', { p_id: newKid() })).result).toBe(parent_unknown)
  })

  it('has a code of its own, also when two people save at once', async () => {
    expect((await add('page', { code: 'deviceList' })).result).toBe(duplicate_code)
    const both = await Promise.all([add('page', { code: 'twice' }), add('page', { code: 'twice' })])
    expect(both.map((reply) => reply.result).toSorted()).toEqual([1, duplicate_code])
  })

  it('is bound to permissions that exist, to a pattern of them, or to none', async () => {
    for (const access_code of ['noSuchThing', 'noSuch*', 'deviceList:nothing'])
      expect((await add('page', { access_code })).result).toBe(bad_input)
    const pattern = await kidOf('page', { access_code: 'webhook*' })
    const sees = async (who: { token: string }) => (await o.call(seen, {}, who)).data.some((row) => row.kid === pattern)
    expect(await sees(o.acme_person)).toBe(false)
    expect(await sees(await o.person(3, o.acme.kid, 'hook.reader', ['webhookList']))).toBe(true)
  })

  it('grants nobody a call', async () => {
    const { kid: p_id } = await seeded('deviceList')
    const operation = await kidOf('operation', { p_id, access_code: 'deviceList:edit' })
    const shown = (await o.call(seen, {}, o.acme_person)).data.map((row) => row.kid)
    expect(shown).not.toContain(operation)
    expect((await save(operation, { access_code: 'deviceList' })).result).toBe(1)
    expect((await save(operation, { access_code: null, code: 'deviceList-edit' })).result).toBe(1)
    expect((await o.call(seen, {}, o.acme_person)).data.map((row) => row.kid)).toContain(operation)
    const edit = Object.values(contract.terminal.calls).find((call) => call.needs === 'deviceList:edit')!
    expect((await o.call(edit, {} as never, o.acme_person)).status).toBe(403)
    expect((await o.call(contract.opsClientCode.calls.paging, {}, o.acme_person)).status).toBe(403)
  })
})

describe('an edit', () => {
  it('of a delivered entry changes how it looks and where it stands, not what it is', async () => {
    const { kid, end_type } = await seeded('deviceDetailInfo')
    const p_id = await kidOf('group', { end_type: 2 })
    for (const changed of [
      { code: 'other' },
      { type: 'module' as const },
      { path: '/other' },
      { path: null },
      { access_code: 'deviceList' },
      { access_code: null },
    ])
      expect((await save(kid, changed)).result).toBe(is_delivered)
    const changed = {
      name: { ...name, en: 'Renamed' },
      icon: 'star',
      visible: 1 as const,
      remind: 'Hint',
      sort: 7,
      p_id,
    }
    expect((await save(kid, changed)).result).toBe(1)
    expect(await read(kid)).toMatchObject({ ...changed, code: 'deviceDetailInfo', is_seeded: true, end_type: 2 })
    const below = (await all()).filter((row) => row.p_id === kid)
    expect(new Set(below.map((row) => row.end_type))).toEqual(new Set([2]))
    const home = await seeded('device-manages')
    expect((await save(kid, { p_id: home.kid })).result).toBe(1)
    expect(await read(kid)).toMatchObject({ end_type })
    expect((await under(home.kid)).at(-1)).toBe(kid)
    await ensureMenus(o.deps)
    expect(await read(kid)).toMatchObject({ name: changed.name, icon: 'star' })
  })

  it('keeps the tree a tree', async () => {
    const module = await kidOf('module')
    const group = await kidOf('group', { p_id: module })
    const page = await kidOf('page', { p_id: group })
    expect((await save(module, { p_id: group })).result).toBe(into_itself)
    expect((await save(group, { p_id: group })).result).toBe(into_itself)
    expect((await save(group, { type: 'page' })).result).toBe(has_children)
    expect((await save(module, { type: 'group' })).result).toBe(has_children)
    expect((await save(page, { type: 'operation' })).result).toBe(fits_not)
    expect((await save(page, { code: 'deviceList' })).result).toBe(duplicate_code)
    expect((await save(page, { type: 'group', p_id: module })).result).toBe(1)
    expect((await save(page, { kid: newKid() })).status).toBe(404)
  })
})

describe('a move', () => {
  const move = (kid: string, target_parent_kid: string, before_kid: string | null = null) =>
    o.call(ops.move, { kid, target_parent_kid, before_kid }, o.operator)

  it('puts an entry before another or last, and numbers its siblings', async () => {
    const group = await kidOf('group')
    const [a, b, c] = [await kidOf('page', { p_id: group }), await kidOf('page', { p_id: group }), await kidOf('page')]
    await move(c, group, b)
    expect(await under(group)).toEqual([a, c, b])
    await move(a, group)
    expect(await under(group)).toEqual([c, b, a])
    await move(b, group, b)
    expect(await under(group)).toEqual([c, b, a])
    expect((await all()).filter((row) => row.p_id === group).map((row) => row.sort)).toEqual([10, 20, 30])
    expect((await move(a, group, newKid())).result).toBe(bad_input)
  })

  it('is refused where the entry does not fit', async () => {
    const module = await kidOf('module')
    const group = await kidOf('group', { p_id: module })
    const page = await kidOf('page', { p_id: group })
    const operation = await kidOf('operation', { p_id: page })
    expect((await move(module, group)).result).toBe(into_itself)
    expect((await move(group, group)).result).toBe(into_itself)
    expect((await move(page, operation)).result).toBe(into_itself)
    const other = await kidOf('page')
    expect((await move(other, operation)).result).toBe(under_operation)
    expect((await move(group, other)).result).toBe(fits_not)
    expect((await move(group, newKid())).result).toBe(parent_unknown)
    expect((await move(newKid(), group)).status).toBe(404)
  })

  it('of many at once loses nothing and makes no circle', async () => {
    const module = await kidOf('module')
    const group = await kidOf('group', { p_id: module })
    const pages = await Promise.all(Array.from({ length: 8 }, () => kidOf('page')))
    const replies = await Promise.all(pages.map((page, i) => move(page, group, i > 4 ? pages[0]! : null)))
    // The first of them may not be there yet when another asks to stand before it.
    expect(replies.every(({ result }) => result === 1 || result === bad_input)).toBe(true)
    const rows = (await all()).filter((row) => row.p_id === group)
    expect(rows).toHaveLength(replies.filter(({ result }) => result === 1).length)
    expect(rows.map((row) => row.sort)).toEqual(rows.map((_, i) => (i + 1) * 10))
    expect(await all()).toHaveLength((await o.deps.db.selectFrom('menu_tree').select('kid').execute()).length)
  })
})

describe('a deletion', () => {
  const remove = (kid: string) => o.call(ops.delete, { kid }, o.operator)

  it('is refused while something stands below', async () => {
    const group = await kidOf('group')
    const page = await kidOf('page', { p_id: group })
    expect((await remove(group)).result).toBe(has_children)
    expect((await remove(page)).result).toBe(1)
    expect((await remove(group)).result).toBe(1)
    expect((await remove(group)).status).toBe(404)
  })

  it('of a delivered entry is for good; what stands below it is not missing either', async () => {
    const page = await seeded('clientCodeAdd')
    for (const kid of await under(page.kid)) expect((await remove(kid)).result).toBe(1)
    expect((await remove(page.kid)).result).toBe(1)
    const operation = await seeded('fileCloudList:delete')
    expect((await remove(operation.kid)).result).toBe(1)
    const missing = await missingEntries(o.deps.db, seedLevels())
    expect(missing.flat()).toEqual([])
    // A release that comes later may know an entry more.
    const later = [...seedLevels(), [{ ...seedLevels()[2]![0]!, code: 'later', parent: 'deviceList' }]]
    const orphan = [...later, [{ ...seedLevels()[2]![0]!, code: 'orphan', parent: 'clientCodeAdd' }]]
    expect((await missingEntries(o.deps.db, orphan)).flat().map(({ code }) => code)).toEqual(['later'])
  })

  it('of an entry that was lost otherwise is made good', async () => {
    await o.deps.db.deleteFrom('menu_tree').where('code', '=', 'fileCloudPush:push').execute()
    const missing = await missingEntries(o.deps.db, seedLevels())
    expect(missing.flat().map(({ code }) => code)).toEqual(['fileCloudPush:push'])
  })
})
