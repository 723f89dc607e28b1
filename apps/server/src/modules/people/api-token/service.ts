import { beyond, constants } from '@mdm/contract'
import type { Contract, In } from '@mdm/contract'
import type { Actor } from '../../../actor.ts'
import { violation } from '../../../db/violations.ts'
import { refuse } from '../../../refusal.ts'
import type { Ctx } from '../../../http/context.ts'
import { forgetSessions } from '../../../http/session-cache.ts'
import { digest, newKid, newSecret } from '../../../lib/ids.ts'

const max = constants.api_tokens_max
const dayMs = 24 * 3_600_000
/** Letters of a token that are shown to tell it from others; far too few to guess the rest. */
const prefixLetters = 12

/** The API tokens of a person, the newest first; also those that have expired, until they are revoked. */
export const list = ({ deps, user }: Actor) =>
  deps.db
    .selectFrom('api_token')
    .select(['kid', 'name', 'prefix', 'permissions', 'may_destroy', 'created_at', 'expires_at'])
    .select(['last_use_at', 'last_address'])
    .where('user_kid', '=', user.kid)
    .orderBy('created_at', 'desc')
    .orderBy('kid', 'desc')
    .execute()

/** A token, which is shown this once. Refused as `role_beyond_own`, `duplicate_name`, `api_token_limit`. */
export async function insert(
  { deps, session }: Ctx,
  { name, permissions, expires_in_days, may_destroy }: In<Contract['apiToken']['calls']['insert']>,
) {
  const { user_kid } = session
  const names = beyond(permissions, session.permissions)
  if (names.length > 0) refuse('role_beyond_own', { names: names.join(', ') })
  const kid = newKid()
  const token = `mdm_${newSecret()}`
  const created_at = deps.clock.now()
  const row = {
    kid,
    user_kid,
    name,
    prefix: token.slice(0, prefixLetters),
    token_hash: digest(token),
    permissions,
    may_destroy,
    created_at,
    expires_at: new Date(created_at.getTime() + expires_in_days * dayMs),
  }
  await deps.db.transaction().execute(async (trx) => {
    // One at a time for each person, or they could count past each other.
    await trx.selectFrom('user_account').select('kid').where('kid', '=', user_kid).forUpdate().execute()
    const { count } = await trx
      .selectFrom('api_token')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('user_kid', '=', user_kid)
      .executeTakeFirstOrThrow()
    if (Number(count) >= max) refuse('api_token_limit', { max })
    await violation(() => trx.insertInto('api_token').values(row).execute(), { api_token_name: 'duplicate_name' })
  })
  return { kid, token }
}

/** Ends a token of this person. Answers its name. Refused as `not_found`. */
export async function revoke({ deps, user }: Actor, kid: string): Promise<string> {
  const revoked = await deps.db
    .deleteFrom('api_token')
    .where('kid', '=', kid)
    .where('user_kid', '=', user.kid)
    .returning('name')
    .executeTakeFirst()
  if (!revoked) return refuse('not_found')
  forgetSessions(deps)
  return revoked.name
}
