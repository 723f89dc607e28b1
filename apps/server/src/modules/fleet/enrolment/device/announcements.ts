import { randomInt } from 'node:crypto'
import { constants } from '@mdm/contract'
import { protocolVersions } from '@mdm/device-link'
import type { enrolment } from '@mdm/device-link'
import { sql } from 'kysely'
import type { Insertable, Kysely } from 'kysely'
import type * as z from 'zod'
import type { Tables } from '../../../../db/schema/tables.ts'
import type { Deps } from '../../../../deps.ts'
import { refuse } from '../../../../refusal.ts'
import { sameBytes } from '../../../../lib/ids.ts'
import { newCode, typedCode } from '../codes.ts'
import { networkOf } from '../../../../lib/network.ts'

type Announce = z.output<typeof enrolment.announce.input>
type Announced = z.output<typeof enrolment.announce.output>

const minute = 60_000
const life_ms = constants.announcement_days * 24 * 60 * minute
/** Announcements that wait at the same time: of one address, of one address for one SN, and in all (decision 080). */
const of_address_max = 2_000
const of_sn_max = 100
/** That ask to be let into one account, refused ones included. */
export const of_account_max = 500
export const waiting_max = 100_000
/** Who waits asks every 30 s at most, which is noted once a minute: what was not heard of for so long is not there. */
const silent_ms = 2 * minute
/** A poll counts as a sign of life, written at most so often. */
const touch_ms = minute
/**
 * After so many wrong codes the code is dead and the device has to announce itself again for another. One customer cannot
 * come so far within its life (guesses.ts), and 10,000 of 31^6 codes find one in 90,000.
 */
export const wrong_codes_max = 10_000

/** How long a device waits between two questions: short while somebody is likely to stand beside it. */
export function pollSeconds(deps: Deps, expires_at: Date): number {
  const age_ms = deps.clock.now().getTime() - (expires_at.getTime() - life_ms)
  return age_ms < 15 * minute ? 5 : 30
}

/**
 * What a device says of itself, kept under its SN and claim until it is registered. The same claim keeps its code; another
 * claim to the same SN waits beside it, and the code that is read from the device decides which one it is.
 */
export async function announce(deps: Deps, address: string, said: Announce): Promise<Announced> {
  if (!protocolVersions.includes(said.protocol_version)) refuse('client_not_supported')
  const { db, clock } = deps
  const now = clock.now()
  const claim_hash = Buffer.from(said.claim_hash, 'hex')
  const terminal = await db
    .selectFrom('terminal')
    .select(['claim_hash', 'renewal_asked_at'])
    .where('sn', '=', said.sn)
    .executeTakeFirst()
  // The device itself may ask again: it may have lost what it was told. To be renewed is what was copied, the claim with it.
  if (terminal && sameBytes(terminal.claim_hash, claim_hash) === (terminal.renewal_asked_at !== null))
    refuse('device_already_registered')
  if (!terminal) await assertFree(db, said.sn)
  const { sn, claim_hash: _, imei, ...device } = said
  const row = {
    sn,
    claim_hash,
    registration_code: newCode(),
    wrong_codes: 0,
    device: JSON.stringify({ ...device, ...(imei === undefined ? {} : { imei }) }),
    address: networkOf(address),
    announced_at: now,
    expires_at: new Date(now.getTime() + life_ms),
  }
  const stored = await keepAnnouncement(deps, row)
  return { registration_code: stored.registration_code, poll_seconds: pollSeconds(deps, stored.expires_at) }
}

/** The row of a device that asks to be let into an account. */
export const asking = (
  { clock }: Deps,
  address: string,
  asked: Omit<Insertable<Tables['announcement']>, 'registration_code' | 'address' | 'announced_at' | 'expires_at'>,
) => {
  const announced_at = clock.now()
  const expires_at = new Date(announced_at.getTime() + life_ms)
  return { ...asked, registration_code: newCode(), address: networkOf(address), announced_at, expires_at }
}

/** Who asks again keeps its code and its place; one that was refused is not refused for longer by asking. */
export async function keepAnnouncement(
  { db }: Deps,
  row: Insertable<Tables['announcement']> & Newest,
): Promise<{ registration_code: string; expires_at: Date; is_new: boolean }> {
  const now = row.announced_at
  const goes_on = sql<boolean>`announcement.wrong_codes < ${wrong_codes_max} and announcement.expires_at > ${now}`
  const stored = await db
    .insertInto('announcement')
    .values(row)
    .onConflict((oc) =>
      oc.columns(['sn', 'claim_hash']).doUpdateSet({
        registration_code: sql`case when ${goes_on} then announcement.registration_code else excluded.registration_code end`,
        wrong_codes: sql`case when ${goes_on} then announcement.wrong_codes else 0 end`,
        device: sql`excluded.device`,
        address: sql`excluded.address`,
        announced_at: sql`excluded.announced_at`,
        expires_at: sql`case when announcement.refused_at is null then excluded.expires_at else announcement.expires_at end`,
      }),
    )
    .returning(['registration_code', 'expires_at', sql<boolean>`xmax = 0`.as('is_new')])
    .executeTakeFirstOrThrow()
  await makeRoom(db, row)
  return stored
}

type Newest = Pick<Tables['announcement'], 'sn' | 'claim_hash' | 'address'> & {
  announced_at: Date
  account_kid?: string
}
/**
 * The newest always has a place: what an address has too many of gives way, never what another has. First goes what was
 * not heard of for longest. Where all are heard of, any of them goes: nobody can choose a neighbour's, and each stays
 * for as many announcements as there are places, on average.
 */
async function makeRoom(db: Kysely<Tables>, row: Newest): Promise<void> {
  const { sn, claim_hash, address, announced_at, account_kid } = row
  const of_address = db.selectFrom('announcement').where('address', '=', address)
  for (const { waiting, most } of [
    { waiting: of_address.where('sn', '=', sn), most: of_sn_max },
    { waiting: of_address, most: of_address_max },
    ...(account_kid === undefined
      ? []
      : [{ waiting: db.selectFrom('announcement').where('account_kid', '=', account_kid), most: of_account_max }]),
  ]) {
    const { count } = await waiting.select((eb) => eb.fn.countAll<string>().as('count')).executeTakeFirstOrThrow()
    if (Number(count) <= most) continue
    const rows = await waiting.select(['sn', 'claim_hash', 'announced_at']).orderBy('announced_at').execute()
    const others = rows.filter((each) => each.sn !== sn || !sameBytes(each.claim_hash, claim_hash))
    const longest = others[0]!
    const is_silent = longest.announced_at.getTime() < announced_at.getTime() - silent_ms
    const gone = is_silent ? longest : others[randomInt(others.length)]!
    await db.deleteFrom('announcement').where('sn', '=', gone.sn).where('claim_hash', '=', gone.claim_hash).execute()
  }
}

/** In all: those that were not heard of for longest go. Returns how many. */
export async function trimAnnouncements({ db }: Deps): Promise<number> {
  const last = await db
    .selectFrom('announcement')
    .select('announced_at')
    .orderBy('announced_at', 'desc')
    .offset(waiting_max)
    .limit(1)
    .executeTakeFirst()
  if (!last) return 0
  const { numDeletedRows } = await db
    .deleteFrom('announcement')
    .where('announced_at', '<=', last.announced_at)
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** An SN that is registered anywhere, or scrapped, is not to be had. */
export async function assertFree(db: Kysely<Tables>, sn: string): Promise<void> {
  const terminal = await db.selectFrom('terminal').select('kid').where('sn', '=', sn).executeTakeFirst()
  if (terminal) refuse('device_already_registered')
  const scrapped = await db.selectFrom('scrapped_sn').select('sn').where('sn', '=', sn).executeTakeFirst()
  if (scrapped) refuse('device_scrapped')
}

/** Announcements of an SN that have not run out, whoever made them. */
export const liveAnnouncements = (db: Kysely<Tables>, deps: Deps, sn: string) =>
  db
    .selectFrom('announcement')
    .selectAll()
    .where('sn', '=', sn)
    .where('expires_at', '>', deps.clock.now())
    .orderBy('announced_at')
    .execute()

export type Coded = Pick<Tables['announcement'], 'registration_code'> & { wrong_codes: number }
/** Which of them shows the code that was typed. */
export function shownBy<A extends Coded>(announced: readonly A[], code: string): A | undefined {
  const typed = Buffer.from(typedCode(code))
  return announced.find(
    ({ wrong_codes, registration_code }) =>
      wrong_codes < wrong_codes_max && sameBytes(typed, Buffer.from(registration_code)),
  )
}

/** A sign of life of the device that announced itself. */
export async function touch(
  { db, clock }: Deps,
  { sn, claim_hash, announced_at }: Pick<Tables['announcement'], 'sn' | 'claim_hash' | 'announced_at'>,
): Promise<void> {
  const now = clock.now()
  if (now.getTime() - announced_at.getTime() < touch_ms) return
  await db
    .updateTable('announcement')
    .set({ announced_at: now })
    .where('sn', '=', sn)
    .where('claim_hash', '=', claim_hash)
    .execute()
}
