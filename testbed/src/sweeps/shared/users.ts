import { clientHash } from '@mdm/server/lib/passwords.ts'
import { sharedHash } from '@mdm/server/lib/shared-hash.ts'
import { createUser } from '@mdm/server/modules/people/account/index.ts'
import { failureLimits } from '@mdm/server/modules/people/login/lockout.ts'
import { reserveTry } from '@mdm/server/modules/people/login/index.ts'
import { demoPassword } from '../../seed.ts'
import type { Stage } from '../stage.ts'

export const wrongPassword = clientHash('Wrong-1!')
/** No code of any app: those are digits. */
export const wrongCode = 'wrong-code'

/** Nobody may try this name for now. */
export async function lock({ deps }: Stage, username: string): Promise<void> {
  for (let i = 0; i < failureLimits.name; i++) await reserveTry(deps, { username, from: { address: '192.0.2.9' } })
}

/** A user of the first customer who holds the home screen only. */
export const homeUser = async (s: Stage) => s.user(s.customer_kid, 3, [await s.role(s.customer_kid, 5, ['homeIndex'])])

/** A user with a password and without a role. */
export async function roleless({ deps, username, customer_kid }: Stage) {
  const draft = { account_kid: customer_kid, type: 3 as const, username: username(), name: 'Roleless' }
  return {
    ...draft,
    ...(await createUser(deps.db, { ...draft, password_hash: await sharedHash(demoPassword, deps.password_cost) })),
  }
}
