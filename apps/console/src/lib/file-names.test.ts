import { expect, test } from 'vitest'
import { nameFault, nextName, sameName } from './file-names.ts'

test.each([
  ['report.pdf', undefined],
  ['báo cáo 报告.pdf', undefined],
  ['.hidden', undefined],
  ['x'.repeat(255), undefined],
  ['', 'required'],
  ['   ', 'required'],
  ['\u200d', 'required'],
  ['❤\ufe0f.txt', undefined],
  ['می\u200cشود', undefined],
  ['a/b.txt', 'characters'],
  ['a\\b', 'characters'],
  ['what?.txt', 'characters'],
  ['a|b', 'characters'],
  ['a\u0000b', 'characters'],
  ['photo\u202egnp.exe', 'characters'],
  ['zero\u200bwidth', 'characters'],
  ['soft\u00adhyphen', 'characters'],
  ['x'.repeat(256), 'too_long'],
  ['ệ'.repeat(85), undefined],
  ['ệ'.repeat(86), 'too_many_bytes'],
  ['文'.repeat(200), 'too_many_bytes'],
  ['name.', 'dot'],
  ['name. ', 'dot'],
] as const)('%j: %s', (name, fault) => expect(nameFault(name)).toBe(fault))

test('names are the same whatever their case, outer spaces and composition', () => {
  expect(sameName('Map.ZIP ', 'map.zip')).toBe(true)
  expect(sameName('e\u0301.txt', 'é.txt')).toBe(true)
  expect(sameName('map.zip', 'map1.zip')).toBe(false)
  expect(sameName('straße', 'STRASSE')).toBe(true)
  expect(sameName('❤\ufe0f.txt', '❤.txt')).toBe(true)
})

test('a free name keeps the ending', () => {
  const taken = ['map (2).zip', 'a.tar (2).gz']
  const isTaken = (name: string) => taken.includes(name)
  expect(nextName('map.zip', isTaken)).toBe('map (3).zip')
  expect(nextName('a.tar.gz', isTaken)).toBe('a (2).tar.gz')
  expect(nextName('README', isTaken)).toBe('README (2)')
})
