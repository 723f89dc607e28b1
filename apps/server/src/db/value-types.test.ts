import { types } from 'pg'
import { expect, test } from 'vitest'
import { timeOf } from './value-types.ts'

const byPackage = types.getTypeParser(1184 as number, 'text') as (text: string) => Date | number | null

test.each([
  '2026-11-27 22:43:24+00',
  '2026-11-27 22:43:24.5+00',
  '2026-11-27 22:43:24.123456+00',
  '1970-01-01 00:00:00+00',
  '2024-02-29 23:59:59.999999+07',
  '2026-06-01 12:00:00-03',
  '2026-06-01 12:00:00.25+05:30',
  '1900-01-01 00:00:00+07:06:40',
  '0044-03-15 12:00:00+00 BC',
  '0050-03-15 12:00:00+00',
  '12026-11-27 22:43:24+00',
  'infinity',
  '-infinity',
])('a time is what the package of the database reads: %s', (text) => {
  const wanted = byPackage(text)
  expect(wanted).not.toBeNull()
  expect(timeOf(text)).toEqual(wanted)
})

test('every millisecond is kept, as the fractions of a second come', () => {
  for (let ms = 0; ms < 1_000; ms++) {
    const text = `2026-11-27 22:43:24.${String(ms).padStart(3, '0').replace(/0+$/, '') || '0'}+00`
    expect((timeOf(text) as Date).getTime()).toBe(Date.UTC(2026, 10, 27, 22, 43, 24, ms))
  }
})
