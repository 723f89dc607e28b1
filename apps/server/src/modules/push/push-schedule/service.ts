import { errorMessage, pushKindOf, pushLimits } from '@mdm/contract'
import type { Contract, In, PushSchedule } from '@mdm/contract'
import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import { creationAudit } from '../../../actor.ts'
import type { Actor } from '../../../actor.ts'
import { assertRoom } from '../../../db/at-most.ts'
import { violation } from '../../../db/violations.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import type { ActorWith, Ctx } from '../../../http/context.ts'
import { newKid } from '../../../lib/ids.ts'
import { seal } from '../../../lib/sealed.ts'
import { refuse } from '../../../refusal.ts'
import { brake } from '../../people/brakes/index.ts'
import { kindOf } from '../push-task/index.ts'
import { assertThere } from '../../fleet/terminal-filter/index.ts'
import { nextRuns } from './cron.ts'
import { readWindow } from '../execution-window/index.ts'

type Calls = Contract['pushSchedule']['calls']
const names = { push_schedule_name: 'duplicate_name' } as const
type Row = Selectable<Tables['push_schedule']>

/** A user who is limited to groups sees those of its own. */
const visible = ({ scope, visible_groups, user }: Actor) =>
  scope
    .selectFrom('push_schedule')
    .selectAll()
    .$if(visible_groups !== undefined, (q) => q.where('created_by_kid', '=', user.kid))

export async function list(actor: ActorWith<'may' | 'request'>): Promise<PushSchedule[]> {
  const rows = await visible(actor)
    .orderBy(sql`lower(name)`)
    .execute()
  return rows.map((row) => shown(row, actor))
}

/** Kept with the work sealed: each run is made of it as if its creator pushed then. */
export async function insert(actor: ActorWith<'may' | 'request'>, input: In<Calls['insert']>): Promise<PushSchedule> {
  const { deps, account_kid, scope } = actor
  const { name, cron, zone, is_on, to, push } = input
  const now = deps.clock.now()
  const [next_at] = nextRuns(input, now, 1)
  if (to.terminal_kids) await assertThere(scope, [...new Set(to.terminal_kids)])
  const { type, payload, description, rollout } = push
  const conditions = await readWindow(scope, push.conditions ?? {}, 'push.conditions.window')
  const { summary } = (await kindOf(type).store?.(actor, payload)) ?? { summary: '' }
  const payload_sealed = await seal(deps, JSON.stringify(payload))
  const row = await violation(
    () =>
      scope.transaction().execute(async (trx) => {
        await assertRoom(trx, account_kid, 'push_schedule', ['push_schedule_max', pushLimits.schedules])
        return trx
          .insertInto('push_schedule')
          .values({
            kid: newKid(),
            account_kid,
            name,
            type,
            payload_sealed,
            summary,
            description,
            to: JSON.stringify(to),
            conditions: JSON.stringify(conditions),
            rollout: rollout ? JSON.stringify(rollout) : null,
            cron,
            zone,
            is_on,
            ...creationAudit(actor),
            created_at: now,
            next_at: is_on ? next_at! : null,
          })
          .returningAll()
          .executeTakeFirstOrThrow()
      }),
    names,
  )
  deps.live.publish(account_kid, { type: 'push_schedule_changed' })
  return shown(row, actor)
}

/**
 * When it runs, and whether. Who may not do what it does may not make it do so, and what takes devices out of people's hands
 * asks for the password again. It goes on as its creator's; who edits their own takes it over from an API token, or binds it to one.
 */
export async function update(actor: ActorWith<'may' | 'request'>, input: In<Calls['update']>): Promise<PushSchedule> {
  const { deps, scope, account_kid, user, token_kid } = actor
  const { kid, name, cron, zone } = input
  const found = (await visible(actor).where('kid', '=', kid).executeTakeFirst()) ?? refuse('not_found')
  const { is_on = found.is_on } = input
  const { needs, is_destructive } = pushKindOf(found.type)
  if (!actor.may(needs)) refuse('no_permission')
  await brake(actor, { act: 'save_push_schedule', devices: 0, is_lasting: is_destructive && is_on })
  const [next_at] = nextRuns(input, deps.clock.now(), 1)
  const is_own = found.created_by_kid === user.kid
  const row = await violation(
    () =>
      scope
        .updateTable('push_schedule')
        .set({
          ...{ name, cron, zone, is_on },
          next_at: is_on ? next_at! : null,
          last_error: null,
          ...(is_own && { created_by_token_kid: token_kid }),
        })
        .where('kid', '=', kid)
        .returningAll()
        .executeTakeFirst(),
    names,
  )
  deps.live.publish(account_kid, { type: 'push_schedule_changed' })
  return shown(row ?? refuse('not_found'), actor)
}

export async function remove(actor: Actor, kid: string): Promise<{ name: string }> {
  const row = (await visible(actor).where('kid', '=', kid).executeTakeFirst()) ?? refuse('not_found')
  await actor.scope.deleteFrom('push_schedule').where('kid', '=', kid).execute()
  actor.deps.live.publish(actor.account_kid, { type: 'push_schedule_changed' })
  return row
}

function shown(row: Row, { request }: Pick<Ctx, 'request'>): PushSchedule {
  const { kid, name, type, summary, description, to, conditions, rollout, cron, zone, is_on, runs } = row
  const { created_by, created_at, next_at, last_at, last_task_kid, last_error } = row
  return {
    kid,
    name,
    type,
    summary,
    description,
    to,
    conditions,
    rollout,
    cron,
    zone,
    is_on,
    runs,
    created_by,
    created_at: created_at.toISOString(),
    next_at: next_at?.toISOString() ?? null,
    last_at: last_at?.toISOString() ?? null,
    last_task_kid,
    last_error: last_error && errorMessage(last_error.name as never, request.language, last_error.details),
  }
}
