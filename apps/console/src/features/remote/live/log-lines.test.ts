import { expect, test } from 'vitest'
import { LogLines, most_lines } from './log-lines.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

test('lines are put together from pieces, wherever they are cut, letters too', () => {
  const log = new LogLines()
  const all = bytes('kết nối\r\n已连接\nhalf')
  for (const byte of all) log.take(Uint8Array.of(byte))
  expect(log.view().lines).toEqual(['kết nối', '已连接'])
  log.take(bytes(' a line\n'))
  expect(log.view().lines.at(-1)).toBe('half a line')
})

test('what is written while it is paused waits, is counted, and comes in its order', () => {
  const log = new LogLines()
  log.take(bytes('one\n'))
  log.pause()
  log.take(bytes('two\nthree\n'))
  expect(log.view()).toEqual({ lines: ['one'], waiting: 2, dropped: 0 })
  log.resume()
  expect(log.view()).toEqual({ lines: ['one', 'two', 'three'], waiting: 0, dropped: 0 })
})

test('it keeps the newest lines, paused or not, and says how many are gone', () => {
  const log = new LogLines()
  const many = (from: number) => bytes(Array.from({ length: most_lines }, (_, at) => `${from + at}\n`).join(''))
  log.take(many(0))
  log.take(bytes('last\n'))
  expect(log.view().lines).toHaveLength(most_lines)
  expect([log.view().lines[0], log.view().lines.at(-1), log.view().dropped]).toEqual(['1', 'last', 1])
  log.pause()
  log.take(many(0))
  log.take(many(0))
  expect(log.view().waiting).toBe(most_lines)
})

test('a filter reads letters of either case; a line that never ends is cut', () => {
  const log = new LogLines()
  log.take(bytes('WARN low battery\ninfo ready\n'))
  expect(log.view(' warn ').lines).toEqual(['WARN low battery'])
  log.take(bytes('x'.repeat(200_000)))
  expect(log.view().lines.at(-1)).toHaveLength(64 * 1024)
})
