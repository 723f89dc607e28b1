import { expect, test } from 'vitest'
import { pathOf, stepsTo, visibleName } from './device-names.ts'

test('a name that would be read backwards is shown as it is', () => {
  expect(visibleName('photo\u202Egnp.exe')).toBe('photo\uFFFDgnp.exe')
  expect(visibleName('a\u0007b')).toBe('a\uFFFDb')
  expect(visibleName('Bản đồ 地图.bin')).toBe('Bản đồ 地图.bin')
})

test('every folder on the way is a step', () => {
  expect(stepsTo('/')).toEqual([])
  expect(stepsTo('/sdcard/DCIM')).toEqual([
    { name: 'sdcard', path: '/sdcard' },
    { name: 'DCIM', path: '/sdcard/DCIM' },
  ])
})

test('a name below the root has one slash', () => {
  expect([pathOf('/', 'a'), pathOf('/b', 'a')]).toEqual(['/a', '/b/a'])
})
