import { expect, test } from 'vitest'
import { daysLeft, expiryTone, isUnlimited, partOf, shownState } from './quota.ts'

const now = Date.parse('2026-03-01T00:00:00.000Z')
const inDays = (days: number) => new Date(now + days * 86_400_000).toISOString()

test.each([
  [31, undefined],
  [30, 'warn'],
  [3.5, 'warn'],
  [3, 'bad'],
  [-10, 'bad'],
] as const)('%s days before the end: %s', (days, tone) => expect(expiryTone(inDays(days), now)).toBe(tone))

test('no end, no limit', () => {
  expect(expiryTone(null, now)).toBeUndefined()
  expect(isUnlimited(999_999_999_999)).toBe(true)
  expect(isUnlimited(999_999_999_998)).toBe(false)
})

test('days left are rounded up, days past are whole', () => {
  expect(daysLeft(inDays(2.1), now)).toBe(3)
  expect(daysLeft(inDays(-1.5), now)).toBe(-1)
})

test('of no places every device is all of them', () => {
  expect([partOf(1, 4), partOf(0, 0), partOf(2, 0)]).toEqual([0.25, 0, 1])
})

test('past its end an account is expired, whatever else it is', () => {
  expect(shownState({ state: 'normal', expire_time: inDays(1) }, now)).toBe('normal')
  expect(shownState({ state: 'invalid', expire_time: null }, now)).toBe('invalid')
  expect(shownState({ state: 'init', expire_time: inDays(0) }, now)).toBe('expired')
})
