import { sql } from 'kysely'
import type { Deps } from '../../../deps.ts'
import { refuse } from '../../../refusal.ts'
import { accountUsable } from '../../../http/session-row.ts'

/** Somebody who wants to sign in, and what keeps them from it. */
export type Candidate = NonNullable<Awaited<ReturnType<typeof findUser>>>

export async function findUser({ db, clock }: Pick<Deps, 'db' | 'clock'>, by: { username: string } | { kid: string }) {
  return db
    .selectFrom('user_account as u')
    .innerJoin('account as a', 'a.kid', 'u.account_kid')
    .select(['u.kid', 'u.account_kid', 'u.username', 'u.password_hash', 'u.totp_secret', 'u.totp_enabled_at'])
    .select((eb) => [
      eb.and([eb('u.status', '!=', 'invalid'), accountUsable('a', clock.now())]).as('is_usable'),
      eb
        .exists(eb.selectFrom('user_role as ur').select('ur.role_kid').whereRef('ur.user_kid', '=', 'u.kid'))
        .as('has_role'),
    ])
    .where((eb) =>
      'kid' in by ? eb('u.kid', '=', by.kid) : eb(sql`lower(u.username)`, '=', by.username.toLowerCase()),
    )
    .executeTakeFirst()
}

/** Refused as `account_unavailable` or `no_role`. Only for those who have proved who they are. */
export function assertMaySignIn({ is_usable, has_role, username }: Candidate): void {
  if (!is_usable) refuse('account_unavailable', { username })
  if (!has_role) refuse('no_role', { username })
}
