import { constants, pages } from '@mdm/contract'
import type { Language } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { publicUrl } from '../../../addresses.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { digest, newSecret } from '../../../lib/ids.ts'
import { takeSharedTry } from '../../../lib/rate-limit.ts'
import { noPassword } from '../../../lib/passwords.ts'
import { refuse } from '../../../refusal.ts'
import { queueMail } from '../mail/index.ts'
import { linkMail } from './link-mails.ts'

type Db = Kysely<Tables>
type Kind = Tables['password_link']['kind']
/** Whom a link is for. */
export type Invited = { kid: string; account_kid: string; username: string; name: string; email: string | null }

const { invitation_hours, reset_minutes } = constants.password_link
const lives_ms: Record<Kind, number> = {
  invitation: invitation_hours * 3_600_000,
  password_reset: reset_minutes * 60_000,
}
/** Invitations that one account may send within an hour: enough for a new customer's people, too few to flood strangers. */
const invitations = { limit: 200, per_ms: 3_600_000 }

/** Before the transaction, so that it is not held up. @throws `too_many_requests` */
export const takeInvitation = (deps: Deps, account_kid: string): Promise<void> =>
  takeSharedTry(deps, 'invitations', invitations, account_kid)

/**
 * A link by which somebody without a password sets the first one: by mail, or in the answer where no mail can be sent. It
 * takes the place of an earlier one.
 */
export async function invite(trx: Db, deps: Deps, person: Invited, language: Language) {
  const { link, expires_at, is_mailed } = await createLink(trx, deps, 'invitation', person, language)
  return {
    sent_to: is_mailed ? person.email : null,
    link_with_token: is_mailed ? null : link,
    expires_at,
  }
}

/** Invites somebody anew. Refused as `has_password` for whoever has set one. */
export async function inviteAgain(trx: Db, deps: Deps, user_kid: string, language: Language) {
  const user = await trx
    .selectFrom('user_account')
    .select(['kid', 'account_kid', 'username', 'name', 'email', 'language', 'password_hash'])
    .where('kid', '=', user_kid)
    .executeTakeFirst()
  if (!user) return refuse('not_found')
  if (user.password_hash !== noPassword) refuse('has_password')
  return invite(trx, deps, user, user.language ?? language)
}

/** The token exists only in the link. It stands in the fragment, which no server, log or referrer sees. */
export async function createLink(trx: Db, deps: Deps, kind: Kind, person: Invited, language: Language) {
  const token = newSecret()
  const created_at = deps.clock.now()
  const expires_at = new Date(created_at.getTime() + lives_ms[kind])
  const link = `${publicUrl(deps)}${pages.setPassword.path}#${new URLSearchParams({ token })}`
  const email = deps.config.smtp === null ? null : person.email
  const mail =
    email === null
      ? undefined
      : await queueMail(trx, deps, {
          kind,
          account_kid: person.account_kid,
          address: email,
          is_secret: true,
          ...linkMail(language, { kind, ...person, link }),
        })
  const row = { token_hash: digest(token), email, mail_kid: mail?.kid ?? null, created_at, expires_at }
  await trx
    .insertInto('password_link')
    .values({ user_kid: person.kid, kind, ...row })
    .onConflict((conflict) => conflict.columns(['user_kid', 'kind']).doUpdateSet(row))
    .execute()
  return { link, expires_at, is_mailed: mail !== undefined }
}

/** Whose a link is; undefined when it holds no more. An invitation ends with the first password, a mail with its address. */
export async function findLink(db: Db, { clock }: Deps, token: string) {
  const found = await db
    .selectFrom('password_link as l')
    .innerJoin('user_account as u', 'u.kid', 'l.user_kid')
    .innerJoin('account as a', 'a.kid', 'u.account_kid')
    .select(['l.kind', 'l.user_kid', 'l.email', 'l.expires_at', 'u.username', 'u.name', 'u.account_kid'])
    .select(['u.password_hash', 'u.email as present_email', 'a.name as account_name'])
    .where('l.token_hash', '=', digest(token))
    .where('l.expires_at', '>', clock.now())
    .executeTakeFirst()
  if (!found) return undefined
  if (found.kind === 'invitation' && found.password_hash !== noPassword) return undefined
  if (found.email !== null && found.email.toLowerCase() !== found.present_email?.toLowerCase()) return undefined
  return found
}

/** The link, which is over by that: false when another has taken it. */
export async function takeLink(trx: Db, token: string): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('password_link')
    .where('token_hash', '=', digest(token))
    .executeTakeFirst()
  return numDeletedRows === 1n
}

/** Every link of these people ends: they were disabled, or somebody has set a password. */
export const endLinks = async (db: Db, user_kids: readonly string[]): Promise<void> =>
  void (await db
    .deleteFrom('password_link')
    .where('user_kid', '=', sql<string>`any(${user_kids}::uuid[])`)
    .execute())

type State = { expires_at: Date | null; mail: 'queued' | 'sent' | 'failed' | null }
/** How it stands with the invitations of these people; null of whoever has a password. */
export async function withInvitations<Row>(
  { db }: Pick<Deps, 'db'>,
  rows: readonly Row[],
  userOf: (row: Row) => string | null,
): Promise<(Row & { invitation: State | null })[]> {
  const user_kids = rows.flatMap((row) => userOf(row) ?? [])
  const found = await db
    .selectFrom('user_account as u')
    .leftJoin('password_link as l', (join) => join.onRef('l.user_kid', '=', 'u.kid').on('l.kind', '=', 'invitation'))
    .leftJoin('mail as m', 'm.kid', 'l.mail_kid')
    .select(['u.kid', 'l.expires_at', 'm.state as mail'])
    .where('u.kid', '=', sql<string>`any(${user_kids}::uuid[])`)
    .where('u.password_hash', '=', noPassword)
    .execute()
  const states = new Map(found.map(({ kid, ...state }) => [kid, state]))
  return rows.map((row) => ({ ...row, invitation: states.get(userOf(row) ?? '') ?? null }))
}
