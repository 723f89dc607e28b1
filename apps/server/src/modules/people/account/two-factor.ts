import type { Kysely } from 'kysely'
import type { Actor } from '../../../actor.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { refuse } from '../../../refusal.ts'
import type { Ctx } from '../../../http/context.ts'
import { seal } from '../../../lib/sealed.ts'
import { clearTry, newRecoveryCodes, newTotp, reserveTry, stepOfCode } from '../login/index.ts'

/** A secret to set up an app with. It counts only when a code of it has come back. Refused as `conflict` when one does. */
export async function beginTotp({ deps, session: { user_kid, username } }: Ctx) {
  const { secret, otpauth_url } = newTotp(username)
  const { numUpdatedRows } = await deps.db
    .updateTable('user_account')
    .set({ totp_secret: await seal(deps, secret) })
    .where('kid', '=', user_kid)
    .where('totp_enabled_at', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) refuse('conflict')
  return { secret, otpauth_url }
}

/** From now on signing in asks for a code. Refused as `totp_wrong`, `login_locked`, or `conflict` when nothing was begun. */
export async function enableTotp({ deps, session, request }: Ctx, typed: string) {
  const { user_kid, username } = session
  const user = await deps.db
    .selectFrom('user_account')
    .select(['totp_secret', 'totp_enabled_at'])
    .where('kid', '=', user_kid)
    .executeTakeFirst()
  if (!user || user.totp_secret === null || user.totp_enabled_at !== null) return refuse('conflict')
  const tried = { username, from: request }
  await reserveTry(deps, tried)
  const totp_last_step = await stepOfCode(deps, user.totp_secret, typed.replace(/\s/g, ''))
  if (totp_last_step === undefined) return refuse('totp_wrong')
  await clearTry(deps, tried)
  const { codes, hashes } = await newRecoveryCodes(deps, user_kid)
  const { numUpdatedRows } = await deps.db
    .updateTable('user_account')
    .set({ totp_enabled_at: deps.clock.now(), totp_last_step, totp_recovery: hashes })
    .where('kid', '=', user_kid)
    .where('totp_secret', '=', user.totp_secret)
    .where('totp_enabled_at', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) refuse('conflict')
  return { recovery_tokens: codes }
}

export const disableOwnTotp = ({ deps, user }: Actor): Promise<void> => disableTotp(deps.db, user.kid)

export async function disableTotp(db: Kysely<Tables>, user_kid: string): Promise<void> {
  await db
    .updateTable('user_account')
    .set({ totp_secret: null, totp_enabled_at: null, totp_last_step: null, totp_recovery: [] })
    .where('kid', '=', user_kid)
    .execute()
}
