import { contract } from '@mdm/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testApi } from '../../../testing/calls.ts'
import type { TestApi } from '../../../testing/calls.ts'
import { signIn } from '../../../testing/sign-in.ts'
import { failureLimits } from '../login/lockout.ts'
import { resetPassword } from './index.ts'

let o: TestApi
beforeAll(async () => void (o = await testApi()))
afterAll(() => o.close())

it('lets in again who is locked out, without the second factor, and ends what was signed in', async () => {
  const username = 'operator'
  await o.deps.db
    .updateTable('user_account')
    .set({ totp_secret: 'sealed', totp_enabled_at: o.deps.clock.now() })
    .where('username', '=', username)
    .execute()
  for (let failed = 0; failed <= failureLimits.name; failed += 1) await signIn(o, username, 'Wrong-1234')
  const { password } = await resetPassword(o.deps, username.toUpperCase())
  expect((await o.call(contract.account.calls.info, {}, o.operator)).status).toBe(401)
  expect((await signIn(o, username, password)).data).toMatchObject({ username })
})

it('says when nobody has that name', async () => {
  await expect(resetPassword(o.deps, 'nobody.here')).rejects.toMatchObject({ refusal: 'not_found' })
})
