import { describe, expect, test } from 'vitest'
import { texts as push } from '../../../shared/push/texts/en.ts'
import { momentText } from './moment.ts'
import { judged, percentOf } from './step-counts.ts'
import { texts as task } from './texts/en.ts'

test('every reason of a failure has a hint', () => {
  expect(Object.keys(task.hint).sort()).toEqual(Object.keys(push.code).sort())
})

describe('what thresholds are counted of', () => {
  test('those that were canceled or left the account count neither as meant nor as failed', () =>
    expect(judged({ total: 100, completed: 60, failed: 12, canceled: 5, gone: 2 })).toEqual({
      target_count: 93,
      completed: 60,
      errors: 10,
      not_counted: 7,
      open: 23,
    }))
  test('a percentage is rounded down, and none of nobody', () => {
    expect(percentOf(899, 1000)).toBe(89)
    expect(percentOf(0, 0)).toBe(0)
  })
})

describe('a moment in a sentence', () => {
  const now = Date.parse('2026-11-23T10:00:00Z')
  test.each([
    ['2026-11-23T15:00:00Z', '22:00'],
    ['2026-11-24T15:00:00Z', 'Nov 24, 22:00'],
    ['2027-01-01T00:00:00Z', 'Jan 1, 2027, 07:00'],
  ])('%s is %s', (at, said) => expect(momentText(at, 'en', 'Asia/Ho_Chi_Minh', now)).toBe(said))
})
