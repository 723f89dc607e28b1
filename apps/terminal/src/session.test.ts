import { expect, test } from 'vitest'
import { tokenIn } from './session.ts'

const token = 'a1'.repeat(32)
test.each([
  [`#${token}`, token],
  [`#${token.toUpperCase()}`, token],
  ['', undefined],
  ['#', undefined],
  [`#${token}0`, undefined],
  [`#/${token}`, undefined],
])('the token of %s is %s', (hash, found) => {
  expect(tokenIn(hash)).toBe(found)
})
