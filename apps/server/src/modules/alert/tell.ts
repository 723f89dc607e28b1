import { alertKinds, alertLimits } from '@mdm/contract'
import type { Language } from '@mdm/contract'
import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { Tables } from '../../db/schema/tables.ts'
import type { Deps } from '../../deps.ts'
import { newKid } from '../../lib/ids.ts'
import { publicUrl } from '../enrolment/service.ts'
import { notifyAccount } from '../webhook/service.ts'
import { wakeAlertActions } from './actions.ts'
import { wakeMails } from './mail.ts'
import { mailOf } from './mail-texts.ts'

type Alert = Selectable<Tables['alert']>
type Rule = Selectable<Tables['alert_rule']>
/** `changed` is for the console only. */
export type Told = { event: 'opened' | 'grown' | 'resolved' | 'changed'; alert: Alert }

const named_devices = 10

/** To the browsers at once; by mail and to webhooks unless it is silenced. What was written before is committed by now. */
export async function tell(deps: Deps, rule: Rule, { event, alert }: Told): Promise<void> {
  const now = deps.clock.now()
  deps.live.publish(rule.account_kid, { type: 'alert_changed' })
  if (rule.is_noncompliant) deps.live.publish(rule.account_kid, { type: 'terminal_list_changed' })
  wakeAlertActions(deps)
  const is_silenced = rule.silenced_until !== null && rule.silenced_until > now
  const is_mine = event === 'changed' || event === 'resolved' || (await claim(deps, { event, alert }, now))
  if (is_silenced || !is_mine) return
  try {
    await sendOut(deps, rule, { event, alert }, now)
  } catch (error) {
    if (event === 'opened')
      await deps.db.updateTable('alert').set({ told_at: null }).where('kid', '=', alert.kid).execute()
    throw error
  }
}

/** Two servers, or two looks at one rule, must not tell the same twice. What fails is told by the next look. */
async function claim(deps: Deps, { event, alert }: Told, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await deps.db
    .updateTable('alert')
    .set({ told: alert.count, told_at: now })
    .where('kid', '=', alert.kid)
    .$if(event === 'opened', (q) => q.where('told_at', 'is', null))
    .$if(event === 'grown', (q) => q.where('told', '<', alert.count))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

async function sendOut(deps: Deps, rule: Rule, { event, alert }: Told, now: Date): Promise<void> {
  if (event === 'opened' || event === 'resolved')
    await notifyAccount(deps, rule.account_kid, `alert.${event}`, {
      alert_kid: alert.kid,
      alert_rule_kid: rule.kid,
      name: alert.name,
      kind: alert.kind,
      severity: alert.severity,
      count: event === 'opened' ? alert.count : alert.peak,
    })
  await queueMails(deps, rule, { event, alert }, now)
}

/** One for each address, in the language of the person it belongs to. An account sends so many an hour and no more. */
async function queueMails(deps: Deps, rule: Rule, { event, alert }: Told, now: Date): Promise<void> {
  if (rule.emails.length === 0 || deps.config.smtp === null || event === 'changed') return
  const { rows } = await sql<{ n: number }>`
    SELECT count(*)::int AS n FROM alert_mail
    WHERE account_kid = ${rule.account_kid} AND created_at > ${new Date(now.getTime() - 3_600_000)}
  `.execute(deps.db)
  const room = Math.max(0, alertLimits.mails_per_hour - rows[0]!.n)
  if (room < rule.emails.length)
    deps.log.warn(
      { account_kid: rule.account_kid, alert_rule_kid: rule.kid },
      'too many mails of alerts within an hour',
    )
  const languages = await languagesOf(deps, rule)
  const devices = event === 'resolved' ? [] : await namesOf(deps, alert.kid)
  const zone = await zoneOf(deps, rule)
  const mails = rule.emails.slice(0, room).map((address) => {
    const language = languages.get(address.toLowerCase()) ?? rule.language
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
      zone,
      url: `${publicUrl(deps)}/alert-list?alert=${alert.kid}`,
    })
    return { kid: newKid(), account_kid: rule.account_kid, address, subject, body, next_at: now, created_at: now }
  })
  if (mails.length === 0) return
  await deps.db.insertInto('alert_mail').values(mails).execute()
  wakeMails(deps)
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
  const row = await deps.db
    .selectFrom('user_account')
    .select('zone_id')
    .where('kid', '=', created_by_kid)
    .executeTakeFirst()
  return row?.zone_id ?? 'UTC'
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
