import { sql } from 'kysely'
import { records } from '../../../db/records.ts'
import { issuerOf } from '../../../actor.ts'
import type { Issuer, VisibleGroups } from '../../../actor.ts'
import type { Deps } from '../../../deps.ts'
import { grantedTo, visibleGroupsOf } from '../../../http/visible-groups-now.ts'
import type { Revoked, IssuerRights } from '../../../http/visible-groups-now.ts'
import { permissionsHeldBy, limitedTo } from '../../../http/session-row.ts'
import { clockDoubt } from '../../../lib/clock-watch.ts'

type Made = Parameters<typeof issuerOf>[0]
/** Watching takes what making a rule takes: it tells addresses that the maker chose of devices. */
const needs = 'alertRuleList:edit'

/**
 * The groups whose devices the makers of rules may reach today, unless they may make no rules any more: one statement for all
 * of them. Unlike an action, watching outlives the end of an account, for that end is one of the things watched.
 */
export async function visibleGroupsOfMakers(
  deps: Pick<Deps, 'db' | 'clock' | 'memory'>,
  rules: readonly Made[],
): Promise<(rule: Made) => VisibleGroups | Revoked> {
  const makers = [...new Map(rules.map(issuerOf).map((by) => [keyOf(by), by])).values()]
  if (makers.length === 0) return () => 'creator_gone'
  // A token that has expired by a clock in doubt may not have: what its rules found would be over.
  const now = clockDoubt(deps) ? new Date(0) : deps.clock.now()
  const { rows } = await sql<IssuerRights & { user_kid: string }>`
    SELECT a.kid AS account_kid, a.parent_kid, u.kid AS user_kid, u.type AS user_type, own.kid AS own_account_kid,
      ${permissionsHeldBy('u')} AS held, ${limitedTo('u')} AS group_kids, r.token_kid, ${grantedTo(sql`r.token_kid`, now)} AS granted
    FROM ${records(makers).as('r(account_kid uuid, user_kid uuid, token_kid uuid)')}
    JOIN account a ON a.kid = r.account_kid JOIN user_account u ON u.kid = r.user_kid JOIN account own ON own.kid = u.account_kid
    WHERE u.status <> 'invalid' AND own.status <> 'invalid'
  `.execute(deps.db)
  const found = new Map(rows.map((row) => [keyOf(row), row]))
  return (rule) => visibleGroupsOf(found.get(keyOf(issuerOf(rule))), needs)
}

const keyOf = ({ account_kid, user_kid, token_kid }: Omit<Issuer, 'name'>): string =>
  `${account_kid} ${user_kid} ${token_kid ?? ''}`
