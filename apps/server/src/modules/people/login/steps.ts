import type { Kysely } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { digest, newSecret } from '../../../lib/ids.ts'

type Step = Tables['login_step']
type Draft = Pick<Step, 'kind'> & { user_kid?: string; detail?: Record<string, unknown>; lives_ms: number }

/** Keeps where a sign-in has got to. The token is kept nowhere. */
export async function createStep(
  db: Kysely<Tables>,
  { clock }: Deps,
  { kind, user_kid, detail = {}, lives_ms }: Draft,
): Promise<{ token: string; expires_at: Date }> {
  const token = newSecret()
  const expires_at = new Date(clock.now().getTime() + lives_ms)
  await db
    .insertInto('login_step')
    .values({
      token_hash: digest(token),
      kind,
      user_kid: user_kid ?? null,
      detail: JSON.stringify(detail),
      expires_at,
    })
    .execute()
  return { token, expires_at }
}

/** One of the `most` tries that a step has; undefined when there is no such step any more. */
export async function tryStep({ db, clock }: Deps, kind: Step['kind'], token: string, most: number) {
  return db
    .updateTable('login_step')
    .set((eb) => ({ tries: eb('tries', '+', 1) }))
    .where('token_hash', '=', digest(token))
    .where('kind', '=', kind)
    .where('expires_at', '>', clock.now())
    .where('tries', '<', most)
    .returning('user_kid')
    .executeTakeFirst()
}

/** The step, which is over by that. */
export async function takeStep(db: Kysely<Tables>, { clock }: Deps, kind: Step['kind'], token: string) {
  const taken = await db
    .deleteFrom('login_step')
    .where('token_hash', '=', digest(token))
    .where('kind', '=', kind)
    .returning(['user_kid', 'detail', 'expires_at'])
    .executeTakeFirst()
  return taken && taken.expires_at > clock.now() ? taken : undefined
}
