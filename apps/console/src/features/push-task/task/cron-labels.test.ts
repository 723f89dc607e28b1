import { describe, expect, test } from 'vitest'
import { readCron } from './cron-labels.ts'

describe('what a cron expression says', () => {
  test.each([
    ['*/15 * * * *', { kind: 'minutes', every: 15 }],
    ['* * * * *', { kind: 'minutes', every: 1 }],
    ['5 * * * *', { kind: 'hours', every: 1, minute: 5 }],
    ['0 */6 * * *', { kind: 'hours', every: 6, minute: 0 }],
    ['0 22 * * *', { kind: 'day', times: ['22:00'] }],
    ['0,30 8 * * *', { kind: 'day', times: ['08:00', '08:30'] }],
    ['0 22 * * 1-5', { kind: 'week', times: ['22:00'], days: [1, 2, 3, 4, 5] }],
    ['0 22 * * MON,sun', { kind: 'week', times: ['22:00'], days: [0, 1] }],
    ['0 22 * * 7', { kind: 'week', times: ['22:00'], days: [0] }],
    ['15 3 1,15 * *', { kind: 'month', times: ['03:15'], dates: [1, 15] }],
    ['0 0 1 1 *', { kind: 'year', times: ['00:00'], date: 1, month: 1 }],
  ])('%s', (cron, said) => expect(readCron(cron)).toEqual(said))

  test.each([
    '*/7 * * * *',
    '0 22 1 * 1',
    '0 22 L * *',
    '0 0-23 * * *',
    '70 1 * * *',
    '0 5-2 * * *',
    '@daily',
    '0 22 * *',
  ])('%s is left as it is', (cron) => expect(readCron(cron)).toBeUndefined())
})
