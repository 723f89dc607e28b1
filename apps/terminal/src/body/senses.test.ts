import { expect, test } from 'vitest'
import { batteryOf, locationOf, networkOf } from './senses.ts'

test.each([
  [
    { level: 0.834, charging: false },
    { level: 83, charging: 'discharging' },
  ],
  [
    { level: 0.1, charging: false },
    { level: 10, charging: 'low' },
  ],
  [
    { level: 0.1, charging: true },
    { level: 10, charging: 'charging' },
  ],
  [
    { level: 1, charging: true },
    { level: 100, charging: 'full' },
  ],
])('a battery of %j is %j', (told, battery) => {
  expect(batteryOf(told)).toEqual(battery)
})

test.each([
  [true, 'wifi', 'wifi'],
  [true, 'cellular', 'mobile'],
  [true, 'bluetooth', undefined],
  [true, undefined, undefined],
  [false, 'wifi', 'none'],
])('online %s by %s is the network %s', (is_online, type, network) => {
  expect(networkOf(is_online, type)).toBe(network)
})

test('a place is told with how well it is known and when', () => {
  const coords = { longitude: 105.85, latitude: 21.03, accuracy: 12 }
  const found = { coords, timestamp: Date.parse('2026-11-27T08:00:00Z') } as GeolocationPosition
  expect(locationOf(found)).toEqual({ ...coords, provider: 'fused', at: '2026-11-27T08:00:00.000Z' })
})
