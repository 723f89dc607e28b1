import { expect, test } from 'vitest'
import { keysymOf, keysymsOf } from './keysyms.ts'

test('letters of Latin-1 are their own keys, all others those of Unicode', () => {
  expect([keysymOf('A'), keysymOf('é'), keysymOf('~')]).toEqual([0x41, 0xe9, 0x7e])
  expect([keysymOf('ệ'), keysymOf('设'), keysymOf('😀')]).toEqual([0x1001ec7, 0x1008bbe, 0x101f600])
})

test('an accented letter is one key, however it was written; lines end with Return, whatever ends them', () => {
  expect(keysymsOf('e\u0302\u0323')).toEqual(keysymsOf('ệ'))
  expect(keysymsOf('a\r\nb\tc')).toEqual([0x61, 0xff0d, 0x62, 0xff09, 0x63])
})

test('what no key writes is left out', () => {
  expect(keysymsOf('a\u0000\u001B\u0085b')).toEqual([0x61, 0x62])
})
