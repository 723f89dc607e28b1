import { holds } from '@mdm/contract'
import { sql } from 'kysely'
import type { Reach } from '../../actor.ts'
import type { Deps } from '../../deps.ts'
import { heldBy, limitedTo, mayActFor } from '../../http/session-row.ts'

type Made = { account_kid: string; created_by_kid: string }
/** Watching takes what making a rule takes: it tells addresses that the maker chose of devices. */
const needs = 'alertRuleList:edit'

/**
 * The groups whose devices the makers of rules may reach today, 'none' of one who may make no rules any more: one statement
 * for all of them. Unlike an action, watching outlives the end of an account, for that end is one of the things watched.
 */
export async function reachOfMakers(
  { db }: Pick<Deps, 'db'>,
  rules: readonly Made[],
): Promise<(rule: Made) => Reach | 'none'> {
  const made = [
    ...new Map(rules.map((rule) => [keyOf(rule), { a: rule.account_kid, u: rule.created_by_kid }])).values(),
  ]
  if (made.length === 0) return () => 'none'
  const { rows } = await sql<Maker>`
    SELECT a.kid AS account_kid, a.parent_kid, u.kid AS created_by_kid, u.type AS user_type, own.kid AS own_account_kid,
      ${heldBy('u')} AS held, ${limitedTo('u')} AS group_kids
    FROM jsonb_to_recordset(${JSON.stringify(made)}::jsonb) AS r(a uuid, u uuid)
    JOIN account a ON a.kid = r.a JOIN user_account u ON u.kid = r.u JOIN account own ON own.kid = u.account_kid
    WHERE u.status <> 'invalid' AND own.status <> 'invalid'
  `.execute(db)
  const found = new Map(rows.map((row) => [keyOf(row), row]))
  return (rule) => {
    const maker = found.get(keyOf(rule))
    const may_watch = maker && holds(maker.held, needs) && mayActFor(maker, { ...maker, kid: maker.account_kid })
    return may_watch ? (maker.group_kids ?? undefined) : 'none'
  }
}

const keyOf = ({ account_kid, created_by_kid }: Made): string => `${account_kid} ${created_by_kid}`
type Maker = Made & Parameters<typeof mayActFor>[0] & { group_kids: string[] | null; parent_kid: string | null }
