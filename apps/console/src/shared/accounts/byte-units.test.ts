import { expect, test } from 'vitest'
import { bytesIn, unitOf } from './byte-units.ts'

test.each([
  [0, 'GB'],
  [10 * 1024 ** 3, 'GB'],
  [1.5 * 1024 ** 4, 'TB'],
  [1536 * 1024 ** 3, 'TB'],
  [700 * 1024 ** 2, 'MB'],
  [123_456_789, 'MB'],
] as const)('%s bytes are told in %s', (bytes, unit) => expect(unitOf(bytes)).toBe(unit))

test('parts of a unit are whole bytes', () => {
  expect(bytesIn(0.1, 'GB')).toBe(107_374_182)
  expect(bytesIn(2, 'TB')).toBe(2_199_023_255_552)
})
