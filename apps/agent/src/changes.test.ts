import { expect, test } from 'vitest'
import type { StatePartsOf } from './body/body.ts'
import { changedParts, collected, metresBetween } from './changes.ts'
import { defaultPolicy } from './config.ts'

const before: StatePartsOf = {
  battery: { level: 50, charging: 'discharging' },
  network: { type: 'wifi', internal_ip: '10.0.0.2', signal: -60 },
  wifi: { ssid: 'Depot', bssid: '02:00:00:00:00:01', signal: -60 },
  sims: [{ slot: 1, operator: 'North Mobile', signal: -80 }],
  run: { cpu: 1 },
  location: { latitude: 21, longitude: 105 },
  foreground_app: 'a',
}
const with_ = (parts: StatePartsOf) => Object.keys(changedParts(before, { ...before, ...parts }, 0, defaultPolicy))

test('a state is not reported twice, running figures never by themselves', () => {
  expect(with_({})).toEqual([])
  expect(with_({ run: { cpu: 99 } })).toEqual([])
  expect(Object.keys(changedParts({}, before, 0, defaultPolicy)).toSorted()).toEqual([
    'battery',
    'foreground_app',
    'location',
    'network',
    'sims',
    'wifi',
  ])
})

test.each<[string, StatePartsOf, string[]]>([
  ['4 % of battery', { battery: { level: 46, charging: 'discharging' } }, []],
  ['5 % of battery', { battery: { level: 45, charging: 'discharging' } }, ['battery']],
  ['the charger', { battery: { level: 50, charging: 'charging' } }, ['battery']],
  ['a trigger', { battery: { level: 50, charging: 'discharging', trigger: 'outage' } }, ['battery']],
  ['9 dBm', { network: { type: 'wifi', internal_ip: '10.0.0.2', signal: -69 } }, []],
  ['10 dBm', { network: { type: 'wifi', internal_ip: '10.0.0.2', signal: -70 } }, ['network']],
  ['another address', { network: { type: 'wifi', internal_ip: '10.0.0.3', signal: -60 } }, ['network']],
  ['another access point', { wifi: { ssid: 'Depot', bssid: '02:00:00:00:00:02', signal: -60 } }, ['wifi']],
  ['5 dBm of a SIM', { sims: [{ slot: 1, operator: 'North Mobile', signal: -85 }] }, ['sims']],
  ['no SIM', { sims: [] }, ['sims']],
  ['20 m', { location: { latitude: 21.00018, longitude: 105 } }, []],
  ['40 m', { location: { latitude: 21.00036, longitude: 105 } }, ['location']],
  ['another app', { foreground_app: 'b' }, ['foreground_app']],
])('%s', (_, parts, expected) => {
  expect(with_(parts)).toEqual(expected)
})

test('a device that stands still says where it is once a day', () => {
  expect(Object.keys(changedParts(before, before, 24 * 3_600_000, defaultPolicy))).toEqual(['location'])
})

test('distances, over the date line too', () => {
  expect(metresBetween({ latitude: 0, longitude: 0 }, { latitude: 0, longitude: 1 })).toBeCloseTo(111_195, -1)
  expect(metresBetween({ latitude: 0, longitude: 179.9 }, { latitude: 0, longitude: -179.9 })).toBeCloseTo(22_239, -1)
})

test('how much has to change is as the policy says, and what is off is not told at all', () => {
  const loose = { ...defaultPolicy, battery_percent: 20, wifi_dbm: 50, location_metres: 1000 }
  const now: StatePartsOf = {
    ...before,
    battery: { level: 40, charging: 'discharging' },
    wifi: { ...before.wifi, signal: -90 },
    location: { latitude: 21.005, longitude: 105 },
  }
  expect(changedParts(before, now, 0, loose)).toEqual({})
  expect(changedParts(before, now, 0, defaultPolicy)).toMatchObject({ battery: { level: 40, trigger: 'change' } })
  const off = { ...loose, is_battery_on: false, is_wifi_on: false, is_mobile_on: false, is_location_on: false }
  expect(collected(before, off)).toEqual({
    network: { type: 'wifi', internal_ip: '10.0.0.2' },
    run: before.run,
    foreground_app: 'a',
  })
})
