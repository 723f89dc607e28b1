import { expect, it } from 'vitest'
import { TerminalFilter } from './terminal_filter.ts'

it('a filter is refused where nothing sensible is asked', () => {
  const model = { field: 'model', op: 'is_one_of', value: ['M1'] }
  const nested = (levels: number): object => (levels === 0 ? model : { all: [nested(levels - 1)] })
  const bad: object[] = [
    { field: 'secret_hash', op: 'is', value: 'x' },
    { field: 'model', op: 'contains', value: 'x' },
    { field: 'model', op: 'is_one_of', value: [] },
    { field: 'sn', op: 'contains', value: 'ab' },
    { field: 'sn', op: 'is', value: { min: 1, max: 2 } },
    { field: 'signal', op: 'between', value: { min: 2, max: 1 } },
    { field: 'signal', op: 'between', value: { min: 2 } },
    { field: 'is_online', op: 'is', value: 'yes' },
    { field: 'sn', op: 'is_empty', value: 'x' },
    { field: 'custom_field', op: 'is', value: 'x' },
    { field: 'sn', op: 'is', value: 'x', custom_field_kid: '019a0000-0000-7000-8000-000000000001' },
    { ...model, or: 1 },
  ]
  const parses = (where: unknown) => TerminalFilter.safeParse({ where }).success
  for (const condition of bad) expect([condition, parses({ all: [condition] })]).toEqual([condition, false])
  expect([1, 2, 3, 4].map((levels) => parses(nested(levels)))).toEqual([true, true, true, false])
  const many = (n: number) => ({ any: Array.from({ length: n }, () => model) })
  expect(parses({ all: [many(20)] })).toBe(true)
  expect(parses({ all: [many(11), many(10)] })).toBe(false)
  expect(parses({ all: [], any: [model] })).toBe(false)
  for (const range of [{ min: 1 }, { min: 5, max: 4 }, { min: -1, max: 4 }, { min: 0, max: 101 }])
    expect(TerminalFilter.safeParse({ battery: range }).success).toBe(false)
})
