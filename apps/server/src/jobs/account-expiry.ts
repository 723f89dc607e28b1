import { constants } from '@mdm/contract'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { nearestEnd } from '../http/session-row.ts'
import { wake } from '../lib/background.ts'
import { notifyAccount, webhookDeliveries } from '../modules/watch/webhook/index.ts'

const day_ms = 24 * 3_600_000
const { expiry_orange_days, expiry_red_days } = constants
/** Who expired longer ago than this heard of it, or was forgotten on purpose. */
const past_days = 30

type Crossed = { kid: string; expire_time: Date; days: number }

/**
 * Says once for every end of an account that it comes in 30 days, in 3, and that it is there. Of thresholds that were
 * crossed together only the last is told. The note and the message are one transaction: neither is lost nor doubled.
 */
export async function tellExpiry(deps: Deps): Promise<void> {
  const now = deps.clock.now()
  for (const { kid, expire_time, days } of await crossed(deps, now))
    await deps.db.transaction().execute(async (db) => {
      const noted = await db
        .insertInto('account_notice')
        .values({ account_kid: kid, expire_time, days })
        .onConflict((row) => row.doNothing())
        .returning('days')
        .executeTakeFirst()
      if (!noted) return
      const event = days === 0 ? 'account.expired' : 'account.expiring'
      const days_left = Math.max(0, Math.ceil((expire_time.getTime() - now.getTime()) / day_ms))
      await notifyAccount({ ...deps, db }, kid, event, { expire_time: expire_time.toISOString(), days_left })
    })
  wake(deps, webhookDeliveries)
}

/** Accounts past a threshold that has not been told, disabled ones left out. */
async function crossed({ db }: Deps, now: Date): Promise<Crossed[]> {
  const at = (days: number) => new Date(now.getTime() + days * day_ms)
  const { rows } = await sql<Crossed>`
    SELECT c.kid, c.expire_time, c.days FROM (
      SELECT a.kid, a.expire_time, CASE
        WHEN a.expire_time <= ${now} THEN 0
        WHEN a.expire_time <= ${at(expiry_red_days)} THEN ${expiry_red_days}::integer
        ELSE ${expiry_orange_days}::integer END AS days
      FROM (
        SELECT of.kid, ${nearestEnd('of')} AS expire_time FROM account of WHERE of.type IN (1, 2) AND of.status <> 'invalid'
      ) a
      WHERE a.expire_time > ${at(-past_days)} AND a.expire_time <= ${at(expiry_orange_days)}
    ) c
    WHERE NOT EXISTS (
      SELECT 1 FROM account_notice n
      WHERE n.account_kid = c.kid AND n.expire_time = c.expire_time AND n.days <= c.days
    )
    ORDER BY c.expire_time, c.kid`.execute(db)
  return rows
}
