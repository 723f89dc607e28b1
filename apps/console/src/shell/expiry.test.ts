import { expect, test } from 'vitest'
import { expiryOf } from './expiry.ts'

const now = Date.parse('2026-11-21T08:00:00Z')
const in_days = (days: number) => new Date(now + days * 86_400_000).toISOString()

test.each([
  [30.2, undefined],
  [30, { days: 30, is_past: false, tone: 'orange' }],
  [3.1, { days: 4, is_past: false, tone: 'orange' }],
  [2.5, { days: 3, is_past: false, tone: 'red' }],
  [0.1, { days: 1, is_past: false, tone: 'red' }],
  [0, { days: 0, is_past: true, tone: 'red' }],
  [-0.3, { days: 0, is_past: true, tone: 'red' }],
  [-5, { days: 5, is_past: true, tone: 'red' }],
])('%s days before the end', (days, shown) => expect(expiryOf(in_days(days), now)).toEqual(shown))

test('an account without an end has no banner', () => expect(expiryOf(null, now)).toBeUndefined())
