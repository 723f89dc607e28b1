import { expect, test } from 'vitest'
import { plainLine, serialNumber } from './text-keys.ts'
import { Line, Sn } from './wire.ts'

test.each([
  ['letter case', 'tx-1a'],
  ['outer and inner blanks', ' TX-1 A\u00a0'],
  ['full-width letters', 'ＴＸ－１Ａ'],
  ['a left-to-right embedding, as Excel pastes it', '\u202aTX-1A\u202c'],
  ['zero-width and right-to-left marks', 'TX\u200b-1\u200fA'],
  ['a soft hyphen', 'TX\u00ad-1A'],
])('a serial number with %s is the same one', (_, written) => {
  expect(serialNumber(written)).toBe('TX-1A')
  expect(Sn(36).parse(written)).toBe('TX-1A')
})

test('what is left of a serial number is measured', () => {
  expect(Sn(5).safeParse('\u202aTX-1A\u202c').success).toBe(true)
  expect(Sn(36).safeParse('\u200b ').success).toBe(false)
})

test('a line is composed and has nothing hidden in it but what words and emoji are written with', () => {
  expect(plainLine(' e\u0301\u200b\u202eclair ')).toBe('éclair')
  expect(plainLine('می\u200cخواهم ❤\ufe0f')).toBe('می\u200cخواهم ❤\ufe0f')
  expect(Line(10).parse('a\u202eb')).toBe('ab')
  expect(Line(10).safeParse('a\u0000b').success).toBe(false)
})
