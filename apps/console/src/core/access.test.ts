import { pages } from '@mdm/contract'
import { expect, test } from 'vitest'
import { redirectFor, homeOf } from './access.ts'

const ops = (permissions: string[], enter_kid: string | null = null) =>
  ({ account_type: 101, enter_kid, permissions }) as const
const customer = (permissions: string[]) => ({ account_type: 1, enter_kid: null, permissions }) as const
const {
  homeIndex: home,
  deviceList: devices,
  externalUserManageList: customers,
  operationLogList: log,
  accountIndex: account,
} = pages

test('an operator outside a customer opens the operator side and the allowed list only', () => {
  expect(redirectFor(ops(['*']), devices)).toBe('/404')
  expect(redirectFor(ops(['*']), customers)).toBeUndefined()
  expect(redirectFor(ops(['*']), log)).toBeUndefined()
  expect(redirectFor(ops([]), log)).toBe('/404')
  expect(redirectFor(ops([]), account)).toBeUndefined()
})

test('home of an operator outside a customer is the customer list, if it may be opened', () => {
  expect(homeOf(ops(['external*']))).toBe('/external-user-manage-list')
  expect(homeOf(ops(['homeIndex']))).toBe('/404')
  expect(homeOf(ops(['*'], 'kid'))).toBe('/home/index')
  expect(homeOf(customer([]))).toBe('/home/index')
})

test('an operator outside a customer has the overview with its permission, else what is home', () => {
  expect(redirectFor(ops(['homeIndex']), home)).toBeUndefined()
  expect(redirectFor(ops(['external*']), home)).toBe('/external-user-manage-list')
  expect(redirectFor(ops(['deviceList']), home)).toBe('/404')
  expect(redirectFor(ops([], 'kid'), home)).toBeUndefined()
})

test('the provider’s screens do not exist for a customer, whatever pattern it holds', () => {
  expect(redirectFor(customer(['*']), customers)).toBe('/404')
  expect(redirectFor(customer(['*']), account)).toBeUndefined()
  expect(redirectFor(customer(['*']), devices)).toBeUndefined()
  expect(redirectFor(ops(['*'], 'kid'), customers)).toBeUndefined()
})

test('a screen without its permission does not exist', () => {
  expect(redirectFor(customer(['deviceList']), devices)).toBeUndefined()
  expect(redirectFor(customer(['deviceList:cancel']), devices)).toBe('/404')
  expect(redirectFor(customer([]), home)).toBeUndefined()
})
