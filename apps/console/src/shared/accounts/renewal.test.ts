import { expect, test } from 'vitest'
import { renewed } from './renewal.ts'

const now = Date.parse('2026-03-01T10:00:00.000Z')
const zone = 'Asia/Ho_Chi_Minh'

test('the renewal of an account that has not ended goes on from its end', () => {
  expect(renewed('2026-05-31T16:59:59.000Z', 'days', now, zone)).toBe('2026-06-30T16:59:59.000Z')
  expect(renewed('2026-05-31T16:59:59.000Z', 'year', now, zone)).toBe('2027-05-31T16:59:59.000Z')
})

test('the renewal of an account that has ended, or had no end, goes on from now', () => {
  expect(renewed('2025-12-31T00:00:00.000Z', 'days', now, zone)).toBe('2026-03-31T10:00:00.000Z')
  expect(renewed(null, 'year', now, zone)).toBe('2027-03-01T10:00:00.000Z')
})

test('the clock on the wall stays the same over the change of the hour', () => {
  expect(renewed('2026-03-20T09:00:00.000Z', 'days', now, 'Europe/Berlin')).toBe('2026-04-19T08:00:00.000Z')
})
