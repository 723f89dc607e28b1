import type { Deps } from '../../../deps.ts'
import { purgeOwnerless } from './qr/apks.ts'
import { trimAnnouncements } from './device/announcements.ts'

/** Rows that go in one statement. */
const purged_at_once = 2_000
/** A dialog that shows a code may ask for its result a while after it ran out. */
const qrcode_kept_ms = 24 * 60 * 60_000

/** Removes announcements that ran out or are too many, codes that ran out a day ago, and APKs of nobody. Returns how many of each. */
export async function purgeExpired(deps: Deps): Promise<{ announcements: number; qrcodes: number; apks: number }> {
  const { db, clock } = deps
  const now = clock.now()
  const announcements = await untilNone(() =>
    db
      .deleteFrom('announcement')
      .where('sn', 'in', (eb) =>
        eb.selectFrom('announcement').select('sn').where('expires_at', '<=', now).limit(purged_at_once),
      )
      .where('expires_at', '<=', now)
      .executeTakeFirst(),
  )
  const before = new Date(now.getTime() - qrcode_kept_ms)
  const qrcodes = await untilNone(() =>
    db
      .deleteFrom('qrcode')
      .where('kid', 'in', (eb) =>
        eb.selectFrom('qrcode').select('kid').where('expires_at', '<=', before).limit(purged_at_once),
      )
      .executeTakeFirst(),
  )
  return { announcements: announcements + (await trimAnnouncements(deps)), qrcodes, apks: await purgeOwnerless(deps) }
}

async function untilNone(deleteSome: () => Promise<{ numDeletedRows: bigint }>): Promise<number> {
  for (let all = 0; ;) {
    const deleted = Number((await deleteSome()).numDeletedRows)
    all += deleted
    if (deleted < purged_at_once) return all
  }
}
