import { contract } from '@mdm/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testApi } from '../../../testing/calls.ts'
import type { TestApi } from '../../../testing/calls.ts'
import { newKid } from '../../../lib/ids.ts'

const { paging, get, exists, insert, update, delete: remove } = contract.opsClientCode.calls

let o: TestApi
beforeAll(async () => {
  o = await testApi()
})
afterAll(async () => {
  expect(o.internal_errors).toEqual([])
  await o.close()
})
beforeEach(() => o.deps.db.deleteFrom('os_information').execute())
const add = (code: string, name: string, remark?: string) =>
  o.call(insert, { code, name, ...(remark === undefined ? {} : { remark }) }, o.operator)

describe('a customer code', () => {
  it('is kept as it was given, trimmed, and read again', async () => {
    const { data } = await add(' aB3dE ', '  Bưu điện 邮局 ', 'note')
    const now = o.deps.clock.now().toISOString()
    expect(data).toMatchObject({
      code: 'aB3dE',
      name: 'Bưu điện 邮局',
      remark: 'note',
      created_at: now,
      updated_at: now,
    })
    expect((await o.call(get, { kid: data.kid }, o.operator)).data).toEqual(data)
  })

  it('is refused when it is not 5 letters or digits, by field and in words a console recognises', async () => {
    for (const code of ['', 'abcd', 'abcdef', 'ab-de', 'àbcde', '     ']) {
      const reply = await o.call(insert, { code, name: 'x' }, { token: o.operator.token, lang: 'vi' })
      expect(reply).toMatchObject({ status: 400, result: 10000 })
      expect((reply.data as unknown as { fields: Record<string, string> }).fields['code']).toContain(
        'must match regular expression',
      )
    }
    for (const name of ['', ' ', 'x'.repeat(65), 'a\nb', 'a\0b']) expect((await add('AAAAA', name)).result).toBe(10000)
    expect((await o.call(paging, {}, o.operator)).data.total).toBe(0)
  })

  it('and its name are unique whatever the case, also when two people save at once', async () => {
    await add('AAAAA', 'First')
    expect((await add('aaaaa', 'Second')).result).toBe(44002)
    expect((await add('BBBBB', 'FIRST')).result).toBe(44001)
    const both = await Promise.all([add('CCCCC', 'Third'), add('ccccc', 'Fourth')])
    expect(both.map((reply) => reply.result).toSorted()).toEqual([1, 44002])
    expect((await o.call(paging, {}, o.operator)).data.total).toBe(2)
  })

  it('is edited without colliding with itself, and not onto another', async () => {
    const first = (await add('AAAAA', 'First')).data
    await add('BBBBB', 'Second')
    await o.deps.clock.advance(1_000)
    const edited = await o.call(update, { kid: first.kid, code: 'AAAAA', name: 'FIRST', remark: 'r' }, o.operator)
    expect(edited.data).toMatchObject({ name: 'FIRST', remark: 'r', created_at: first.created_at })
    expect(edited.data.updated_at).toBe(o.deps.clock.now().toISOString())
    expect((await o.call(update, { ...edited.data, code: 'bbbbb' }, o.operator)).result).toBe(44002)
    expect((await o.call(update, { ...edited.data, name: 'second' }, o.operator)).result).toBe(44001)
    expect((await o.call(get, { kid: first.kid }, o.operator)).data).toEqual(edited.data)
  })

  it('that is taken is found before saving, leaving out the row being edited', async () => {
    const { kid } = (await add('AAAAA', 'First')).data
    const isTaken = async (input: object) => (await o.call(exists, input, o.operator)).data.exists
    expect(await isTaken({ code: 'aaaaa' })).toBe(true)
    expect(await isTaken({ name: 'first' })).toBe(true)
    expect(await isTaken({ code: 'aaaaa', name: 'first', src_kid: kid })).toBe(false)
    expect(await isTaken({ code: 'BBBBB' })).toBe(false)
    expect(await isTaken({})).toBe(false)
    expect((await o.call(exists, { code: 'a\0' }, o.operator)).result).toBe(10000)
  })

  it('that does not exist is not found, by any call', async () => {
    const kid = newKid()
    expect((await o.call(get, { kid }, o.operator)).status).toBe(404)
    expect((await o.call(update, { kid, code: 'AAAAA', name: 'x' }, o.operator)).status).toBe(404)
    expect((await o.call(remove, { kid }, o.operator)).status).toBe(404)
    expect((await o.call(get, { kid: 'x' }, o.operator)).result).toBe(10000)
  })

  it('is deleted once', async () => {
    const { kid } = (await add('AAAAA', 'First')).data
    expect((await o.call(remove, { kid }, o.operator)).result).toBe(1)
    expect((await o.call(remove, { kid }, o.operator)).status).toBe(404)
  })

  it('is no business of customers, nor of operators without the permission', async () => {
    expect((await o.call(paging, {}, o.acme_root)).status).toBe(403)
    const reader = await o.person(101, o.provider.kid, `reader-${newKid()}`, ['informationListClientCode'])
    expect((await o.call(paging, {}, reader)).result).toBe(1)
    expect((await o.call(insert, { code: 'AAAAA', name: 'x' }, reader)).status).toBe(403)
  })
})

describe('the list', () => {
  it('is searched in code and name with wildcards taken literally, sorted and paged', async () => {
    for (let i = 0; i < 7; i++) {
      await add(`CODE${i}`, i === 3 ? 'fifty%' : `name ${9 - i}`)
      await o.deps.clock.advance(1_000)
    }
    const list = async (input: object) => {
      const { data } = await o.call(paging, input, o.operator)
      return { ...data, codes: data.items.map((row) => row.code.slice(4)).join('') }
    }
    expect((await list({})).codes).toBe('0123456')
    expect((await list({ sort: 'name' })).codes).toBe('3654210')
    expect((await list({ sort: 'updated_at' })).codes).toBe('6543210')
    expect((await list({ sort: 'updated_at', order: 'asc' })).codes).toBe('0123456')
    expect((await list({ text: '%' })).codes).toBe('3')
    expect((await list({ text: 'oDE5' })).codes).toBe('5')
    expect(await list({ page: 2, page_size: 3 })).toMatchObject({ codes: '345', total: 7, page: 2, page_size: 3 })
    const first = await list({ page_size: 4 })
    expect((await list({ page_size: 4, after: first.next })).codes).toBe('456')
    for (const bad of [
      { page: 0 },
      { page_size: 201 },
      { sort: 'remark' },
      { after: 'x' },
      { page: 9999, page_size: 200 },
    ])
      expect((await o.call(paging, bad as never, o.operator)).result).toBe(10000)
  })
})
