import type { CustomerRow } from '@mdm/contract'
import { expect, test } from 'vitest'
import { daysLeft, expiryTone, isUnlimited, whyNot } from './quota.ts'

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

test('days are whole, towards now', () => {
  expect(daysLeft(inDays(2.9), now)).toBe(2)
  expect(daysLeft(inDays(-1.5), now)).toBe(-1)
})

test('the reason follows from the row', () => {
  const row = { can: [], state: 'normal', expire_time: null } as unknown as CustomerRow
  expect(whyNot({ ...row, can: ['enter'] }, now)).toBeUndefined()
  expect(whyNot({ ...row, state: 'init' }, now)).toBe('init')
  expect(whyNot({ ...row, state: 'invalid' }, now)).toBe('invalid')
  expect(whyNot({ ...row, expire_time: inDays(-1) }, now)).toBe('expired')
  expect(whyNot(row, now)).toBe('other')
})
