import { alertLimits, holds } from '@mdm/contract'
import type { AlertPerson, Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { containing } from '../../../db/paging.ts'
import { isLimited, permissionsHeldBy } from '../../../http/session-row.ts'
import { refuse } from '../../../refusal.ts'
import { findAll } from './alerts.ts'

type Calls = Contract['alert']['calls']
type Person = AlertPerson & { is_limited: boolean }
type Row = Person & { permissions: string[] }

/** People whose roles are looked at; of an account with more, a text finds the others. */
const looked_at = 500

/** People of the account who can sign in and may see alerts. Who is limited to groups is told of nobody else. */
async function people(
  { deps, account_kid, visible_groups, user }: Actor,
  which: RawBuilder<unknown>,
): Promise<Person[]> {
  const own = visible_groups ? sql`AND u.kid = ${user.kid}` : sql``
  const { rows } = await sql<Row>`
    SELECT u.kid, coalesce(nullif(u.name, ''), u.username) AS name, u.username, ${isLimited('u')} AS is_limited,
      ${permissionsHeldBy('u')} AS permissions
    FROM user_account u WHERE u.account_kid = ${account_kid} AND u.status <> 'invalid' AND ${which} ${own}
    ORDER BY lower(u.name), u.kid LIMIT ${looked_at}`.execute(deps.db)
  return rows.filter(({ permissions }) => holds(permissions, 'alertList'))
}

/** Of a rule that somebody else made, who is limited to groups sees no alert. */
export const mayBeAssigned = ({ kid, is_limited }: Person, alert: { created_by_kid: string }): boolean =>
  !is_limited || alert.created_by_kid === kid

export async function listAssignees(
  actor: Actor,
  { kids = [], text }: In<Calls['list_assignee']>,
): Promise<AlertPerson[]> {
  const alerts = kids.length > 0 ? await findAll(actor, kids) : []
  const named = text
    ? sql`(lower(u.name) LIKE ${containing(text)} OR lower(u.username) LIKE ${containing(text)})`
    : sql`true`
  const found = await people(actor, named)
  return found
    .filter((person) => alerts.every((alert) => mayBeAssigned(person, alert)))
    .slice(0, alertLimits.people)
    .map(({ kid, name, username }) => ({ kid, name, username }))
}

/** @throws `not_found` where the caller knows no such person, `alert_assignee_unfit` */
export async function assigneeOf(actor: Actor, kid: string): Promise<Person> {
  const [person] = await people(actor, sql`u.kid = ${kid}`)
  if (person) return person
  const { scope, visible_groups } = actor
  const known = await scope.selectFrom('user_account').select('kid').where('kid', '=', kid).executeTakeFirst()
  return refuse(known && !visible_groups ? 'alert_assignee_unfit' : 'not_found')
}
