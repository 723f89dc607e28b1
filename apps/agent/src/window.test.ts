import { expect, test } from 'vitest'
import { windowOpens } from './window.ts'

const hour = 3_600_000
const opensIn = (from: string, to: string, now: string, zone = 'Asia/Ho_Chi_Minh') => {
  const at = new Date(now)
  const opens = windowOpens({ from, to }, at, zone)
  return opens && (opens.getTime() - at.getTime()) / hour
}

test.each([
  ['inside', '08:00', '18:00', '12:00', 0],
  ['its first minute is inside', '08:00', '18:00', '08:00', 0],
  ['its end is not', '08:00', '18:00', '18:00', 14],
  ['before', '08:00', '18:00', '06:30', 1.5],
  ['over midnight, before it', '22:00', '05:00', '23:00', 0],
  ['over midnight, after it', '22:00', '05:00', '04:59', 0],
  ['over midnight, outside', '22:00', '05:00', '05:00', 17],
  ['always', '00:00', '00:00', '05:00', 0],
  ['no time', '8:00', '18:00', '05:00', undefined],
  ['no time', '08:00', '24:00', '05:00', undefined],
])('%s: %s to %s', (_, from, to, clock, expected) => {
  expect(opensIn(from, to, `2026-03-02T${clock}:00+07:00`)).toBe(expected)
})

test.each([
  ['the clocks jump over its beginning: with the jump', '02:30', '04:00', '2026-03-28T23:00:00Z', 2],
  ['the clocks jump over all of it: the next day', '02:10', '02:50', '2026-03-28T23:00:00Z', 25 + 10 / 60],
  ['a day of 23 hours', '22:00', '23:00', '2026-03-28T22:00:00Z', 22],
  ['a day of 25 hours', '22:00', '23:00', '2026-10-24T21:00:00Z', 24],
  ['the hour that comes twice opens it twice', '02:15', '02:45', '2026-10-25T00:50:00Z', 25 / 60],
])('Berlin, %s', (_, from, to, now, expected) => {
  expect(opensIn(from, to, now, 'Europe/Berlin')).toBeCloseTo(expected, 9)
})

test.each([
  ['on its day', [6], '2026-11-28T09:00', 0],
  ['after its day', [6], '2026-11-29T09:00', 24 * 6 - 1],
  ['before its days', [6, 7], '2026-11-25T09:00', 24 * 3 - 1],
  ['after its hours, on the next of its days', [6, 7], '2026-11-28T18:00', 14],
  ['on its day, a week on', [6], '2026-11-28T18:00', 24 * 7 - 10],
])('08:00 to 18:00, %s', (_, days, clock, expected) => {
  const at = new Date(`${clock}:00+07:00`)
  const opens = windowOpens({ from: '08:00', to: '18:00', days }, at, 'Asia/Ho_Chi_Minh')
  expect((opens!.getTime() - at.getTime()) / hour).toBe(expected)
})

test('a night belongs to the day on which it begins', () => {
  const night = { from: '22:00', to: '05:00', days: [5] }
  const opens = (at: string) => windowOpens(night, new Date(at), 'UTC')
  expect(opens('2026-11-28T04:00:00Z')).toEqual(new Date('2026-11-28T04:00:00Z'))
  expect(opens('2026-11-27T04:00:00Z')).toEqual(new Date('2026-11-27T22:00:00Z'))
  expect(opens('2026-11-28T22:00:00Z')).toEqual(new Date('2026-12-04T22:00:00Z'))
  // A whole day opens with its midnight.
  const sunday = { from: '00:00', to: '00:00', days: [7] }
  expect(windowOpens(sunday, new Date('2026-11-28T13:30:00Z'), 'UTC')).toEqual(new Date('2026-11-29T00:00:00Z'))
  expect(windowOpens({ ...night, days: [9] }, new Date(), 'UTC')).toBeUndefined()
})

test('seconds: it opens at the full minute', () => {
  const opens = windowOpens(
    { from: '08:00', to: '09:00' },
    new Date('2026-03-02T07:59:59.400+07:00'),
    'Asia/Ho_Chi_Minh',
  )
  expect(opens).toEqual(new Date('2026-03-02T08:00:00+07:00'))
})

test('a terminal that does not know its zone has the window of UTC', () => {
  const now = new Date('2026-03-01T08:00:00Z')
  for (const zone of ['Etc/Unknown', 'Mars/Olympus', '', undefined as unknown as string])
    expect(windowOpens({ from: '09:00', to: '10:00' }, now, zone)).toEqual(new Date('2026-03-01T09:00:00Z'))
})
