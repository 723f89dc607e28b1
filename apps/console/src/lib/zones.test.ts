import { expect, test } from 'vitest'
import { isZone } from '@mdm/contract'
import { isZoneSought, zoneLabel, zoneOptions } from './zones.ts'

const summer = Date.UTC(2026, 6, 1)
const found = (text: string) =>
  zoneOptions('en', null, summer)
    .filter((option) => isZoneSought(text, option))
    .map((option) => option.value)

test('there are about ninety zones, by the names that they have today', () => {
  const zones = zoneOptions('en').map((option) => option.value)
  expect(zones.length).toBeGreaterThanOrEqual(85)
  expect(zones.length).toBeLessThanOrEqual(115)
  expect(new Set(zones).size).toBe(zones.length)
  for (const zone of zones) expect([zone, isZone(zone)]).toEqual([zone, true])
  for (const zone of ['UTC', 'Asia/Ho_Chi_Minh', 'Asia/Kolkata', 'Europe/Kyiv', 'Asia/Shanghai'])
    expect(zones).toContain(zone)
  for (const old of ['Asia/Saigon', 'Asia/Calcutta', 'Europe/Kiev']) expect(zones).not.toContain(old)
})

test('a zone is found by city in any language, by its own name and by its offset', () => {
  for (const text of ['hanoi', 'Hà Nội', 'ha noi', 'da nang', '胡志明', 'ho chi minh', 'Asia/Ho_Chi_Minh'])
    expect([text, found(text)]).toEqual([text, ['Asia/Ho_Chi_Minh']])
  expect(found('+05:45')).toEqual(['Asia/Kathmandu'])
  expect(found('nowhere')).toEqual([])
})

test('an option names cities in the language of the person, and what the clock says there now', () => {
  const label = (language: 'en' | 'vi' | 'zh-cn', zone: string) =>
    zoneOptions(language, zone, summer).find((option) => option.value === zone)?.label
  expect(label('en', 'Europe/Berlin')).toBe('Berlin, Munich (UTC+02:00)')
  expect(label('vi', 'Asia/Ho_Chi_Minh')).toBe('TP. Hồ Chí Minh, Hà Nội, Đà Nẵng (UTC+07:00)')
  expect(label('zh-cn', 'UTC')).toBe('UTC')
})

test('where a zone is only read, its first city stands for it', () => {
  expect(zoneLabel('vi', 'Asia/Saigon', summer)).toBe('TP. Hồ Chí Minh (UTC+07:00)')
  expect(zoneLabel('zh-cn', 'America/New_York', summer)).toBe('纽约 (UTC-04:00)')
  expect(zoneLabel('en', 'America/Thule', summer)).toBe('America/Thule (UTC-03:00)')
  expect(zoneLabel('en', 'UTC', summer)).toBe('UTC')
})

test('a time zone that was chosen before stays to be chosen, by the name that it has today', () => {
  const last = (kept: string) => zoneOptions('en', kept, summer).at(-1)
  expect(last('America/Thule')?.value).toBe('America/Thule')
  expect(zoneOptions('en', 'Asia/Saigon')).toHaveLength(zoneOptions('en').length)
})

test('a zone that this machine does not know is shown by its name, and is not offered', () => {
  expect(zoneLabel('en', 'Mars/Olympus')).toBe('Mars/Olympus')
  expect(zoneOptions('en', 'Mars/Olympus')).toEqual(zoneOptions('en'))
})
