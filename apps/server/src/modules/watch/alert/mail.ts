import { createTransport } from 'nodemailer'
import { sql } from 'kysely'
import type { Deps } from '../../../deps.ts'
import type { SharedWork } from '../../../lib/background.ts'

const [second, minute, hour] = [1_000, 60_000, 3_600_000]
/** Between one try and the next; after the last of them it is given up. */
const retry_after = [30 * second, 2 * minute, 10 * minute, hour, 6 * hour]
/** Longer than a try takes: after that another server believes the one that began it dead. */
const lease_ms = 2 * minute
const timeout_ms = 30 * second
/** A mail server that says no with such a code will not say yes later. */
const isFinal = (code: number | undefined): boolean => code !== undefined && code >= 500

type Mail = { kid: string; account_kid: string; address: string; subject: string; body: string; attempts: number }

/** Sends what is due, one mail after the other. Without a mail server nothing waits. */
export const alertMails: SharedWork = {
  name: 'alert_mails',
  every_ms: 20 * second,
  at_once: 1,
  by_age: true,
  run: sendNext,
}

async function sendNext(deps: Deps): Promise<boolean> {
  const { smtp } = deps.config
  if (smtp === null) return false
  const mail = await claim(deps)
  if (!mail) return false
  const transport = createTransport(smtp.url, { from: smtp.from })
  transport.set('connectionTimeout', timeout_ms)
  try {
    // The address was checked when the rule was saved; the subject is one line. Nothing that somebody typed is a header.
    await transport.sendMail({ to: { name: '', address: mail.address }, subject: mail.subject, text: mail.body })
    await note(deps, mail, { sent_at: deps.clock.now(), next_at: null, error: null })
  } catch (error) {
    const { responseCode, message } = error as Error & { responseCode?: number }
    const wait = isFinal(responseCode) ? undefined : retry_after[mail.attempts - 1]
    const next_at = wait === undefined ? null : new Date(deps.clock.now().getTime() + wait)
    deps.log.warn({ err: error, alert_mail_kid: mail.kid }, 'a mail of an alert was not taken')
    await note(deps, mail, { next_at, error: message.slice(0, 500) })
    // Its rule says so.
    deps.live.publish(mail.account_kid, { type: 'alert_changed' })
  } finally {
    transport.close()
  }
  return true
}

/** Takes one that is due. It comes again when its lease ends, should this server not live to note what became of it. */
async function claim(deps: Deps): Promise<Mail | undefined> {
  const now = deps.clock.now()
  const { rows } = await sql<Mail>`
    UPDATE alert_mail SET attempts = attempts + 1, next_at = ${new Date(now.getTime() + lease_ms)}
    WHERE kid = (SELECT kid FROM alert_mail WHERE next_at <= ${now} ORDER BY next_at LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING kid, account_kid, address, subject, body, attempts
  `.execute(deps.db)
  return rows[0]
}

const note = (deps: Deps, { kid }: Mail, set: { sent_at?: Date; next_at: Date | null; error: string | null }) =>
  deps.db.updateTable('alert_mail').set(set).where('kid', '=', kid).execute()
