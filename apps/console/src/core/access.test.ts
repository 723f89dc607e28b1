import { expect, test } from 'vitest'
import { detour, homeOf } from './access.ts'

const ops = (permissions: string[], enter_kid: string | null = null) =>
  ({ account_type: 101, enter_kid, permissions }) as const
const customer = (permissions: string[]) => ({ account_type: 1, enter_kid: null, permissions }) as const
const home = { path: '/home/index', needs: 'homeIndex', end_type: 1 } as const
const devices = { path: '/device-list', needs: 'deviceList', end_type: 1 } as const
const customers = { path: '/external-user-manage-list', needs: 'externalUserManageList', end_type: 2 } as const
const log = { path: '/operation-log-list', needs: 'operationLogList', end_type: 1 } as const
const account = { path: '/account/index', needs: 'signed_in', end_type: 2 } as const

test('an operator outside a customer opens the operator side and the allowed list only', () => {
  expect(detour(ops(['*']), devices)).toBe('/404')
  expect(detour(ops(['*']), customers)).toBeUndefined()
  expect(detour(ops(['*']), log)).toBeUndefined()
  expect(detour(ops([]), log)).toBe('/404')
  expect(detour(ops([]), account)).toBeUndefined()
})

test('home of an operator outside a customer is the customer list, if it may be opened', () => {
  expect(homeOf(ops(['external*']))).toBe('/external-user-manage-list')
  expect(homeOf(ops(['homeIndex']))).toBe('/404')
  expect(homeOf(ops(['*'], 'kid'))).toBe('/home/index')
  expect(homeOf(customer([]))).toBe('/home/index')
})

test('an operator outside a customer has the overview with its permission, else what is home', () => {
  expect(detour(ops(['homeIndex']), home)).toBeUndefined()
  expect(detour(ops(['external*']), home)).toBe('/external-user-manage-list')
  expect(detour(ops(['deviceList']), home)).toBe('/404')
  expect(detour(ops([], 'kid'), home)).toBeUndefined()
})

test('the provider’s screens do not exist for a customer, whatever pattern it holds', () => {
  expect(detour(customer(['*']), customers)).toBe('/404')
  expect(detour(customer(['*']), account)).toBeUndefined()
  expect(detour(customer(['*']), devices)).toBeUndefined()
  expect(detour(ops(['*'], 'kid'), customers)).toBeUndefined()
})

test('a screen without its permission does not exist', () => {
  expect(detour(customer(['deviceList']), devices)).toBeUndefined()
  expect(detour(customer(['deviceList:cancel']), devices)).toBe('/404')
  expect(detour(customer([]), home)).toBeUndefined()
})
