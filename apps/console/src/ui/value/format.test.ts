import { expect, test } from 'vitest'
import { bytesParts, dateParts, durationText } from './format.ts'

test.each([
  [0, ['0', 'B']],
  [1023, ['1,023', 'B']],
  [1024, ['1', 'KB']],
  [1_572_864, ['1.5', 'MB']],
  [5_905_580_032, ['5.5', 'GB']],
  [2 ** 60, ['1,048,576', 'TB']],
])('%s bytes', (bytes, parts) => expect(bytesParts(bytes, 'en-GB')).toEqual(parts))

test('dates are year/month/day hour:minute:second in the zone', () => {
  expect(dateParts('2026-03-01T23:30:05.999Z', 'Asia/Ho_Chi_Minh')).toEqual(['2026/03/02', '06:30:05'])
  expect(dateParts('2026-03-01T00:00:00Z', 'UTC')).toEqual(['2026/03/01', '00:00:00'])
})

test('durations show their largest parts', () => {
  expect(durationText(93_784, 'en')).toBe('1d 2h')
  expect(durationText(93_784, 'en', 4)).toBe('1d 2h 3m 4s')
  expect(durationText(3_600, 'en')).toBe('1h')
  expect(durationText(0, 'en')).toBe('0s')
  expect(durationText(-5, 'en')).toBe('0s')
})
