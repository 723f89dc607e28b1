import { expect, test, vi } from 'vitest'
import { kept } from './kept.ts'

test('each key is made once, also where nothing is made of it', () => {
  const make = vi.fn((key: string) => (key === 'no' ? undefined : key.toUpperCase()))
  const made = kept(make)
  expect(['vi', 'no', 'vi', 'no', 'en'].map(made)).toEqual(['VI', undefined, 'VI', undefined, 'EN'])
  expect(make.mock.calls).toEqual([['vi'], ['no'], ['en']])
})
