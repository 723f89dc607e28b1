import type { MailFault } from '@mdm/contract'
import type { Selectable } from 'kysely'
import type { Actor } from '../../../actor.ts'
import type { Tables } from '../../../db/schema/tables.ts'

type Rule = Pick<Selectable<Tables['alert_rule']>, 'kid' | 'emails' | 'mails_cut_at'>
export type MailState = { mail_fault: MailFault | null; unreached: string[] }

/** What was left out is said for as long as somebody may ask what became of it. */
const limit_shown_ms = 24 * 3_600_000

/** What became of the last mail of each of these rules to each of its addresses, as far as it did not arrive. */
export async function mailFaultsOf({ deps, scope }: Actor, rules: readonly Rule[]): Promise<(rule: Rule) => MailState> {
  const kids = rules.filter(({ emails }) => emails.length > 0).map(({ kid }) => kid)
  const last =
    kids.length === 0
      ? []
      : await scope
          .selectFrom('mail')
          .distinctOn(['rule_kid', 'address'])
          .select(['rule_kid', 'address', 'state', 'error'])
          .where('rule_kid', 'in', kids)
          .orderBy('rule_kid')
          .orderBy('address')
          .orderBy('created_at', 'desc')
          .execute()
  const since = deps.clock.now().getTime() - limit_shown_ms
  return ({ kid, emails, mails_cut_at }) => {
    if (emails.length === 0) return { mail_fault: null, unreached: [] }
    if (deps.config.smtp === null) return { mail_fault: 'off', unreached: [] }
    const missed = last.filter(
      ({ rule_kid, address, state, error }) =>
        rule_kid === kid && emails.includes(address) && state !== 'sent' && error !== null,
    )
    const failed = missed.filter(({ state }) => state === 'failed')
    const [mail_fault, mails] = failed.length > 0 ? (['failed', failed] as const) : (['waiting', missed] as const)
    if (mails.length > 0) return { mail_fault, unreached: mails.map(({ address }) => address) }
    const was_cut = mails_cut_at !== null && mails_cut_at.getTime() > since
    return { mail_fault: was_cut ? 'limit' : null, unreached: [] }
  }
}
