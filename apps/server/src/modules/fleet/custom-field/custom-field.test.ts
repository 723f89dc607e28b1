import { contract } from '@mdm/contract'
import type { Sent } from '@mdm/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testApi } from '../../../testing/calls.ts'
import type { TestApi } from '../../../testing/calls.ts'
import { newKid } from '../../../lib/ids.ts'
import { addTerminal } from '../../../testing/devices.ts'

const fields = contract.customField.calls
const { update_fields, paging, list_tag } = contract.terminal.calls

let o: TestApi
beforeAll(async () => {
  o = await testApi()
})
afterAll(async () => {
  expect(o.internal_errors).toEqual([])
  await o.close()
})
beforeEach(async () => {
  for (const table of ['custom_field', 'terminal', 'terminal_tag'] as const) await o.deps.db.deleteFrom(table).execute()
})

type Draft = Sent<typeof fields.insert>
const add = (name: string, kind: Draft['kind'] = 'text', choices: string[] = [], who = o.acme_root) =>
  o.call(fields.insert, { name, kind, choices }, who)
const names = async () => (await o.call(fields.list, {}, o.acme_person)).data.map(({ name }) => name)
const device = () => addTerminal(o.deps, o.acme.kid)
const change = (input: Sent<typeof update_fields>, who = o.acme_root) => o.call(update_fields, input, who)
const rowOf = async (kid: string) => (await o.call(paging, {}, o.acme_root)).data.items.find((row) => row.kid === kid)!

describe('a device field', () => {
  it('is kept in its order, named once, and moved', async () => {
    const kids: Record<string, string> = {}
    for (const name of ['A', 'B', 'C']) kids[name] = (await add(name)).data.kid
    expect((await add('b')).result).toBe(44001)
    expect(await names()).toEqual(['A', 'B', 'C'])
    const move = (name: string, position: number) => o.call(fields.move, { kid: kids[name]!, position }, o.acme_root)
    await move('C', 0)
    expect(await names()).toEqual(['C', 'A', 'B'])
    await move('C', 99)
    expect(await names()).toEqual(['A', 'B', 'C'])
    expect((await o.call(fields.move, { kid: newKid(), position: 0 }, o.acme_root)).status).toBe(404)
    expect((await add('D')).data.name).toBe('D')
    expect(await names()).toEqual(['A', 'B', 'C', 'D'])
  })

  it('keeps its kind; choices belong to one kind only', async () => {
    expect((await add('x', 'choice')).result).toBe(10000)
    expect((await add('x', 'text', ['a'])).result).toBe(10000)
    expect((await add('x', 'choice', ['a', 'a'])).result).toBe(10000)
    const { kid } = (await add('Size', 'choice', ['S', 'M'])).data
    const renamed = await o.call(fields.update, { kid, name: 'Format', kind: 'choice', choices: ['L'] }, o.acme_root)
    expect(renamed.data).toEqual({ kid, name: 'Format', kind: 'choice', choices: ['L'] })
    expect((await o.call(fields.update, { kid, name: 'Format', kind: 'text' }, o.acme_root)).result).toBe(42062)
  })

  it('there are thirty at most, also when two people add at once', async () => {
    for (let n = 0; n < 29; n += 1) await add(`Field ${n}`)
    const both = await Promise.all([add('One'), add('Other')])
    expect(both.map(({ result }) => result).toSorted()).toEqual([1, 42061])
  })

  it('is managed with its permission, of its own account', async () => {
    const { kid } = (await add('Mine')).data
    expect((await add('x', 'text', [], o.acme_person)).status).toBe(403)
    expect((await o.call(fields.delete, { kid }, o.globex_root)).status).toBe(404)
    expect((await o.call(fields.list, {}, o.globex_root)).data).toEqual([])
  })

  it('takes its values with it when it is deleted', async () => {
    const [gone, kept] = [(await add('Gone')).data.kid, (await add('Kept')).data.kid]
    const kid = await device()
    await change({ kid, fields: { [gone]: 'a', [kept]: 'b' } })
    expect((await o.call(fields.delete, { kid: gone }, o.acme_root)).result).toBe(1)
    expect((await rowOf(kid)).fields).toEqual({ [kept]: 'b' })
  })
})

describe('values and tags', () => {
  it('are given and taken away, of one device and of many, the others untouched', async () => {
    const text = (await add('Place')).data.kid
    const number = (await add('Floor', 'number')).data.kid
    const [a, b, c] = [await device(), await device(), await device()]
    await change({ kid: a, fields: { [text]: 'Depot', [number]: 0 }, tags: { add: ['vip', 'lab'] } })
    expect(
      (await change({ terminal_kids: [a, b, b], fields: { [number]: 2 }, tags: { add: ['new'], remove: ['lab'] } }))
        .data,
    ).toEqual({ updated: 2 })
    expect(await rowOf(a)).toMatchObject({ fields: { [text]: 'Depot', [number]: 2 }, tags: ['new', 'vip'] })
    expect(await rowOf(b)).toMatchObject({ fields: { [number]: 2 }, tags: ['new'] })
    expect(await rowOf(c)).toMatchObject({ fields: {}, tags: [] })
    await change({ kid: a, fields: { [text]: null } })
    expect((await rowOf(a)).fields).toEqual({ [number]: 2 })
    expect((await o.call(list_tag, {}, o.acme_root)).data).toEqual(['new', 'vip'])
    expect((await o.call(list_tag, {}, o.globex_root)).data).toEqual([])
  })

  it('are what their field takes', async () => {
    const kid = await device()
    const kinds: [Draft['kind'], unknown[], unknown[]][] = [
      ['text', ['a', 'x'.repeat(200)], ['', 'x'.repeat(201), 1, true, 'a\nb']],
      ['number', [0, -1.5, 1e15], ['1', 1e16, true]],
      ['date', ['2024-02-29'], ['2023-02-29', '2024-2-9', 'today', 20240229]],
      ['choice', ['S'], ['s', 'L', '']],
      ['yes_no', [true, false], ['true', 1]],
    ]
    for (const [kind, good, bad] of kinds) {
      const field = (await add(kind, kind, kind === 'choice' ? ['S', 'M'] : [])).data.kid
      const give = async (value: unknown) => (await change({ kid, fields: { [field]: value as string } })).result
      for (const value of good) expect([kind, value, await give(value)]).toEqual([kind, value, 1])
      for (const value of bad) expect([10000, 42064]).toContain(await give(value))
      expect((await rowOf(kid)).fields[field]).toEqual(good.at(-1))
    }
    expect((await change({ kid, fields: { [newKid()]: 'x' } })).result).toBe(42063)
  })

  it('a tag has one spelling in an account, and a device has twenty at most', async () => {
    const [a, b] = [await device(), await device()]
    await change({ kid: a, tags: { add: ['Vip'] } })
    await change({ kid: b, tags: { add: ['vIP', 'VIP'] } })
    expect((await rowOf(b)).tags).toEqual(['Vip'])
    await change({ kid: a, tags: { add: Array.from({ length: 19 }, (_, n) => `t${n}`) } })
    expect((await change({ terminal_kids: [b, a], tags: { add: ['one more'] } })).result).toBe(42065)
    expect((await rowOf(b)).tags).toEqual(['Vip'])
    expect((await change({ kid: a, tags: { add: ['one more'], remove: ['t0'] } })).result).toBe(1)
    for (const add of [[''], ['x'.repeat(33)], ['a\tb']])
      expect((await change({ kid: a, tags: { add } })).result).toBe(10000)
  })

  it('are given to all named devices or to none, and only by who may', async () => {
    const kid = await device()
    const foreign = await addTerminal(o.deps, o.globex.kid)
    expect((await change({ terminal_kids: [kid, foreign], tags: { add: ['x'] } })).result).toBe(42002)
    expect((await rowOf(kid)).tags).toEqual([])
    expect((await change({ kid, tags: { add: ['x'] } }, o.acme_person)).status).toBe(403)
    expect((await change({ kid, terminal_kids: [kid], tags: { add: ['x'] } })).result).toBe(10000)
    expect((await change({ tags: { add: ['x'] } })).result).toBe(10000)
  })
})
