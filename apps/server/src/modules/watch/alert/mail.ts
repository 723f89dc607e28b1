import { createTransport } from 'nodemailer'
import { sql } from 'kysely'
import { withClaim } from '../../../db/claim.ts'
import type { Deps } from '../../../deps.ts'
import { wake } from '../../../lib/background.ts'
import type { SharedWork } from '../../../lib/background.ts'

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
export const alertMails: SharedWork = {
  name: 'alert_mails',
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
  return withClaim(deps, 'alert_mail', wanted, async ({ row: mail, set }) => {
    // Another customer's mail need not wait for this one.
    wake(deps, alertMails)
    const transport = createTransport({ url: smtp.url, ...timeouts }, { from: smtp.from })
    try {
      // The address was checked when the rule was saved; the subject is one line. Nothing that somebody typed is a header.
      await transport.sendMail({ to: { name: '', address: mail.address }, subject: mail.subject, text: mail.body })
    } catch (error) {
      const wait = isFinal(error as MailError) ? undefined : retry_after[mail.attempts - 1]
      const next_at = wait === undefined ? null : new Date(deps.clock.now().getTime() + wait)
      deps.log.warn({ err: error, alert_mail_kid: mail.kid }, 'a mail of an alert was not taken')
      const state = next_at === null ? 'failed' : 'queued'
      await set({ state, worked_by: null, next_at, error: (error as MailError).message.slice(0, 500) })
      // Its rule says so.
      return deps.live.publish(mail.account_kid, { type: 'alert_changed' })
    } finally {
      transport.close()
    }
    await set({ state: 'sent', worked_by: null, sent_at: deps.clock.now(), next_at: null, error: null })
  })
}
