import { expect, test } from 'vitest'
import { decoded, previewOf } from './preview-kind.ts'

const kindOf = (name: string, content_type = 'application/octet-stream', size = 10) =>
  previewOf({ name, content_type, size, url: '/files/x' })

test('a file that could run is shown as text, and one that cannot be shown has no preview', () => {
  expect(kindOf('a.png', 'image/png')).toBe('picture')
  expect(kindOf('a.png', 'image/png', 2 ** 30)).toBeUndefined()
  expect(kindOf('a.pdf', 'application/pdf', 2 ** 32)).toBe('pdf')
  for (const name of ['a.svg', 'a.HTML', 'a.js', 'a.log', 'a.ini']) expect([name, kindOf(name)]).toEqual([name, 'text'])
  expect(kindOf('a.csv', 'text/csv')).toBe('text')
  for (const name of ['a.apk', 'a.bin', 'svg']) expect([name, kindOf(name)]).toEqual([name, undefined])
  expect(kindOf('a.txt', 'text/plain', 0)).toBeUndefined()
})

test('text is read in its own encoding, also when it is cut within a character', () => {
  const utf8 = new TextEncoder().encode('Báo cáo 报告')
  expect(decoded(utf8)).toBe('Báo cáo 报告')
  expect(decoded(utf8.subarray(0, -1))).toBe('Báo cáo 报')
  expect(decoded(Uint8Array.from([0xff, 0xfe, 0x41, 0]))).toBe('A')
  expect(decoded(Uint8Array.from([0xb1, 0xa8, 0xb8, 0xe6]))).toBe('报告')
})
