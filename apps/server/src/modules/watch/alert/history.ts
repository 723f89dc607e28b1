import type { AlertEvent, AlertHistoryEntry } from '@mdm/contract'
import type { Actor } from '../../../actor.ts'
import type { Telling } from '../../../db/schema/tables-alerts.ts'
import type { ActorWith } from '../../../http/context.ts'
import { refuse } from '../../../refusal.ts'
import { actsOnAlert } from '../operation-log/index.ts'
import type { ActOnAlert } from '../operation-log/index.ts'
import { visible } from './alerts.ts'

type Entry = Omit<AlertHistoryEntry, 'at'> & { at: Date }

const blank = { by: null, assignee: null, hours: null, told: null, alert_kid: null }
const events: Readonly<Record<string, AlertEvent>> = {
  alert_acknowledged: 'acknowledged',
  alert_assigned: 'assigned',
  alert_unassigned: 'unassigned',
  alert_noted: 'noted',
  alert_silenced: 'silenced',
  alert_speaks: 'unsilenced',
}

/**
 * What happened to an alert, newest first: when it opened and ended is in its row, and what was told of it; what people did is in
 * the operation log.
 */
export async function listHistory(actor: ActorWith<'may'>, kid: string) {
  const alert = await visible(actor).select('alert.tellings').where('alert.kid', '=', kid).executeTakeFirst()
  if (!alert) return refuse('not_found')
  const { rule_kid, opened_at, resolved_at } = alert
  const [acts, before, after] = await Promise.all([
    actsOnAlert(actor, { kid, rule_kid, from: opened_at }),
    neighbour(actor, alert, 'before'),
    neighbour(actor, alert, 'after'),
  ])
  const done = acts.toReversed().flatMap((act) => entryOf(act, kid, resolved_at))
  const { acknowledged_at: at, acknowledged_by: by } = alert
  // The log goes after some months, the alert says still who it was.
  const is_logged = done.some(({ event }) => event === 'acknowledged')
  const entries: Entry[] = [
    { ...blank, at: opened_at, event: 'opened', alert_kid: before?.kid ?? null },
    ...alert.tellings.map((telling) => toldOf(telling, actor.may('alertRuleList'))),
    ...(at && !is_logged ? [{ ...blank, at, by, event: 'acknowledged' as const }] : []),
    ...done,
    ...(resolved_at ? [{ ...blank, at: resolved_at, by: alert.resolved_by, event: 'resolved' as const }] : []),
    ...(after ? [{ ...blank, at: after.opened_at, event: 'reopened' as const, alert_kid: after.kid }] : []),
  ]
  // What happened at one moment stands in the order of above.
  return entries.sort((one, other) => one.at.getTime() - other.at.getTime()).reverse()
}

const toldOf = ({ at, of, emails, webhooks }: Telling, shows_emails: boolean): Entry => ({
  ...blank,
  at: new Date(at),
  event: 'told',
  told: { of, mails: emails.length, emails: shows_emails ? emails : null, webhooks },
})

/** Its rule is silenced for a later alert too: that is no matter of this one. */
function entryOf({ at, by, track }: ActOnAlert, kid: string, resolved_at: Date | null): Entry[] {
  const event = events[track.kind]
  if (!event || (track.kid !== kid && resolved_at && at > resolved_at)) return []
  const { assignee, hours } = (track.details ?? {}) as { assignee?: string; hours?: number }
  return [{ ...blank, at, by, event, assignee: assignee ?? null, hours: hours ?? null }]
}

/** The alert of the same rule that came before it, or after it. */
const neighbour = (
  actor: Actor,
  { rule_kid, opened_at }: { rule_kid: string; opened_at: Date },
  side: 'before' | 'after',
) =>
  visible(actor)
    .where('alert.rule_kid', '=', rule_kid)
    .where('alert.opened_at', side === 'before' ? '<' : '>', opened_at)
    .orderBy('alert.opened_at', side === 'before' ? 'desc' : 'asc')
    .limit(1)
    .executeTakeFirst()
