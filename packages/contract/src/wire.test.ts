import { expect, test } from 'vitest'
import { errorMessage, errors } from './errors.ts'
import { Instant, Line, paging, QueryBool } from './wire.ts'
import { signalLevel } from './constants.ts'
import { knownZone, Zone } from './zones.ts'

test('a line is trimmed, bounded and free of control characters', () => {
  const Name = Line(5, 1)
  expect(Name.parse('  abc ')).toBe('abc')
  expect(Name.safeParse('').success).toBe(false)
  expect(Name.safeParse('abcdef').success).toBe(false)
  expect(Name.safeParse('a\u0000b').success).toBe(false)
  expect(Name.safeParse('a\u2028b').success).toBe(false)
  expect(Name.parse('Đồng')).toBe('Đồng')
})

test('an instant goes out as RFC 3339 in UTC, whatever a handler has', () => {
  expect(Instant.parse(new Date('2026-01-15T15:00:00+07:00'))).toBe('2026-01-15T08:00:00.000Z')
  expect(Instant.safeParse('yesterday').success).toBe(false)
})

test('booleans of a query string are what they say', () => {
  expect([true, 'true', '1', false, 'false', '0'].map((v) => QueryBool.parse(v))).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ])
  expect(QueryBool.safeParse('yes').success).toBe(false)
})

test('paging has its defaults and bounds', () => {
  const Input = paging(['name'])
  expect(Input.parse({})).toEqual({ page: 1, page_size: 20 })
  for (const wrong of [{ page: 0 }, { page_size: 201 }, { sort: 'password_hash' }, { order: 'up' }])
    expect(Input.safeParse(wrong).success).toBe(false)
})

test('a message is filled in the language asked for, and only with what it was given', () => {
  expect(errorMessage('login_locked', 'vi', { minutes: 5 })).toBe('Đăng nhập sai quá nhiều lần. Thử lại sau 5 phút.')
  expect(errorMessage('file_too_large', 'zh-cn', { max: '1 MB' })).toBe('文件超过 1 MB。')
  expect(errorMessage('not_found', 'en', { max: '<script>' })).toBe('Not found.')
})

test('the specification’s codes are the specification’s', () => {
  const codes = [40015, 40016, 40017, 40018, 40019, 40020, 40021, 40022, 40023, 40024, 40025]
  expect(codes.filter((code) => !Object.values(errors).some((e) => e.result === code))).toEqual([])
})

test('signal strength has four levels between -100 and -55 dBm', () => {
  expect([-120, -100, -90, -75, -60, -55, -30].map(signalLevel)).toEqual([0, 0, 1, 2, 4, 4, 4])
})

test('a zone is known by the name of today, or not at all', () => {
  expect(knownZone('Asia/Saigon')).toBe('Asia/Ho_Chi_Minh')
  expect(knownZone('Europe/Berlin')).toBe('Europe/Berlin')
  for (const said of [undefined, null, '', 'Etc/Unknown', 'Mars/Olympus', '+05:00', '-03', 'constructor'])
    expect([said, knownZone(said)]).toEqual([said, undefined])
  expect(Zone.safeParse('+05:00').success).toBe(false)
})
