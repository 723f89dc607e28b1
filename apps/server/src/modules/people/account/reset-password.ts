import { sql } from 'kysely'
import type { Deps } from '../../../deps.ts'
import { clientHash, hashPassword, randomPassword } from '../../../lib/passwords.ts'
import { refuse } from '../../../refusal.ts'
import { dropPasskeys, endSessions } from '../login/index.ts'
import { disableTotp } from './two-factor.ts'

/**
 * For whoever rules the machine, when nobody can sign in any more: a new password, no second factor and passkey, and no lock of the name. Every
 * session ends. Refused as `not_found`.
 */
export async function resetPassword(
  deps: Pick<Deps, 'db' | 'clock' | 'memory' | 'password_cost' | 'log'>,
  username: string,
): Promise<{ password: string }> {
  const { db, clock, log } = deps
  const name = username.toLowerCase()
  const user = await db
    .selectFrom('user_account')
    .select(['kid', 'username'])
    .where(sql`lower(username)`, '=', name)
    .executeTakeFirst()
  if (!user) return refuse('not_found')
  const password = randomPassword()
  const password_hash = await hashPassword(clientHash(password), deps.password_cost)
  await db
    .updateTable('user_account')
    .set({ password_hash, updated_at: clock.now() })
    .where('kid', '=', user.kid)
    .execute()
  await disableTotp(db, user.kid)
  await dropPasskeys(db, user.kid)
  await db
    .deleteFrom('login_failure')
    .where((eb) => eb.or([eb('key', '=', `name:${name}`), sql<boolean>`starts_with(key, ${`name:${name} from `})`]))
    .execute()
  await endSessions(deps, user.kid)
  log.warn({ username: user.username }, 'the password was reset on this machine')
  return { password }
}
