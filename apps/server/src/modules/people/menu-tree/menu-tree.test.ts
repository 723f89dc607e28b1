import { contract, permissions } from '@mdm/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testApi } from '../../../testing/calls.ts'
import type { As, TestApi } from '../../../testing/calls.ts'
import { newKid } from '../../../lib/ids.ts'
import { seedLevels } from './seed.ts'
import { ensureMenus } from './service.ts'

const { list } = contract.menuTree.calls
const { enter, leave } = contract.opsAccount.calls

let o: TestApi
beforeAll(async () => {
  o = await testApi()
  await ensureMenus(o.deps)
})
afterAll(async () => {
  expect(o.internal_errors).toEqual([])
  await o.close()
})
const codes = async (as: As, p_id?: string) =>
  (await o.call(list, p_id ? { p_id } : {}, { ...as })).data.map((menu) => menu.code)

describe('the delivered menu', () => {
  it('has an entry for every permission, once on a side, each below its parent', () => {
    const entries = seedLevels().flat()
    const access = entries.flatMap((entry) => entry.access_code ?? [])
    expect([...new Set(access)].toSorted()).toEqual([...permissions].toSorted())
    const sides = entries.flatMap(({ access_code, end_type }) => (access_code ? `${end_type} ${access_code}` : []))
    expect(sides.filter((side, at) => sides.indexOf(side) !== at)).toEqual([])
    const both = access.filter((name, at) => access.indexOf(name) !== at)
    expect(both).toEqual(['homeIndex'])
    const known = new Set(entries.map((entry) => entry.code))
    expect(known.size).toBe(entries.length)
    expect(entries.filter((entry) => entry.parent !== null && !known.has(entry.parent))).toEqual([])
    for (const { name } of entries) expect(Object.values(name).filter(Boolean)).toHaveLength(3)
  })

  it('comes back when an entry is missing and leaves what was edited', async () => {
    const { db } = o.deps
    const name = JSON.stringify({ en: 'My files', vi: 'Tệp của tôi', 'zh-cn': '我的文件' })
    await db.updateTable('menu_tree').set({ name, sort: 999 }).where('code', '=', 'fileCloudList').execute()
    await db.deleteFrom('menu_tree').where('code', '=', 'fileCloudList:delete').execute()
    const before = await db.selectFrom('menu_tree').select('kid').execute()
    await Promise.all([ensureMenus(o.deps), ensureMenus(o.deps)])
    const after = await db.selectFrom('menu_tree').select(['kid', 'code', 'name', 'sort']).execute()
    expect(after).toHaveLength(before.length + 1)
    expect(after).toHaveLength(seedLevels().flat().length)
    expect(after.find((row) => row.code === 'fileCloudList')).toMatchObject({ sort: 999, name: { en: 'My files' } })
  })
})

describe('what is seen of it', () => {
  it('by a customer: the client side as far as permitted, without empty groups', async () => {
    expect(await codes(o.acme_person)).toEqual([
      'device-manages',
      'deviceList',
      'operation-log-manage',
      'operationLogList',
    ])
    const all = await codes(o.acme_root)
    expect(all[0]).toBe('homeIndex')
    expect(all).toContain('deviceList:register')
    expect(all).not.toContain('file-manage')
    expect(all).not.toContain('deviceDetailInfo')
    const nothing = await o.person(3, o.acme.kid, 'nothing', [])
    expect(await codes(nothing)).toEqual([])
  })

  it('by an operator: the operator side, and inside a customer the client side', async () => {
    const { token } = o.operator
    const outside = await codes({ token })
    expect(outside.slice(0, 3)).toEqual(['opsHomeIndex', 'mdm-manage', 'externalUserManageList'])
    expect(outside).not.toContain('homeIndex')
    expect(outside).not.toContain('operationLogList')
    expect(outside).not.toContain('deviceList')
    await o.call(enter, { kid: o.acme.kid }, { token })
    const inside = await codes({ token })
    expect(inside).toEqual(expect.arrayContaining(['homeIndex', 'deviceList', 'operationLogList']))
    expect(inside).not.toContain('mdm-manage')
    expect(inside).not.toContain('opsHomeIndex')
    await o.call(leave, {}, { token })
    expect(await codes({ token })).toEqual(outside)
  })

  it('never includes the log of an account for an operator outside, however the menu was edited', async () => {
    const menu = o.deps.db.updateTable('menu_tree').where('code', 'in', ['operationLogList', 'operation-log-manage'])
    await menu.set({ end_type: 2 }).execute()
    expect(await codes(o.operator)).not.toContain('operationLogList')
    await menu.set({ end_type: 1 }).execute()
  })

  it('leaves out what is hidden, with everything below', async () => {
    const page = o.deps.db.updateTable('menu_tree').where('code', '=', 'deviceList')
    await page.set({ visible: 0 }).execute()
    expect((await codes(o.acme_root)).filter((code) => code.startsWith('deviceList'))).toEqual([])
    await page.set({ visible: 1 }).execute()
  })

  it('is a subtree when one is asked for', async () => {
    const { kid } = (await o.call(list, {}, o.acme_person)).data.find((menu) => menu.code === 'device-manages')!
    expect(await codes(o.acme_person, kid)).toEqual(['deviceList'])
    expect((await o.call(list, { p_id: newKid() }, o.acme_person)).status).toBe(404)
    expect((await o.call(list, { p_id: 'x' }, o.acme_person)).result).toBe(10000)
  })
})
