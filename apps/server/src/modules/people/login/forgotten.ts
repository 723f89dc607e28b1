import type { Contract, In, Language } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import type { RequestInfo } from '../../../http/context.ts'
import { accountUsable } from '../../../http/session-row.ts'
import { wake } from '../../../lib/background.ts'
import type { SharedWork } from '../../../lib/background.ts'
import { newKid } from '../../../lib/ids.ts'
import { takeSharedTry } from '../../../lib/rate-limit.ts'
import { Refusal, refuse } from '../../../refusal.ts'
import { mails } from '../mail/index.ts'
import { createLink } from './password-links.ts'
import { placeOf } from './lockout.ts'
import { spendPuzzleToken } from './puzzle/puzzle.ts'

/** Of one place, and links that one person is sent. */
const limits = {
  place: { limit: 10, per_ms: 3_600_000 },
  person: { limit: 3, per_ms: 3_600_000 },
} as const
/** What nobody could work on for longer, its owner asks for anew. */
const late_ms = 15 * 60_000

type Asked = In<Contract['login']['calls']['forgot_password']>
/**
 * Somebody wants a new password. Every name gets the same answer after the same work: whether somebody has it is looked at
 * in the background, on any server.
 */
export async function forgotPassword(deps: Deps, { username, puzzle_token }: Asked, request: RequestInfo) {
  if (deps.config.smtp === null) refuse('mail_off')
  await takeSharedTry(deps, 'forgotten passwords', limits.place, await placeOf(deps, request))
  if (!(await spendPuzzleToken(deps, puzzle_token))) refuse('puzzle_expired')
  await deps.db
    .insertInto('forgotten_password')
    .values({ kid: newKid(), username, language: request.language, created_at: deps.clock.now() })
    .execute()
  const nobody = { account_kid: null, account_name: null, operator_kid: null, operator_name: '' }
  request.identify?.({ ...nobody, operator_username: username.slice(0, 64) })
  wake(deps, forgottenPasswords)
}

export const forgottenPasswords: SharedWork = {
  name: 'forgotten_passwords',
  every_ms: 20_000,
  at_once: 1,
  async run(deps) {
    const is_done = await deps.db.transaction().execute((trx) => answerNext(trx, deps))
    if (is_done) wake(deps, mails)
    return is_done
  },
}

async function answerNext(trx: Kysely<Tables>, deps: Deps): Promise<boolean> {
  const { rows } = await sql<{ username: string; language: Language; created_at: Date }>`
    DELETE FROM forgotten_password WHERE kid = (
      SELECT kid FROM forgotten_password ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING username, language, created_at`.execute(trx)
  const asked = rows[0]
  if (!asked) return false
  const now = deps.clock.now()
  if (asked.created_at.getTime() < now.getTime() - late_ms) return true
  const name = asked.username.trim().toLowerCase()
  // Somebody's login name may look like the address of another person: both are meant.
  const people = await trx
    .selectFrom('user_account as u')
    .innerJoin('account as a', 'a.kid', 'u.account_kid')
    .select(['u.kid', 'u.account_kid', 'u.username', 'u.name', 'u.email', 'u.language'])
    .where((eb) => eb.or([eb(sql`lower(u.username)`, '=', name), eb(sql`lower(u.email)`, '=', name)]))
    .where('u.email', 'is not', null)
    .where('u.status', '!=', 'invalid')
    .where(accountUsable('a', now))
    .limit(2)
    .execute()
  for (const person of people) {
    if (!(await hasTry(deps, person.kid))) continue
    await createLink(trx, deps, 'password_reset', person, person.language ?? asked.language)
  }
  return true
}

const hasTry = (deps: Deps, user_kid: string): Promise<boolean> =>
  takeSharedTry(deps, 'new passwords of a person', limits.person, user_kid).then(
    () => true,
    (error: unknown) => {
      if (error instanceof Refusal) return false
      throw error
    },
  )
