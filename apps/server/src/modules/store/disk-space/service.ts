import type { Kysely } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Actor } from '../../../actor.ts'
import type { Deps } from '../../../deps.ts'
import { lockedSpace, roomIn, spaceOf } from '../../../files/upload-space.ts'
import type { SharedSpace } from '../../../files/upload-space.ts'
import { Refusal, refuse } from '../../../refusal.ts'
import { bytesText } from '../../../lib/bytes.ts'
import { leftAbove } from '../../../lib/shares.ts'

type Area = Tables['disk_space']['area']
type Db = Kysely<Tables>

/** What a customer or a sub-account may store in an area, and stores. */
export async function get(deps: Deps, area: Area, account_kid: string) {
  const row = await deps
    .scope(account_kid)
    .selectFrom('disk_space')
    .innerJoin('account', 'account.kid', 'disk_space.account_kid')
    .where('account.type', 'in', [1, 2])
    .select(['disk_space.kid', 'disk_space.account_kid', 'disk_space.used_bytes as used', 'disk_space.item_count'])
    .where('disk_space.area', '=', area)
    .executeTakeFirst()
  if (!row) return refuse('not_found')
  const space = await spaceOf(deps.db, { account_kid, area }, deps.clock.now())
  const { share, is_customer, customer } = space
  return {
    ...row,
    disk_space: share ?? customer.max,
    is_shared: !is_customer && share === null,
    least: leastOf(space),
    most: is_customer ? null : mostOf(space),
  }
}

/** A customer's holds what all of its accounts store, and what is kept for them. */
const leastOf = ({ is_customer, used, customer }: SharedSpace): number =>
  is_customer ? customer.used + customer.kept : used
/** A share is what its account stores and what nobody else uses or is kept. */
const mostOf = ({ used, customer }: SharedSpace): number => Math.max(0, leftAbove(customer, false) + used)

/** Refused as `storage_below_use`, also against a file that comes at this moment, and as `storage_beyond_customer`. */
export async function updateSpace(
  deps: Deps,
  area: Area,
  { kid, account_kid, disk_space }: { kid: string; account_kid: string; disk_space: number | null },
): Promise<void> {
  const { kid: found } = await get(deps, area, account_kid)
  if (found !== kid) refuse('not_found')
  await deps.db.transaction().execute((trx) => setSpace(deps, trx, { area, account_kid }, disk_space))
}

/**
 * What a customer may store, or the share of it that is kept for a sub-account: null for none, so that it draws on what is
 * neither used nor kept.
 */
export async function setSpace(
  { clock }: Deps,
  trx: Db,
  { area, account_kid }: { area: Area; account_kid: string },
  disk_space: number | null,
): Promise<void> {
  const space = await lockedSpace(trx, { area, account_kid }, clock.now())
  if (disk_space === null && space.is_customer) throw new Refusal('bad_input', {}, { disk_space: { name: 'required' } })
  const present = space.is_customer ? space.customer.max : (space.share ?? Infinity)
  if (disk_space !== null && disk_space < present && disk_space < leastOf(space))
    refuse('storage_below_use', { used: bytesText(leastOf(space)) })
  const is_more_kept = disk_space !== null && !space.is_customer && disk_space > (space.share ?? 0)
  if (is_more_kept && disk_space > mostOf(space)) refuse('storage_beyond_customer', { left: bytesText(mostOf(space)) })
  await trx
    .updateTable('disk_space')
    .set({ max_bytes: disk_space })
    .where('account_kid', '=', account_kid)
    .where('area', '=', area)
    .execute()
}

/** Of a sub-account, as far as they are given. */
export async function setShares(
  deps: Deps,
  trx: Db,
  account_kid: string,
  shares: Partial<Record<Area, number | null | undefined>>,
): Promise<void> {
  for (const area of ['file_disk', 'app_center'] as const) {
    const share = shares[area]
    if (share !== undefined) await setSpace(deps, trx, { area, account_kid }, share)
  }
}

/** What the account itself may store in an area, as far as others leave it that, stores, and has on its way there. */
export async function ownSpace({ deps, scope, account_kid }: Actor, area: Area) {
  const now = deps.clock.now()
  const { item_count } = await scope
    .selectFrom('disk_space')
    .select('item_count')
    .where('area', '=', area)
    .executeTakeFirstOrThrow()
  // From one statement: an upload is kept at any moment, and its bytes go from what arrives to what is stored.
  const space = await spaceOf(deps.db, { account_kid, area }, now)
  const disk_space = Math.min(space.share ?? space.customer.max, space.used + Math.max(0, roomIn(space)))
  return { item_count, disk_space, used: space.used - space.arriving, arriving: space.arriving }
}
