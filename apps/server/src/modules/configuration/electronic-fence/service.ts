import { errorMessage, fenceLimits, fenceShapes, ltscopes } from '@mdm/contract'
import type { Answer, Contract, In, Language } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { updateAudit } from '../../../actor.ts'
import type { Actor } from '../../../actor.ts'
import { assertRoom } from '../../../db/at-most.ts'
import { containing, readPage } from '../../../db/paging.ts'
import { retrying } from '../../../db/retrying.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { violation } from '../../../db/violations.ts'
import type { ActorWith } from '../../../http/context.ts'
import { newKid } from '../../../lib/ids.ts'
import { seal, unseal } from '../../../lib/sealed.ts'
import { refuse } from '../../../refusal.ts'
import { lockAccount } from '../../../db/lock-account.ts'
import { dropSettings, isEqual, queueWhereSet } from '../terminal-config/index.ts'
import { publishPlaces } from './fence-places.ts'
import { accuracyCode, accuracyName, areaOf, assertActions, defined } from './rules.ts'
import type { Area } from './rules.ts'

type Calls = Contract['electronicFence']['calls']
type Db = Kysely<Tables>
const names = { electronic_fence_name: 'duplicate_name' } as const

/** A user who is limited to groups is told of their devices and of what is set there, as in `listPlaces`. */
const rowsOf = ({ scope, visible_groups }: Actor) =>
  scope
    .selectFrom('electronic_fence')
    .select([
      'electronic_fence.kid',
      'electronic_fence.name',
      'electronic_fence.is_on',
      'electronic_fence.longitude',
      'electronic_fence.latitude',
      'electronic_fence.radius',
      'electronic_fence.points',
      'electronic_fence.duration',
      'electronic_fence.accuracy',
      'electronic_fence.alarm_seconds',
      'electronic_fence.is_locking',
      'electronic_fence.version',
      'electronic_fence.last_error',
      'electronic_fence.updated_by',
      'electronic_fence.updated_at',
      'electronic_fence.created_at',
      sql<boolean>`electronic_fence.password_sealed is not null`.as('has_password'),
    ])
    .select((eb) => [
      eb
        .selectFrom('terminal_config')
        .select(sql<number>`count(*)::int`.as('n'))
        .where('terminal_config.section', '=', 'fence')
        .where(sql<boolean>`terminal_config.value ->> 'fence_kid' = electronic_fence.kid::text`)
        .$if(visible_groups !== undefined, (q) =>
          q.where(({ or, eb: is }) =>
            or([
              is('terminal_config.terminal_group_kid', 'in', [...visible_groups!]),
              is('terminal_config.terminal_kid', 'in', scope.selectFrom('terminal').select('terminal.kid')),
            ]),
          ),
        )
        .as('places'),
      ...(['inside', 'outside'] as const).map((state) =>
        eb
          .selectFrom('terminal_fence')
          .select(sql<number>`count(*)::int`.as('n'))
          .whereRef('terminal_fence.fence_kid', '=', 'electronic_fence.kid')
          .where('terminal_fence.state', '=', state)
          .$if(visible_groups !== undefined, (q) =>
            q.where('terminal_fence.terminal_kid', 'in', scope.selectFrom('terminal').select('terminal.kid')),
          )
          .as(state),
      ),
    ])
type Row = Awaited<ReturnType<ReturnType<typeof rowsOf>['execute']>>[number]

const shown = ({ accuracy, places, last_error, ...row }: Row, language: Language): Answer<Calls['get']> => ({
  ...row,
  last_error: last_error && errorMessage(last_error.name as never, language, last_error.details),
  accuracy: accuracyCode(accuracy),
  shape: row.points ? fenceShapes.polygon : fenceShapes.circle,
  places: places ?? 0,
  inside: (row as { inside?: number }).inside ?? 0,
  outside: (row as { outside?: number }).outside ?? 0,
})

export async function paging(actor: ActorWith<'request'>, input: In<Calls['paging']>) {
  const { text } = input
  const page = await readPage({
    query: rowsOf(actor).$if(Boolean(text), (q) =>
      q.where(sql`lower(electronic_fence.name)`, 'like', containing(text!)),
    ),
    input,
    columns: {
      name: { ref: sql`lower(electronic_fence.name)` },
      updated_at: { ref: sql`electronic_fence.updated_at`, order: 'desc' },
      radius: { ref: sql`electronic_fence.radius` },
    },
    key: sql`electronic_fence.kid`,
  })
  return { ...page, items: page.items.map((row) => shown(row, actor.request.language)) }
}

export const get = async (actor: ActorWith<'request'>, kid: string) =>
  shown(
    (await rowsOf(actor).where('electronic_fence.kid', '=', kid).executeTakeFirst()) ?? refuse('not_found'),
    actor.request.language,
  )

export async function insert(actor: ActorWith<'may'>, draft: In<Calls['insert']>): Promise<{ kid: string }> {
  const { deps, scope, account_kid } = actor
  const { password, shape, accuracy, points, ...rest } = draft
  assertActions(actor, draft)
  const area = areaOf(shape, points)
  if (draft.is_locking && password === undefined) refuse('fence_password_missing')
  const now = deps.clock.now()
  const kid = newKid()
  const password_sealed = password === undefined ? null : await seal(deps, password)
  await violation(
    () =>
      scope.transaction().execute(async (trx) => {
        await assertRoom(trx, account_kid, 'electronic_fence', ['fence_limit', fenceLimits.fences])
        await trx
          .insertInto('electronic_fence')
          .values({
            ...rest,
            ...area,
            points: area.points && JSON.stringify(area.points),
            kid,
            account_kid,
            accuracy: accuracyName(accuracy),
            password_sealed,
            created_at: now,
            ...updateAudit(actor),
            updated_at: now,
          })
          .execute()
      }),
    names,
  )
  deps.live.publish(account_kid, { type: 'electronic_fence_changed' })
  return { kid }
}

/** A blank password keeps the one there is. Where a fence becomes another one, devices are told of it and looked at anew. */
export async function update(
  actor: ActorWith<'may'>,
  { kid, ...draft }: In<Calls['update']>,
): Promise<{ name: string }> {
  const { deps, scope, account_kid } = actor
  const { password, shape, accuracy, points, ...rest } = draft
  // What says nothing of the area leaves it as it is.
  const area: Partial<Area> = points === undefined && shape !== fenceShapes.circle ? {} : areaOf(shape, points)
  const given = { ...defined(rest), ...area, ...(accuracy !== undefined && { accuracy: accuracyName(accuracy) }) }
  const password_sealed = password === undefined ? undefined : await seal(deps, password)
  const places = await violation(
    () =>
      retrying(() =>
        scope.transaction().execute(async (trx) => {
          await lockAccount(trx, account_kid)
          const before = await lockFence(trx, kid)
          await assertWithinVisibleGroups(actor, trx, kid)
          const after = { ...before, ...given }
          assertActions(actor, before)
          assertActions(actor, after)
          if (after.is_locking && before.password_sealed === null && password === undefined)
            refuse('fence_password_missing')
          const is_same_password =
            password === undefined ||
            (before.password_sealed !== null && (await unseal(deps, before.password_sealed)) === password)
          const is_another = !is_same_password || !isEqual(before, after)
          await trx
            .updateTable('electronic_fence')
            .set({
              ...given,
              ...(given.points !== undefined && { points: given.points && JSON.stringify(given.points) }),
              ...(is_same_password ? {} : { password_sealed }),
              version: before.version + (is_another ? 1 : 0),
              last_error: null,
              ...updateAudit(actor),
              updated_at: deps.clock.now(),
            })
            .where('kid', '=', kid)
            .execute()
          // One that was off and stays off is in force for no device.
          if (!is_another || !(before.is_on || after.is_on)) return []
          return queueWhereSet(trx, account_kid, settingOf(kid), deps.clock.now())
        }),
      ),
    names,
  )
  await publishPlaces(actor, places)
  return { name: draft.name }
}

export async function remove(actor: ActorWith<'may'>, kid: string): Promise<{ name: string }> {
  const { deps, scope, account_kid } = actor
  const { name, places } = await retrying(() =>
    scope.transaction().execute(async (trx) => {
      await lockAccount(trx, account_kid)
      const fence = await lockFence(trx, kid)
      await assertWithinVisibleGroups(actor, trx, kid)
      const places = await dropSettings(trx, account_kid, settingOf(kid), deps.clock.now())
      await trx.deleteFrom('electronic_fence').where('kid', '=', kid).execute()
      return { name: fence.name, places }
    }),
  )
  await publishPlaces(actor, places)
  return { name }
}

/** How a fence is set at a level. */
const settingOf = (fence_kid: string) => ({ section: 'fence', value: { fence_kid } }) as const

const lockFence = async (trx: Db, kid: string) =>
  (await trx
    .selectFrom('electronic_fence')
    .select(['name', 'is_on', 'longitude', 'latitude', 'radius', 'points', 'duration', 'accuracy'])
    .select(['is_locking', 'alarm_seconds', 'password_sealed', 'version'])
    .where('kid', '=', kid)
    .forNoKeyUpdate()
    .executeTakeFirst()) ?? refuse('not_found')

/** A user who is limited to groups changes nothing that is in force beyond them. */
async function assertWithinVisibleGroups({ visible_groups }: Actor, trx: Db, kid: string): Promise<void> {
  if (!visible_groups) return
  const places = await trx
    .selectFrom('terminal_config')
    .leftJoin('terminal', 'terminal.kid', 'terminal_config.terminal_kid')
    .select(['terminal_config.ltscope', 'terminal_config.terminal_group_kid', 'terminal.kid as terminal_kid'])
    .where('terminal_config.section', '=', 'fence')
    .where(sql`terminal_config.value ->> 'fence_kid'`, '=', kid)
    .execute()
  const is_mine = ({ ltscope, terminal_group_kid, terminal_kid }: (typeof places)[number]) =>
    ltscope === ltscopes.group
      ? visible_groups.includes(terminal_group_kid!)
      : ltscope === ltscopes.terminal && terminal_kid !== null
  if (!places.every(is_mine)) refuse('fence_beyond_reach')
}
