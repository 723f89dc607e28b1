import { sql } from 'kysely'
import type { Kysely, Selectable } from 'kysely'
import type { Tables } from '../db/schema/tables.ts'
import { customerOfAccount } from '../db/customer.ts'
import { violation } from '../db/violations.ts'
import type { Deps } from '../deps.ts'
import { refuse } from '../refusal.ts'
import { newKid } from '../lib/ids.ts'
import { keptOf, leftAbove } from '../lib/shares.ts'
import type { Shared } from '../lib/shares.ts'

type Row = Selectable<Tables['upload']>
/** Uploads that one person may have that are not kept yet, finished or not. */
const unkept_of_person = 100
/** A connection that breaks off comes back within it, or has to find room again. */
const reserved_ms = 60 * 60_000
const renewed_ms = 30 * 60_000

/**
 * Inserts the row of an upload that begins, which takes its size of the account's space from now on. Refused as
 * `storage_exceeded` when that is too much, and as `too_many_requests` when this person has too many others. One that was
 * interrupted longest makes room; it is returned, for its bytes to be removed.
 */
export async function beginUpload(
  deps: Deps,
  wanted: Pick<Row, 'account_kid' | 'user_kid' | 'name' | 'size' | 'area' | 'fingerprint'>,
): Promise<{ kid: string; dropped: Row | undefined }> {
  const now = deps.clock.now()
  return deps.db.transaction().execute(async (trx) => {
    const room = await lockedRoom(trx, wanted, now)
    const dropped = await makeRoomOfPerson(trx, wanted.user_kid, now)
    const freed = dropped?.account_kid === wanted.account_kid && dropped.area === wanted.area ? dropped.received : 0
    if (wanted.size > room + freed) refuse('storage_exceeded')
    const kid = newKid()
    await trx
      .insertInto('upload')
      .values({ ...wanted, kid, created_at: now, reserved_until: later(now) })
      .execute()
    return { kid, dropped }
  })
}

/** Before more of it is taken: what others took meanwhile may have left no room for an upload that was interrupted long ago. */
export async function reserveAgain(deps: Deps, { kid, account_kid, area }: Row): Promise<void> {
  const now = deps.clock.now()
  await deps.db.transaction().execute(async (trx) => {
    const room = await lockedRoom(trx, { account_kid, area }, now)
    const row = await trx.selectFrom('upload').selectAll().where('kid', '=', kid).executeTakeFirst()
    if (!row || row.finished_at) return
    if (row.size - taken(row, now) > room) refuse('storage_exceeded')
    await trx
      .updateTable('upload')
      .set({ reserved_until: later(now) })
      .where('kid', '=', kid)
      .execute()
  })
}

const taken = ({ reserved_until, size, received }: Row, now: Date): number =>
  reserved_until && reserved_until > now ? size : received

/** Whether it is soon over, so that it has to be made longer. */
export const isReservationShort = ({ clock }: Deps, { reserved_until }: Row): boolean =>
  !reserved_until || reserved_until.getTime() - clock.now().getTime() < renewed_ms

/** Notes how much has come of an upload, when a connection to it has ended. */
export const noteReceived = ({ db }: Deps, kid: string, received: number) =>
  db.updateTable('upload').set({ received }).where('kid', '=', kid).where('finished_at', 'is', null).execute()

const later = (now: Date): Date => new Date(now.getTime() + reserved_ms)

/** Of uploads that are not kept yet: all of one that has come or is on its way, what has come of one that stands still. */
const unkeptBytes = (now: Date) =>
  sql<number>`COALESCE(sum(CASE WHEN finished_at IS NOT NULL OR reserved_until > ${now} THEN size ELSE received END), 0)::bigint`

type Space = Pick<Row, 'account_kid' | 'area'>
/**
 * Runs what stores bytes of an account, or keeps an upload of it. Refused as `storage_exceeded` where it takes more than
 * what is stored and the uploads that are not kept yet leave. Keeping an upload of the same space takes nothing more:
 * that it fits into what is stored, the database makes sure of (`disk_space_within`).
 */
export async function takeSpace<T>(
  trx: Kysely<Tables>,
  { deps, account_kid }: { deps: Deps; account_kid: string },
  area: Row['area'],
  run: () => Promise<T>,
): Promise<T> {
  const now = deps.clock.now()
  const before = await lockedRoom(trx, { account_kid, area }, now)
  const done = await violation(run, { disk_space_within: 'storage_exceeded' })
  const left = await lockedRoom(trx, { account_kid, area }, now)
  if (left < 0 && left < before) refuse('storage_exceeded')
  return done
}

/** What the account may still store there. Whoever else of its customer takes of it waits until the transaction ends. */
async function lockedRoom(trx: Kysely<Tables>, space: Space, now: Date): Promise<number> {
  return roomIn(await lockedSpace(trx, space, now))
}

/** As `spaceOf`; nobody of its customer takes of it, or is given a share, until the transaction ends. */
export async function lockedSpace(trx: Kysely<Tables>, space: Space, now: Date): Promise<SharedSpace> {
  // The customer's first: whoever takes of it, and of their own share, waits in the same order.
  for (const kid of new Set([await customerOfAccount(trx, space.account_kid), space.account_kid]))
    await trx
      .selectFrom('disk_space')
      .select('kid')
      .where('account_kid', '=', kid)
      .where('area', '=', space.area)
      .forUpdate()
      .executeTakeFirstOrThrow()
  return spaceOf(trx, space, now)
}

/**
 * What is used includes uploads that are not kept yet, which are `arriving`. `share` is null of a customer, and of who draws on
 * its customer's.
 */
export type SharedSpace = {
  is_customer: boolean
  share: number | null
  used: number
  arriving: number
  customer: Shared
}

/** One limit holds for a customer and all its sub-accounts together; what is kept is kept for others than this account. */
export async function spaceOf(db: Kysely<Tables>, { account_kid, area }: Space, now: Date): Promise<SharedSpace> {
  const customer_kid = await customerOfAccount(db, account_kid)
  const rows = await db
    .selectFrom('disk_space as d')
    .innerJoin('account as a', 'a.kid', 'd.account_kid')
    .select(['d.account_kid', 'd.max_bytes', 'd.used_bytes'])
    .select(
      sql<number>`(SELECT ${unkeptBytes(now)} FROM upload u WHERE u.account_kid = d.account_kid AND u.area = d.area AND u.claimed_at IS NULL)`.as(
        'arriving',
      ),
    )
    .where('d.area', '=', area)
    .where((eb) =>
      eb.or([eb('a.kid', '=', customer_kid), eb.and([eb('a.type', '=', 2), eb('a.parent_kid', '=', customer_kid)])]),
    )
    .execute()
  const spaces = rows.map((row) => ({
    kid: row.account_kid,
    share: row.account_kid === customer_kid ? null : row.max_bytes,
    used: row.used_bytes + row.arriving,
    arriving: row.arriving,
  }))
  const own = spaces.find(({ kid }) => kid === account_kid)!
  return {
    is_customer: account_kid === customer_kid,
    share: own.share,
    used: own.used,
    arriving: own.arriving,
    customer: {
      max: rows.find((row) => row.account_kid === customer_kid)!.max_bytes ?? 0,
      used: spaces.reduce((sum, { used }) => sum + used, 0),
      kept: keptOf(spaces.filter(({ kid }) => kid !== account_kid)),
    },
  }
}

/**
 * What an account may still store there: what its share leaves, and at most what its customer's limit does. Less than nothing
 * where a limit was made smaller than what is stored.
 */
export const roomIn = ({ share, used, customer }: SharedSpace): number =>
  share === null ? leftAbove(customer, false) : Math.min(share - used, leftAbove(customer, true))

async function makeRoomOfPerson(trx: Kysely<Tables>, user_kid: string, now: Date): Promise<Row | undefined> {
  const own = await trx
    .selectFrom('upload')
    .selectAll()
    .where('user_kid', '=', user_kid)
    .where('claimed_at', 'is', null)
    .orderBy('created_at')
    .orderBy('kid')
    .execute()
  if (own.length < unkept_of_person) return undefined
  const oldest = own.find((row) => !row.finished_at && !(row.reserved_until && row.reserved_until > now))
  if (!oldest) return refuse('too_many_requests', { seconds: 60 })
  await trx.deleteFrom('upload').where('kid', '=', oldest.kid).execute()
  return oldest
}
