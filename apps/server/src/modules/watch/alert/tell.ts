import { alertKinds, alertLimits, pages } from '@mdm/contract'
import type { Language } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely, Selectable } from 'kysely'
import { customerOf, customerOfAccount } from '../../../db/customer.ts'
import { zoneOfUser } from '../../../db/zone-of-user.ts'
import { lockAccount } from '../../../db/lock-account.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Telling } from '../../../db/schema/tables-alerts.ts'
import type { Deps } from '../../../deps.ts'
import { newKid } from '../../../lib/ids.ts'
import { publicUrl } from '../../../addresses.ts'
import { mails } from '../../people/mail/index.ts'
import { notifyAccount, webhookDeliveries } from '../webhook/index.ts'
import { alertActions } from './actions.ts'
import { assigneeNameOf } from './alerts.ts'
import { mailOf } from './mail-texts.ts'
import { wake } from '../../../lib/background.ts'

type Alert = Selectable<Tables['alert']>
/** Without addresses the rest of a rule is of no account. */
type Rule = Pick<
  Selectable<Tables['alert_rule']>,
  'kid' | 'account_kid' | 'emails' | 'silenced_until' | 'is_noncompliant'
> &
  Partial<Pick<Selectable<Tables['alert_rule']>, 'language' | 'created_by_kid'>>
/** `changed` is for the console only. */
export type Told = { event: 'opened' | 'grown' | 'resolved' | 'changed'; alert: Alert }
/** With the assignee of the moment in which it is told. */
type Named = Told & { assignee_name: string | null }

const named_devices = 10
type Queued = { emails: string[]; is_cut: boolean }
const none: Queued = { emails: [], is_cut: false }

export const isSilenced = ({ silenced_until }: Pick<Rule, 'silenced_until'>, now: Date): boolean =>
  silenced_until !== null && silenced_until > now

/**
 * To the browsers at once; by mail and to webhooks unless it is silenced. What was written before is committed by now. That it
 * is told is noted in one transaction with what is sent: what fails is told by the next look.
 */
export async function tell(deps: Deps, rule: Rule, told: Told): Promise<void> {
  const now = deps.clock.now()
  const { event } = told
  deps.live.publish(rule.account_kid, { type: 'alert_changed' })
  if (rule.is_noncompliant) deps.live.publish(rule.account_kid, { type: 'terminal_list_changed' })
  wake(deps, alertActions)
  const is_silenced = isSilenced(rule, now)
  // A program that waits for its end hears of that also while it is silenced.
  if (event === 'changed' || (is_silenced && event !== 'resolved')) return
  const is_cut = await deps.db.transaction().execute(async (trx) => {
    // The rule comes first, as wherever an alert is changed with its rule.
    await trx.selectFrom('alert_rule').select('kid').where('kid', '=', rule.kid).forNoKeyUpdate().execute()
    if (!(await claim(trx, told, now))) return false
    const within = { ...deps, db: trx }
    const named = { ...told, assignee_name: await assigneeNameOf(trx, told.alert.kid) }
    const webhooks = event === 'grown' ? 0 : await tellHooks(within, rule, named)
    const { emails, is_cut } = is_silenced ? none : await queueMails(within, rule, named, now)
    if (emails.length > 0 || webhooks > 0)
      await noteTelling(trx, told.alert.kid, { at: now.toISOString(), of: event, emails, webhooks })
    return is_cut
  })
  wake(deps, webhookDeliveries)
  wake(deps, mails)
  if (!is_cut) return
  const { account_kid, kid } = rule
  deps.log.warn({ account_kid, alert_rule_kid: kid }, 'too many mails of alerts within an hour')
}

/** Somebody has ended it by hand. That is done: what cannot be told of it now is told by the next look. */
export const tellEnded = (deps: Deps, rule: Rule, alert: Alert): Promise<void> =>
  tell(deps, rule, { event: 'resolved', alert }).catch((error: unknown) =>
    deps.log.warn({ err: error, alert_kid: alert.kid }, 'that an alert was resolved could not be told'),
  )

/** Two servers, or two looks at one rule, must not tell the same twice. */
async function claim(trx: Kysely<Tables>, { event, alert }: Told, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('alert')
    .set(event === 'resolved' ? { end_told_at: now } : { told: alert.count, told_at: now })
    .where('kid', '=', alert.kid)
    .$if(event === 'opened', (q) => q.where('told_at', 'is', null))
    .$if(event === 'grown', (q) => q.where('told', '<', alert.count))
    // Of what nobody was told nobody waits for the end.
    .$if(event === 'resolved', (q) => q.where('told_at', 'is not', null).where('end_told_at', 'is', null))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Alerts that are over, of which that was not told, because the server or its database went away. */
export const endsToTell = (db: Kysely<Tables>): Promise<Alert[]> =>
  db
    .selectFrom('alert')
    .selectAll()
    .where('resolved_at', 'is not', null)
    .where('told_at', 'is not', null)
    .where('end_told_at', 'is', null)
    .orderBy('resolved_at')
    .limit(500)
    .execute()

/** For its history. */
async function noteTelling(trx: Kysely<Tables>, kid: string, telling: Telling): Promise<void> {
  const tellings = sql<Telling[]>`tellings || ${JSON.stringify([telling])}::jsonb`
  await trx.updateTable('alert').set({ tellings }).where('kid', '=', kid).execute()
}

/**
 * Programs that watch this account: of each alert once that it opened, and then once that it is over. Answers how many of
 * its webhooks that is.
 */
function tellHooks(deps: Deps, rule: Rule, { event, alert, assignee_name }: Named): Promise<number> {
  return notifyAccount(deps, rule.account_kid, event === 'resolved' ? 'alert.resolved' : 'alert.opened', {
    alert_kid: alert.kid,
    alert_rule_kid: rule.kid,
    name: alert.name,
    kind: alert.kind,
    severity: alert.severity,
    count: event === 'opened' ? alert.count : alert.peak,
    assignee_name,
    ...(event === 'resolved' && { resolved_by: alert.resolved_by }),
  })
}

/**
 * One for each address, in the language of the person it belongs to. A customer, its sub-accounts included, sends so many an
 * hour and no more: to whom it goes, and whether some were left out.
 */
async function queueMails(deps: Deps, rule: Rule, { event, alert, assignee_name }: Named, now: Date): Promise<Queued> {
  if (rule.emails.length === 0 || deps.config.smtp === null || event === 'changed') return none
  const languages = await languagesOf(deps, rule)
  const devices = event === 'resolved' ? [] : await namesOf(deps, alert.kid)
  const zone = await zoneOf(deps, rule)
  const drafts = rule.emails.map((address) => {
    const language = languages.get(address.toLowerCase()) ?? rule.language ?? 'en'
    const { subject, body } = mailOf(language, {
      event,
      name: alert.name,
      kind: alertKinds[alert.kind].title[language],
      severity: alert.severity,
      count: event === 'resolved' ? alert.peak : alert.count,
      has_devices: alertKinds[alert.kind].subject === 'device',
      devices,
      opened_at: alert.opened_at,
      resolved_at: alert.resolved_at,
      resolved_by: alert.resolved_by,
      assignee_name,
      zone,
      url: `${publicUrl(deps)}${pages.alertList.path}?alert=${alert.kid}`,
    })
    const { account_kid, kid: rule_kid } = rule
    return {
      kid: newKid(),
      kind: 'alert' as const,
      account_kid,
      rule_kid,
      address,
      subject,
      body,
      next_at: now,
      created_at: now,
    }
  })
  const room = await roomForMails(deps.db, rule.account_kid, now)
  const kept = drafts.slice(0, room)
  if (kept.length > 0) await deps.db.insertInto('mail').values(kept).execute()
  const emails = kept.map(({ address }) => address)
  if (kept.length === drafts.length) return { emails, is_cut: false }
  await deps.db.updateTable('alert_rule').set({ mails_cut_at: now }).where('kid', '=', rule.kid).execute()
  return { emails, is_cut: true }
}

/** Mails that the customer of an account may still send. Other alerts of the customer wait until the transaction ends. */
async function roomForMails(trx: Kysely<Tables>, account_kid: string, now: Date): Promise<number> {
  const customer = await customerOfAccount(trx, account_kid)
  await lockAccount(trx, customer)
  const { rows } = await sql<{ n: number }>`
    SELECT count(*)::int AS n FROM mail m JOIN account a ON a.kid = m.account_kid
    WHERE ${customerOf('a')} = ${customer} AND m.kind = 'alert' AND m.created_at > ${new Date(now.getTime() - 3_600_000)}
  `.execute(trx)
  return Math.max(0, alertLimits.mails_per_hour - rows[0]!.n)
}

async function languagesOf(deps: Deps, { account_kid, emails }: Rule): Promise<Map<string, Language>> {
  const { rows } = await sql<{ email: string; language: Language }>`
    SELECT lower(email) AS email, language FROM user_account
    WHERE account_kid = ${account_kid} AND language IS NOT NULL AND lower(email) = ANY(${emails.map((each) => each.toLowerCase())}::text[])
  `.execute(deps.db)
  return new Map(rows.map(({ email, language }) => [email, language]))
}

/** Times are those of whoever made the rule. */
async function zoneOf(deps: Deps, { created_by_kid }: Rule): Promise<string> {
  return created_by_kid === undefined ? 'UTC' : zoneOfUser(deps.db, created_by_kid)
}

const namesOf = async (deps: Deps, alert_kid: string): Promise<string[]> =>
  (
    await deps.db
      .selectFrom('alert_device')
      .select(['sn', 'name'])
      .where('alert_kid', '=', alert_kid)
      .where('cleared_at', 'is', null)
      .orderBy('fired_at', 'desc')
      .orderBy('terminal_kid')
      .limit(named_devices)
      .execute()
  ).map(({ sn, name }) => (name ? `${name} (${sn})` : sn))
