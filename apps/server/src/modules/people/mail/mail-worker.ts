import { createTransport } from 'nodemailer'
import { sql } from 'kysely'
import { withClaim } from '../../../db/claim.ts'
import type { Deps } from '../../../deps.ts'
import { contentTypeOf } from '../../../files/names.ts'
import { wake } from '../../../lib/background.ts'
import type { SharedWork } from '../../../lib/background.ts'
import { unseal } from '../../../lib/sealed.ts'

const [second, minute, hour] = [1_000, 60_000, 3_600_000]
/** Between one try and the next; after the last of them it is given up. */
const retry_after = [30 * second, 2 * minute, 10 * minute, hour, 6 * hour]
const timeout_ms = 30 * second
const timeouts = { connectionTimeout: timeout_ms, greetingTimeout: timeout_ms, socketTimeout: timeout_ms }
type MailError = Error & { responseCode?: number; command?: string }
/** A no to this address or this mail stays one. That the server does not take us or our sender somebody puts right. */
const isFinal = ({ responseCode, command }: MailError): boolean =>
  responseCode !== undefined && responseCode >= 500 && (command === 'RCPT TO' || command === 'DATA')

/** Sends what is due, of each customer one mail after the other. Without a mail server nothing waits. */
export const mails: SharedWork = {
  name: 'mails',
  every_ms: 20 * second,
  at_once: 3,
  by_age: true,
  run: sendNext,
}

async function sendNext(deps: Deps): Promise<boolean> {
  const { smtp } = deps.config
  if (smtp === null) return false
  const wanted = {
    states: ['queued'],
    order: sql`r.next_at NULLS FIRST`,
    at_once_of_customer: 1,
    set: sql`attempts = r.attempts + 1`,
  }
  return withClaim(deps, 'mail', wanted, async ({ row: mail, set }) => {
    // Another customer's mail need not wait for this one.
    wake(deps, mails)
    const transport = createTransport({ url: smtp.url, ...timeouts }, { from: smtp.from })
    try {
      const text = mail.body_sealed === null ? mail.body : await unseal(deps, mail.body_sealed)
      // The address was checked when it was saved; the subject is one line. Nothing that somebody typed is a header.
      await transport.sendMail({
        ...{ to: { name: '', address: mail.address }, subject: mail.subject, text },
        ...(mail.attachment && { attachments: [attachmentOf(mail.attachment_name ?? 'report', mail.attachment)] }),
      })
    } catch (error) {
      const wait = isFinal(error as MailError) ? undefined : retry_after[mail.attempts - 1]
      const next_at = wait === undefined ? null : new Date(deps.clock.now().getTime() + wait)
      deps.log.warn({ err: error, mail_kid: mail.kid, kind: mail.kind }, 'a mail was not taken')
      const state = next_at === null ? 'failed' : 'queued'
      const given_up = state === 'failed' ? { body_sealed: null, attachment: null } : {}
      await set({ state, worked_by: null, next_at, error: (error as MailError).message.slice(0, 500), ...given_up })
      // Its rule says so.
      return mail.kind === 'alert' ? deps.live.publish(mail.account_kid, { type: 'alert_changed' }) : undefined
    } finally {
      transport.close()
    }
    await set({
      state: 'sent',
      worked_by: null,
      sent_at: deps.clock.now(),
      next_at: null,
      error: null,
      body_sealed: null,
      attachment: null,
    })
  })
}

const attachmentOf = (filename: string, content: Uint8Array) => ({
  ...{ filename, content: Buffer.from(content), contentType: contentTypeOf(filename) },
})

const kept_days = 30
export async function dropOldMails({ db, clock }: Deps): Promise<void> {
  await db
    .deleteFrom('mail')
    .where('created_at', '<', new Date(clock.now().getTime() - kept_days * 24 * hour))
    .execute()
}
