import { expect, test } from 'vitest'
import { msUntilWindow } from './window.ts'

const at = (hours: number, minutes: number) => new Date(2026, 2, 2, hours, minutes)
const hour = 3_600_000

test.each([
  ['inside', '08:00', '18:00', at(12, 0), 0],
  ['its first minute is inside', '08:00', '18:00', at(8, 0), 0],
  ['its end is not', '08:00', '18:00', at(18, 0), 14 * hour],
  ['before', '08:00', '18:00', at(6, 30), 1.5 * hour],
  ['over midnight, before it', '22:00', '05:00', at(23, 0), 0],
  ['over midnight, after it', '22:00', '05:00', at(4, 59), 0],
  ['over midnight, outside', '22:00', '05:00', at(5, 0), 17 * hour],
  ['always', '00:00', '00:00', at(5, 0), 0],
  ['no time', '8:00', '18:00', at(5, 0), undefined],
  ['no time', '08:00', '24:00', at(5, 0), undefined],
])('%s: %s to %s', (_, from, to, now, expected) => {
  expect(msUntilWindow({ from, to }, now)).toBe(expected)
})
