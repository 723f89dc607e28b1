import type { Kysely } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { newKid } from '../../../lib/ids.ts'
import { seal } from '../../../lib/sealed.ts'

type Draft = Pick<Tables['mail'], 'kind' | 'account_kid' | 'address' | 'subject'> & {
  body: string
  /** The body holds what nobody may read in the database. */
  is_secret?: boolean
  attachment?: { name: string; content: Buffer }
}

/** Writes a mail, which is sent when the transaction is committed and `mails` is woken. */
export async function queueMail(
  trx: Kysely<Tables>,
  deps: Deps,
  { body, is_secret = false, attachment, ...mail }: Draft,
): Promise<{ kid: string }> {
  const now = deps.clock.now()
  const kid = newKid()
  const kept = is_secret ? { body: '', body_sealed: await seal({ ...deps, db: trx }, body) } : { body }
  await trx
    .insertInto('mail')
    .values({
      ...{ ...mail, ...kept, kid, next_at: now, created_at: now },
      ...(attachment && { attachment: attachment.content, attachment_name: attachment.name }),
    })
    .execute()
  return { kid }
}
