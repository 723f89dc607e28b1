import { expect, test } from 'vitest'
import { holds, permissions } from './permissions.ts'

test('a name covers itself, a pattern what it matches, and * everything', () => {
  expect(holds(['deviceList'], 'deviceList')).toBe(true)
  expect(holds(['deviceList'], 'deviceList:cancel')).toBe(false)
  expect(holds(['deviceList:*'], 'deviceList')).toBe(false)
  expect(holds(['deviceList*'], 'deviceList:cancel')).toBe(true)
  expect(holds(['fileCloudList', 'device*'], 'deviceDetailTask:retry')).toBe(true)
  expect(holds([], 'deviceList')).toBe(false)
  expect(permissions.every((name) => holds(['*'], name))).toBe(true)
})

test('a character of regular expressions means nothing in a pattern', () => {
  expect(holds(['device.ist'], 'deviceList')).toBe(false)
  expect(holds(['(device|file)*'], 'deviceList')).toBe(false)
  expect(holds(['[a-z]*'], 'deviceList')).toBe(false)
})

test('a pattern made to keep a regular expression busy for years is answered', () => {
  expect(holds([`${'*a'.repeat(20)}*b`], 'a'.repeat(60))).toBe(false)
  expect(holds([`${'*a'.repeat(20)}*`], 'a'.repeat(60))).toBe(true)
})

test('parts of a pattern do not overlap', () => {
  expect(holds(['ab*ba'], 'aba')).toBe(false)
  expect(holds(['ab*ba'], 'abba')).toBe(true)
  expect(holds(['a*b*c'], 'axbxc')).toBe(true)
  expect(holds(['a*bc*c'], 'abc')).toBe(false)
})
