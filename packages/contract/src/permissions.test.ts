import { expect, test } from 'vitest'
import type * as z from 'zod'
import { contract } from './calls.ts'
import type { Call } from './kit.ts'
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

/** Inputs that take permissions. */
const granting = (Object.values(contract) as { calls: Record<string, Call> }[])
  .flatMap(({ calls }) => Object.values(calls))
  .flatMap(({ path, input }) => {
    const { permissions: field } = (input as { shape?: Record<string, z.ZodType> }).shape ?? {}
    return field ? [{ path, field }] : []
  })

test('permissions are granted to roles, tokens, sub-accounts and customers', () => {
  expect(granting.map(({ path }) => path).toSorted()).toEqual([
    'api_token/insert',
    'ops/account/insert',
    'ops/account/update',
    'ops/role/insert',
    'ops/role/save_permissions',
    'role/insert',
    'role/save_permissions',
    'sub_account/insert',
    'sub_account/update',
  ])
})

test.each(granting)('$path takes every permission of the catalogue, and all of a page', ({ field }) => {
  const pages = permissions.map((name) => `${name.split(':')[0]}:*`)
  const wrong = [...permissions, ...pages].filter((name) => !field.safeParse([name]).success)
  expect(wrong).toEqual([])
  expect(field.safeParse(permissions).success).toBe(true)
})
