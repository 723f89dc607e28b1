import { nextOsCustom } from '@mdm/contract'
import type { OsCustomEvent } from '@mdm/contract'
import type { Kysely, Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Actor } from '../../../actor.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { violation } from '../../../db/violations.ts'
import { newKid } from '../../../lib/ids.ts'
import { refuse } from '../../../refusal.ts'

export type Db = Kysely<Tables>
export type CustomRow = Selectable<Tables['os_custom']>
export type BuildRow = Selectable<Tables['os_build']>

/** One of the account's, locked. @throws `not_found`, `os_custom_abandoned`, `os_custom_not_abandoned` where `event` cannot be */
export async function lockCustom(trx: Db, kid: string, event?: OsCustomEvent): Promise<CustomRow> {
  const row = await trx.selectFrom('os_custom').selectAll().where('kid', '=', kid).forUpdate().executeTakeFirst()
  if (!row) return refuse('not_found')
  if (event && !nextOsCustom(row.state, event))
    refuse(event === 'restore' ? 'os_custom_not_abandoned' : 'os_custom_abandoned')
  return row
}

/** While a build is not over, nothing of its custom OS changes. @throws `os_custom_building` */
export async function assertIdle(trx: Db, os_custom_kid: string): Promise<void> {
  const open = await trx
    .selectFrom('os_build')
    .select('kid')
    .where('os_custom_kid', '=', os_custom_kid)
    .where('state', 'in', ['waiting', 'running'])
    .executeTakeFirst()
  if (open) refuse('os_custom_building')
}

/** A build that failed cannot be gone on with once what it was to build is another thing. */
export const giveUpFailed = async (trx: Db, os_custom_kid: string): Promise<void> =>
  void (await trx
    .updateTable('os_build')
    .set({ state: 'canceled', held_bytes: 0 })
    .where('os_custom_kid', '=', os_custom_kid)
    .where('state', '=', 'failed')
    .execute())

export const changed = ({ deps, account_kid }: Pick<Actor, 'deps' | 'account_kid'>): void =>
  deps.live.publish(account_kid, { type: 'os_custom_changed' })

export const unlessTaken = <T>(run: () => Promise<T>): Promise<T> =>
  violation(run, { os_custom_name: 'duplicate_name' })

type Line = Pick<Selectable<Tables['os_build_line']>, 'step' | 'event'> & {
  details?: Record<string, string | number>
}
/** A line of a build's log. */
export const note = async (
  trx: Db,
  { deps }: Pick<Actor, 'deps'>,
  { kid, account_kid }: Pick<BuildRow, 'kid' | 'account_kid'>,
  { step, event, details = {} }: Line,
): Promise<void> =>
  void (await trx
    .insertInto('os_build_line')
    .values({
      kid: newKid(),
      account_kid,
      os_build_kid: kid,
      at: deps.clock.now(),
      step,
      event,
      details: JSON.stringify(details),
    })
    .execute())

export const any = (kids: readonly string[]) => sql<string>`any(${kids}::uuid[])`
