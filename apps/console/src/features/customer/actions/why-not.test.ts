import type { CustomerRow } from '@mdm/contract'
import { expect, test } from 'vitest'
import { stateOf, whyNot } from './why-not.ts'

const row = { can: [], state: 'normal', is_expired: false } as unknown as CustomerRow

test('a customer whose time has ended is called so', () => {
  expect(stateOf(row)).toBe('normal')
  expect(stateOf({ state: 'invalid', is_expired: false })).toBe('invalid')
  expect(stateOf({ state: 'invalid', is_expired: true })).toBe('expired')
})

test('the reason follows from the row', () => {
  expect(whyNot({ ...row, can: ['enter'] })).toBeUndefined()
  expect(whyNot({ ...row, state: 'invalid' })).toBe('invalid')
  expect(whyNot({ ...row, state: 'invalid', is_expired: true })).toBe('expired')
  expect(whyNot(row)).toBe('other')
})
