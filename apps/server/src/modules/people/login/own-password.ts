import { constants } from '@mdm/contract'
import { refuse } from '../../../refusal.ts'
import type { Ctx } from '../../../http/context.ts'
import { forgetSessions } from '../../../http/session-cache.ts'
import { verifyPassword } from '../../../lib/passwords.ts'
import { clearTry, reserveTry } from './lockout.ts'

/** The stored hash that `sent` is right for. Tries count as those of sign-in: `login_locked`, `password_wrong`. */
export async function assertOwnPassword({ deps, session, request }: Ctx, sent: string): Promise<string> {
  const { user_kid, username } = session
  const tried = { username, from: request }
  await reserveTry(deps, tried)
  const user = await deps.db
    .selectFrom('user_account')
    .select('password_hash')
    .where('kid', '=', user_kid)
    .executeTakeFirst()
  const { is_right } = await verifyPassword(sent, user?.password_hash, deps.password_cost)
  if (!user || !is_right) return refuse('password_wrong')
  await clearTry(deps, tried)
  return user.password_hash
}

/** For the next minutes this session may do what asks for the password again. */
export async function confirmPassword(ctx: Ctx, sent: string) {
  const { deps, session } = ctx
  await assertOwnPassword(ctx, sent)
  const confirmed_at = deps.clock.now()
  await deps.db.updateTable('session').set({ confirmed_at }).where('kid', '=', session.kid).execute()
  forgetSessions(deps)
  return { confirmed_until: new Date(confirmed_at.getTime() + constants.password_confirmed_minutes * 60_000) }
}
