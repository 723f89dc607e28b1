import { newKid } from '../../../lib/ids.ts'
import type { Deps } from '../../../deps.ts'
import { clientHash, hashPassword, randomPassword } from '../../../lib/passwords.ts'
import { createRole, createUser } from './service.ts'

/**
 * On a database without a provider: its account, the role `admin` that may everything and the user `admin`, whose
 * password exists only in the answer. Undefined when there is a provider. Of several servers that start at once one
 * gets the answer: the database allows a single provider.
 */
export async function ensureProvider({
  db,
  clock,
  password_cost,
}: Deps): Promise<{ username: string; password: string } | undefined> {
  const username = 'admin'
  if (await db.selectFrom('account').select('kid').where('type', '=', 101).executeTakeFirst()) return undefined
  const password = randomPassword()
  const password_hash = await hashPassword(clientHash(password), password_cost)
  return db.transaction().execute(async (trx) => {
    const now = clock.now()
    const provider = await trx
      .insertInto('account')
      .values({ kid: newKid(), type: 101, name: 'Provider', created_at: now, updated_at: now })
      .onConflict((oc) => oc.doNothing())
      .returning('kid')
      .executeTakeFirst()
    if (!provider) return undefined
    const account_kid = provider.kid
    const role = await createRole(trx, {
      account_kid,
      code: 'admin',
      name: 'Administrator',
      permissions: ['*'],
      weight: 1000,
    })
    await createUser(trx, {
      account_kid,
      type: 101,
      username,
      name: 'Administrator',
      password_hash,
      role_kids: [role.kid],
      created_at: now,
    })
    return { username, password }
  })
}
