import { alertActionNeeds, alertKinds, alertLimits, errorMessage } from '@mdm/contract'
import type { Answer, Contract, In, Language } from '@mdm/contract'
import { sql } from 'kysely'
import { creationAudit } from '../../../actor.ts'
import type { Actor } from '../../../actor.ts'
import { assertRoom } from '../../../db/at-most.ts'
import { containing, readPage } from '../../../db/paging.ts'
import { violation } from '../../../db/violations.ts'
import type { ActorWith } from '../../../http/context.ts'
import { isRevoked } from '../../../http/visible-groups-now.ts'
import { newKid } from '../../../lib/ids.ts'
import { seal, unseal } from '../../../lib/sealed.ts'
import { refuse } from '../../../refusal.ts'
import { target } from '../../fleet/terminal-group/index.ts'
import { mailFaultsOf } from './mail-faults.ts'
import type { MailState } from './mail-faults.ts'
import { devicesOf, forget, isAccountDue, lockRule } from './judge-rules.ts'
import { watchedBy } from './kinds.ts'
import { visibleGroupsOfMakers } from './makers.ts'
import { tellEnded } from './tell.ts'
import { wakeRule } from './alert-worker.ts'

type Calls = Contract['alertRule']['calls']
type Draft = In<Calls['insert']>
type Action = NonNullable<Draft['action']>
const names = { alert_rule_name: 'duplicate_name' } as const

/** A user who is limited to groups sees the rules that this user made, and of their devices those within reach. */
const visible = ({ scope, visible_groups, user }: Actor) =>
  scope
    .selectFrom('alert_rule')
    .selectAll('alert_rule')
    .$if(visible_groups !== undefined, (q) => q.where('alert_rule.created_by_kid', '=', user.kid))
    .select((eb) =>
      (['firing', 'waiting'] as const).map((state) =>
        eb
          .selectFrom('alert_terminal')
          .select(sql<number>`count(*)::int`.as('n'))
          .whereRef('alert_terminal.rule_kid', '=', 'alert_rule.kid')
          .where('alert_terminal.fired_at', state === 'firing' ? 'is not' : 'is', null)
          .$if(visible_groups !== undefined, (q) =>
            q.where('alert_terminal.terminal_kid', 'in', scope.selectFrom('terminal').select('terminal.kid')),
          )
          .as(state),
      ),
    )
type Row = Awaited<ReturnType<ReturnType<typeof visible>['execute']>>[number]

export async function paging(actor: ActorWith<'may' | 'request'>, input: In<Calls['paging']>) {
  const { text, kind } = input
  const page = await readPage({
    query: visible(actor)
      .$if(Boolean(text), (q) => q.where(sql`lower(alert_rule.name)`, 'like', containing(text!)))
      .$if(kind !== undefined, (q) => q.where('alert_rule.kind', '=', kind!)),
    input,
    columns: {
      name: { ref: sql`lower(alert_rule.name)` },
      updated_at: { ref: sql`alert_rule.updated_at`, order: 'desc' },
    },
    key: sql`alert_rule.kid`,
  })
  const { language } = actor.request
  const visibleGroupsOf = await visibleGroupsOfMakers(actor.deps, page.items)
  const faultOf = await mailFaultsOf(actor, page.items)
  const items = page.items.map((row) => shown(actor, row, isRevoked(visibleGroupsOf(row)), language, faultOf(row)))
  return { ...page, items: await Promise.all(items) }
}

async function shown(
  actor: Actor,
  row: Row,
  is_paused: boolean,
  language: Language,
  fault: MailState,
): Promise<Answer<Calls['paging']>['items'][number]> {
  const { kind, params, for_seconds, calm_seconds, action_sealed, last_error, firing, waiting, ...rest } = row
  const action = action_sealed === null ? null : await openAction(actor, action_sealed)
  return {
    ...rest,
    ...fault,
    is_paused,
    watch: { kind, params },
    for_minutes: for_seconds / 60,
    calm_minutes: calm_seconds / 60,
    action: action && shownAction(action),
    firing: firing ?? 0,
    waiting: waiting ?? 0,
    last_error: last_error && errorMessage(last_error as never, language),
  }
}
const openAction = async ({ deps }: Actor, sealed: string) => JSON.parse(await unseal(deps, sealed)) as Action
const shownAction = (action: Action) =>
  action.type === 'lock' ? { type: action.type, has_password: action.password !== undefined } : action

/** What a rule does nobody may order through it who may not order it directly. */
async function checked(
  actor: ActorWith<'may' | 'request'>,
  { watch, match, is_noncompliant, action }: Draft,
): Promise<void> {
  const is_about_account = alertKinds[watch.kind].subject === 'account'
  // A user who is limited to groups has no account to watch over.
  if (is_about_account && actor.visible_groups) refuse('no_permission')
  if (is_about_account && (match || is_noncompliant || action)) refuse('alert_of_account')
  if (action && !actor.may(alertActionNeeds[action.type])) refuse('no_permission')
  if (action?.type === 'move')
    await target(actor.scope, actor.account_kid, actor.visible_groups, action.terminal_group_kid)
}

const columnsOf = (draft: Draft) => ({
  name: draft.name,
  kind: draft.watch.kind,
  params: JSON.stringify(draft.watch.params),
  severity: draft.severity,
  is_on: draft.is_on,
  match: draft.match ? JSON.stringify(draft.match) : null,
  for_seconds: draft.for_minutes * 60,
  calm_seconds: draft.calm_minutes * 60,
  emails: draft.emails,
  is_noncompliant: draft.is_noncompliant,
  action_type: draft.action?.type ?? null,
  last_error: null,
})

export async function insert(actor: ActorWith<'may' | 'request'>, draft: Draft): Promise<{ kid: string }> {
  const { deps, scope, account_kid } = actor
  await checked(actor, draft)
  const now = deps.clock.now()
  const kid = newKid()
  const action_sealed = draft.action ? await seal(deps, JSON.stringify(draft.action)) : null
  await violation(
    () =>
      scope.transaction().execute(async (trx) => {
        await assertRoom(trx, account_kid, 'alert_rule', ['alert_rule_limit', alertLimits.rules])
        await trx
          .insertInto('alert_rule')
          .values({
            ...columnsOf(draft),
            kid,
            account_kid,
            action_sealed,
            language: actor.request.language,
            ...creationAudit(actor),
            created_at: now,
            updated_at: now,
          })
          .execute()
      }),
    names,
  )
  changed(actor, kid)
  return { kid }
}

/** Whether a rule locks every device for which it fires, later ones too. */
export const isLocking = ({ is_on, action }: { is_on: boolean; action: { type: string } | null }): boolean =>
  is_on && action?.type === 'lock'

/** The same of a rule as it is to be. */
export async function willBeLocking(actor: Actor, { kid, is_on, action }: In<Calls['update']>): Promise<boolean> {
  const before = (await visible(actor).where('alert_rule.kid', '=', kid).executeTakeFirst()) ?? refuse('not_found')
  const kept = before.action_type === null ? null : { type: before.action_type }
  return isLocking({ is_on: is_on ?? before.is_on, action: action === undefined ? kept : action })
}

/** From then on it acts as whoever changed it last. What it watches may be another matter: then it begins anew. */
export async function update(
  actor: ActorWith<'may' | 'request'>,
  { kid, ...said }: In<Calls['update']>,
): Promise<void> {
  const { deps, scope, user } = actor
  const before = (await visible(actor).where('alert_rule.kid', '=', kid).executeTakeFirst()) ?? refuse('not_found')
  const { severity, is_on, emails, is_noncompliant, action_sealed: sealed } = before
  const stored = said.action === undefined && sealed !== null ? await openAction(actor, sealed) : null
  const draft: Draft = {
    ...said,
    severity: said.severity ?? severity,
    is_on: said.is_on ?? is_on,
    for_minutes: said.for_minutes ?? before.for_seconds / 60,
    calm_minutes: said.calm_minutes ?? before.calm_seconds / 60,
    emails: said.emails ?? emails,
    is_noncompliant: said.is_noncompliant ?? is_noncompliant,
    action: said.action === undefined ? stored : said.action,
  }
  await checked(actor, draft)
  const action = await kept(actor, before, draft.action)
  const action_sealed = action ? await seal(deps, JSON.stringify(action)) : null
  const columns = columnsOf(draft)
  const is_another = before.kind !== columns.kind || !draft.is_on
  const over = await violation(
    () =>
      scope.transaction().execute(async (trx) => {
        const now = deps.clock.now()
        await trx
          .updateTable('alert_rule')
          .set({
            ...columns,
            action_sealed,
            ...creationAudit(actor),
            updated_at: now,
          })
          .where('kid', '=', kid)
          .execute()
        if (is_another) return (await forget(trx, kid, now, user.name)).alert
        await trx
          .updateTable('alert_terminal')
          .set({ is_marked: draft.is_noncompliant })
          .where('rule_kid', '=', kid)
          .where('fired_at', 'is not', null)
          .execute()
        return undefined
      }),
    names,
  )
  if (over) await tellEnded(deps, before, over)
  changed(actor, kid)
}

/** A password that is left blank stays as it is. */
async function kept(actor: Actor, { action_sealed }: Row, action: Draft['action']): Promise<Draft['action']> {
  if (action?.type !== 'lock' || action.password !== undefined || action_sealed === null) return action
  const before = await openAction(actor, action_sealed)
  return before.type === 'lock' ? { ...action, ...before } : action
}

export async function remove(actor: ActorWith<'may' | 'request'>, kid: string): Promise<{ name: string }> {
  const { deps, scope, user } = actor
  const rule = (await visible(actor).where('alert_rule.kid', '=', kid).executeTakeFirst()) ?? refuse('not_found')
  const { alert } = await scope.transaction().execute(async (trx) => {
    // What judges it meanwhile would open an alert that nothing ends any more.
    await lockRule(trx, kid)
    const forgotten = await forget(trx, kid, deps.clock.now(), user.name)
    await trx.deleteFrom('alert_rule').where('kid', '=', kid).execute()
    return forgotten
  })
  if (alert) await tellEnded(deps, rule, alert)
  changed(actor)
  return rule
}

export async function silence(
  actor: ActorWith<'may' | 'request'>,
  { kid, hours }: In<Calls['silence']>,
): Promise<{ name: string }> {
  const { deps, scope } = actor
  const rule = (await visible(actor).where('alert_rule.kid', '=', kid).executeTakeFirst()) ?? refuse('not_found')
  const until = hours === 0 ? null : new Date(deps.clock.now().getTime() + hours * 3_600_000)
  await scope.updateTable('alert_rule').set({ silenced_until: until }).where('kid', '=', kid).execute()
  changed(actor, kid)
  return rule
}

/** Whether there is a mail server at all: without one a rule tells nobody by mail, whatever addresses it names. */
export const checkMail = ({ deps }: Actor) => Promise.resolve({ is_on: deps.config.smtp !== null })

export async function preview(actor: Actor, { watch, match }: In<Calls['preview']>) {
  const { deps, account_kid } = actor
  const watched = await watchedBy(actor, watch, deps.clock.now())
  if (!watched) {
    if (actor.visible_groups) refuse('no_permission')
    const is_due = await isAccountDue(deps, { account_kid, params: watch.params })
    return { total: is_due ? 1 : 0, devices: [] }
  }
  const { query: found } = await devicesOf(actor, match ?? null, watched, { is_named: true })
  const devices = await found
    .select(['terminal.kid', 'terminal.sn', 'terminal.name'])
    .orderBy('terminal.sn')
    .orderBy('terminal.kid')
    .limit(alertLimits.preview)
    .execute()
  const { n } = await found.select(sql<number>`count(*)::int`.as('n')).executeTakeFirstOrThrow()
  return { total: n, devices }
}

/** Whoever changed a rule looks at it: that one is judged at once. */
function changed({ deps, account_kid }: Actor, kid?: string): void {
  deps.live.publish(account_kid, { type: 'alert_changed' })
  if (kid !== undefined) wakeRule(deps, kid)
}
