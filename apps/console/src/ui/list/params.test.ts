import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyPatch, lastNumbered, ownPart, readParams, withOwnPart } from './params.ts'

const schema = { text: 'text', is_online: 'boolean', types: 'texts', hours: 'number' } as const
const read = (search: string) => readParams(schema, new URLSearchParams(search))

test('a list reads the parameters that its schema names, each by its kind', () => {
  expect(
    read('text=ab&is_online=false&types=file&types=lock&hours=6&page=3&page_size=50&sort=sn&order=desc&x=1'),
  ).toEqual({
    values: { text: 'ab', is_online: false, types: ['file', 'lock'], hours: 6 },
    page: 3,
    page_size: 50,
    sort: 'sn',
    order: 'desc',
  })
})

test('a malformed parameter of a list counts as absent', () => {
  const empty = { values: {}, page: 1, page_size: 20, sort: undefined, order: undefined }
  expect(read('page=0&page_size=9999&order=up&is_online=maybe&hours=six&text=')).toEqual(empty)
  expect(read('page=1.5&page=&page_size=-1')).toEqual(empty)
})

test('a change of a filter returns to the first page; what is empty leaves the address', () => {
  const patch = (before: string, by: Record<string, unknown>) => applyPatch(new URLSearchParams(before), by).toString()
  expect(patch('page=4&text=a', { is_online: true })).toBe('text=a&is_online=true')
  expect(patch('page=4&text=a', { text: '' })).toBe('')
  expect(patch('text=a', { page: 2 })).toBe('text=a&page=2')
  expect(patch('page=4', { page: 1 })).toBe('')
  expect(patch('types=file', { types: ['lock', 'find'] })).toBe('types=lock&types=find')
})

test('page numbers end with row 10,000; a cursor goes on', () => {
  expect(lastNumbered(20)).toBe(500)
  expect(read('page=500').page).toBe(500)
  expect(read('page=501').page).toBe(1)
  expect(read('page=51&page_size=200').page).toBe(1)
  expect(read('page=501&after=abc')).toMatchObject({ page: 501, after: 'abc' })
})

test('a cursor is gone with whatever else changes', () => {
  const patch = (by: Record<string, unknown>) =>
    applyPatch(new URLSearchParams('page=501&after=abc&text=a'), by).toString()
  expect(patch({ text: 'b' })).toBe('text=b')
  expect(patch({ page: 3 })).toBe('text=a&page=3')
  expect(patch({ page: 502, after: 'def' })).toBe('text=a&page=502&after=def')
})

test('a saved view is of the list, not of the record whose tab it is in', () => {
  const address = new URLSearchParams('kid=d1&types=file&types=lock&sort=at&page=4&after=abc&open=x')
  const own = ownPart(schema, address)
  expect(own.toString()).toBe('types=file&types=lock&sort=at')
  const elsewhere = withOwnPart(schema, new URLSearchParams('kid=d2&text=a&page=2'), own)
  expect(elsewhere.toString()).toBe('kid=d2&types=file&types=lock&sort=at')
  // Views saved with a record's kid in them lose it on the way.
  expect(withOwnPart(schema, new URLSearchParams('kid=d2'), address).get('kid')).toBe('d2')
})

test('parameters of a list that were written are read again', () => {
  const values = fc.record(
    {
      text: fc.string({ minLength: 1 }),
      is_online: fc.boolean(),
      types: fc.array(fc.string({ minLength: 1 }), { minLength: 1 }),
      hours: fc.integer(),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(values, (written) => {
      const search = applyPatch(new URLSearchParams(), written).toString()
      expect(read(search).values).toEqual(written)
    }),
  )
})

test('an object is written as JSON and read again; what is none counts as absent', () => {
  const schema = { battery: 'json' } as const
  const battery = { min: 0, max: 20 }
  const address = applyPatch(new URLSearchParams(), { battery })
  expect(readParams(schema, address).values).toEqual({ battery })
  for (const broken of ['{', '[1]', '1', 'null', '"x"'])
    expect(readParams(schema, new URLSearchParams({ battery: broken })).values).toEqual({})
  expect(applyPatch(address, { battery: null }).has('battery')).toBe(false)
})
