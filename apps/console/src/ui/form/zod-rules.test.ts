import { contract } from '@mdm/contract'
import { expect, test } from 'vitest'
import { longestOf } from './zod-rules.ts'

test('how long a text may be is what the contract takes, whatever wraps it', () => {
  const { update_info } = contract.account.calls
  expect(longestOf(update_info.input, 'name')).toBe(64)
  expect(longestOf(update_info.input, 'email')).toBe(254)
  expect(longestOf(contract.opsAccount.calls.insert.input, 'remark')).toBe(200)
  expect(longestOf(contract.opsAccount.calls.insert.input, 'terminal_max')).toBeUndefined()
})
