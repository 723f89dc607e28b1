import { expect, test } from 'vitest'
import { byApp, byDay, networksOf } from './usage-sums.ts'

const item = (day: string, app: string, network: 'wifi' | 'mobile', received: number, sent: number) => ({
  day,
  app,
  title: app === 'a' ? 'Scan' : null,
  network,
  received,
  sent,
})
const items = [
  item('2026-03-01', 'a', 'wifi', 100, 10),
  item('2026-03-03', 'a', 'mobile', 5, 1),
  item('2026-03-03', 'b', 'mobile', 1000, 0),
]

test('days without a byte are days too', () => {
  expect(
    byDay(items, '2026-02-28', '2026-03-03').map(({ day, total, wifi, mobile }) => [day, total, wifi, mobile]),
  ).toEqual([
    ['2026-02-28', 0, 0, 0],
    ['2026-03-01', 110, 110, 0],
    ['2026-03-02', 0, 0, 0],
    ['2026-03-03', 1006, 0, 1006],
  ])
})

test('apps come by what they used, over all days and networks', () => {
  expect(byApp(items)).toMatchObject([
    { app: 'b', title: null, total: 1000 },
    { app: 'a', title: 'Scan', received: 105, sent: 11, wifi: 110, mobile: 6 },
  ])
  expect(networksOf(items)).toEqual(['wifi', 'mobile'])
})
