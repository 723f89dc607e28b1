import type { Kysely } from 'kysely'
import type { Tables } from '../../db/schema/tables.ts'
import type { Actor } from '../../actor.ts'
import type { Deps } from '../../deps.ts'
import { bytesOfUploads, roomOf } from '../../files/upload-space.ts'
import { refuse } from '../../refusal.ts'
import { bytesText } from '../../lib/bytes.ts'

type Area = Tables['disk_space']['area']
const columns = ['kid', 'account_kid', 'max_bytes as disk_space', 'used_bytes as used', 'item_count'] as const

/** What a customer may store in an area and stores; the provider's own space has no limit to speak of. */
export async function get(deps: Deps, area: Area, account_kid: string) {
  const row = await within(deps, account_kid)
    .selectFrom('disk_space')
    .innerJoin('account', 'account.kid', 'disk_space.account_kid')
    .where('account.type', 'in', [1, 2])
    .select(columns.map((column) => `disk_space.${column}` as const))
    .where('disk_space.area', '=', area)
    .executeTakeFirst()
  return row ?? refuse('not_found')
}

/** Refused as `storage_below_use`, also against a file that comes at this moment. */
export async function updateSpace(
  deps: Deps,
  area: Area,
  { kid, account_kid, disk_space }: { kid: string; account_kid: string; disk_space: number },
): Promise<void> {
  if ((await get(deps, area, account_kid)).kid !== kid) refuse('not_found')
  const changed = await within(deps, account_kid)
    .updateTable('disk_space')
    .set({ max_bytes: disk_space })
    .where('kid', '=', kid)
    .where('used_bytes', '<=', disk_space)
    .returning('kid')
    .executeTakeFirst()
  if (!changed) refuse('storage_below_use', { used: bytesText((await get(deps, area, account_kid)).used) })
}

/**
 * What the account itself may store in an area, stores, and has on its way there. It may store what its customer's limit leaves
 * it, where that is less than its own.
 */
export async function ownSpace({ deps, scope, account_kid }: Actor, area: Area) {
  const now = deps.clock.now()
  const space = await scope
    .selectFrom('disk_space')
    .select(['max_bytes as disk_space', 'used_bytes as used', 'item_count'])
    .where('area', '=', area)
    .executeTakeFirstOrThrow()
  const arriving = await bytesOfUploads(scope, { account_kid, area }, now)
  const room = Math.max(0, await roomOf(deps.db, { account_kid, area }, now))
  return { ...space, disk_space: Math.min(space.disk_space, space.used + arriving + room), arriving }
}

const within = (deps: Deps, account_kid: string): Kysely<Tables> => deps.scope(account_kid)

export { paging as pageReport, total as totalReport } from './report.ts'
