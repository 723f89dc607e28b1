import { constants } from '@mdm/contract'
import { protocolVersions } from '@mdm/device-link'
import type { enrolment } from '@mdm/device-link'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type * as z from 'zod'
import type { Tables } from '../../db/tables.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../http/context.ts'
import { sameBytes } from '../../lib/ids.ts'
import { newCode } from './codes.ts'

type Announce = z.output<typeof enrolment.announce.input>
type Announced = z.output<typeof enrolment.announce.output>

const minute = 60_000
const life_ms = constants.announcement_days * 24 * 60 * minute
/**
 * A live announcement cannot be taken over by another claim: whoever did would be registered in the device's place.
 * Silence of 10 minutes ends that, so that a device that was reset (and has a new claim) can come back.
 */
const idle_ms = 10 * minute
/** A poll counts as a sign of life, written at most so often. */
const touch_ms = minute
/** After so many wrong codes the code is dead and the device has to announce itself again for another. */
export const wrong_codes_max = 10
/** Announcements of one address that wait at the same time. */
const waiting_max = 2_000

/** How long a device waits between two questions: short while somebody is likely to stand beside it. */
export function pollSeconds(deps: Deps, expires_at: Date): number {
  const age_ms = deps.clock.now().getTime() - (expires_at.getTime() - life_ms)
  return age_ms < 15 * minute ? 5 : 30
}

/** What a device says of itself, kept under its SN until it is registered. The same claim keeps its code. */
export async function announce(deps: Deps, address: string, said: Announce): Promise<Announced> {
  if (!protocolVersions.includes(said.protocol_version)) refuse('client_not_supported')
  const { db, clock } = deps
  const now = clock.now()
  const claim_hash = Buffer.from(said.claim_hash, 'hex')
  const terminal = await db.selectFrom('terminal').select('claim_hash').where('sn', '=', said.sn).executeTakeFirst()
  // The device itself may ask again: it may have lost what it was told.
  if (terminal && !sameBytes(terminal.claim_hash, claim_hash)) refuse('device_already_registered')
  if (!terminal) await assertFree(db, said.sn)
  await assertRoom(db, said.sn, address, now)
  const { sn, claim_hash: _, imei, ...device } = said
  const row = {
    sn,
    claim_hash,
    registration_code: newCode(),
    wrong_codes: 0,
    device: JSON.stringify({ ...device, ...(imei === undefined ? {} : { imei }) }),
    address,
    announced_at: now,
    expires_at: new Date(now.getTime() + life_ms),
  }
  const goes_on = sql<boolean>`announcement.claim_hash = excluded.claim_hash and announcement.wrong_codes < ${wrong_codes_max} and announcement.expires_at > ${now}`
  const stored = await db
    .insertInto('announcement')
    .values(row)
    .onConflict((oc) =>
      oc
        .column('sn')
        .doUpdateSet({
          claim_hash: sql`excluded.claim_hash`,
          registration_code: sql`case when ${goes_on} then announcement.registration_code else excluded.registration_code end`,
          wrong_codes: sql`case when ${goes_on} then announcement.wrong_codes else 0 end`,
          device: sql`excluded.device`,
          address: sql`excluded.address`,
          announced_at: sql`excluded.announced_at`,
          expires_at: sql`excluded.expires_at`,
        })
        .where(
          sql<boolean>`announcement.claim_hash = excluded.claim_hash or announcement.announced_at < ${new Date(now.getTime() - idle_ms)} or announcement.expires_at <= ${now}`,
        ),
    )
    .returning(['registration_code', 'expires_at'])
    .executeTakeFirst()
  if (!stored) return refuse('conflict')
  return { registration_code: stored.registration_code, poll_seconds: pollSeconds(deps, stored.expires_at) }
}

/** One address cannot fill the table; devices that are known already may always refresh. */
async function assertRoom(db: Kysely<Tables>, sn: string, address: string, now: Date): Promise<void> {
  const waiting = await db
    .selectFrom('announcement')
    .select('sn')
    .where('address', '=', address)
    .where('expires_at', '>', now)
    .limit(waiting_max)
    .execute()
  if (waiting.length >= waiting_max && !waiting.some((row) => row.sn === sn))
    refuse('too_many_requests', { seconds: 3_600 })
}

/** An SN that is registered anywhere, or scrapped, is not to be had. */
export async function assertFree(db: Kysely<Tables>, sn: string): Promise<void> {
  const terminal = await db.selectFrom('terminal').select('kid').where('sn', '=', sn).executeTakeFirst()
  if (terminal) refuse('device_already_registered')
  const scrapped = await db.selectFrom('scrapped_sn').select('sn').where('sn', '=', sn).executeTakeFirst()
  if (scrapped) refuse('device_scrapped')
}

/** The announcement of an SN that has not run out, whoever made it. */
export const liveAnnouncement = (db: Kysely<Tables>, deps: Deps, sn: string) =>
  db
    .selectFrom('announcement')
    .selectAll()
    .where('sn', '=', sn)
    .where('expires_at', '>', deps.clock.now())
    .executeTakeFirst()

/** A sign of life of the device that announced itself. */
export async function touch({ db, clock }: Deps, sn: string, announced_at: Date): Promise<void> {
  const now = clock.now()
  if (now.getTime() - announced_at.getTime() < touch_ms) return
  await db.updateTable('announcement').set({ announced_at: now }).where('sn', '=', sn).execute()
}

/** Counts a wrong code, also when the call is refused: guessing must not be free. */
export const countWrongCode = ({ db }: Deps, sn: string) =>
  db
    .updateTable('announcement')
    .set({ wrong_codes: sql<number>`wrong_codes + 1` })
    .where('sn', '=', sn)
    .where('wrong_codes', '<', wrong_codes_max)
    .execute()
