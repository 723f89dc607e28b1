import { pushLimits } from '@mdm/contract'
import type { Contract, In, PushTemplate } from '@mdm/contract'
import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { assertRoom } from '../../../db/at-most.ts'
import { violation } from '../../../db/violations.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { newKid } from '../../../lib/ids.ts'
import { refuse } from '../../../refusal.ts'
import { kindOf, shownPayload } from '../push-task/index.ts'
import { readWindow } from '../execution-window/index.ts'

const names = { push_template_name: 'duplicate_name' } as const
type Row = Selectable<Tables['push_template']>

export async function list({ scope }: Actor): Promise<PushTemplate[]> {
  const rows = await scope
    .selectFrom('push_template')
    .selectAll()
    .orderBy(sql`lower(name)`)
    .execute()
  return rows.map(shown)
}

/** The payload without secrets: whoever uses a template types them again. */
export async function insert(
  actor: Actor,
  { name, push }: In<Contract['pushTemplate']['calls']['insert']>,
): Promise<PushTemplate> {
  const { deps, account_kid, scope, user } = actor
  const { type, payload, description, rollout } = push
  const conditions = await readWindow(scope, push.conditions ?? {}, 'push.conditions.window')
  const stored = (await kindOf(type).store?.(actor, payload)) ?? { payload, summary: '' }
  const row = await violation(
    () =>
      scope.transaction().execute(async (trx) => {
        await assertRoom(trx, account_kid, 'push_template', ['push_template_max', pushLimits.templates])
        return trx
          .insertInto('push_template')
          .values({
            kid: newKid(),
            account_kid,
            name,
            type,
            payload: JSON.stringify(shownPayload(type, stored.payload)),
            summary: stored.summary,
            description,
            conditions: JSON.stringify(conditions),
            rollout: rollout ? JSON.stringify(rollout) : null,
            created_by: user.name,
            created_at: deps.clock.now(),
          })
          .returningAll()
          .executeTakeFirstOrThrow()
      }),
    names,
  )
  deps.live.publish(account_kid, { type: 'push_schedule_changed' })
  return shown(row)
}

export async function remove({ scope, deps, account_kid }: Actor, kid: string): Promise<{ name: string }> {
  const row = await scope.deleteFrom('push_template').where('kid', '=', kid).returning('name').executeTakeFirst()
  if (!row) return refuse('not_found')
  deps.live.publish(account_kid, { type: 'push_schedule_changed' })
  return row
}

const shown = ({ account_kid: _, created_at, ...row }: Row): PushTemplate => ({
  ...row,
  created_at: created_at.toISOString(),
})
