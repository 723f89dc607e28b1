import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { wake } from '../../../lib/background.ts'
import type { Work } from '../../../lib/background.ts'
import { groupBy } from '../../../link/group-by.ts'
import { hasSettled } from '../alert/index.ts'
import { accountMessages, hasRoom, queueForHooks, silenceEvents, webhookDeliveries } from '../webhook/index.ts'

type Event = (typeof silenceEvents)[number]
type Silence = {
  webhook_kid: string
  events: string[]
  account_kid: string
  terminal_kid: string
  sn: string
  name: string
  model: string
  terminal_group_kid: string | null
  group_name: string | null
  silent_since: Date
}
/** Told in one transaction, of either event. */
const at_once = 500

/**
 * Tells webhooks of devices that are silent for as long as the webhook says: once, and once more when they are heard of again.
 * What each was told stands in `webhook_silence`.
 */
export const deviceSilences: Work = {
  name: 'device_silences',
  every_ms: 20_000,
  by_age: true,
  async run(deps) {
    const told = await deps.db.transaction().execute(async (trx) => {
      await forgetDeaf(trx)
      const back = await takeReturned(trx)
      await tell(trx, deps, 'device.online', back)
      // After a start devices need time to come back.
      const silent = hasSettled(deps) ? await noteSilent(trx, deps.clock.now()) : []
      await tell(trx, deps, 'device.offline', silent)
      return Math.max(back.length, silent.length)
    })
    if (told > 0) wake(deps, webhookDeliveries)
    return told === at_once
  },
}

const listening = sql<boolean>`(w.is_enabled AND w.events && ${[...silenceEvents]}::text[])`
const facts = sql`t.sn, t.name, t.model, t.terminal_group_kid, g.name AS group_name`

/** What a webhook was told that does not listen any more begins anew when it does. */
const forgetDeaf = (trx: Kysely<Tables>) =>
  sql`DELETE FROM webhook_silence x USING webhook w WHERE w.kid = x.webhook_kid AND NOT ${listening}`.execute(trx)

/** Also those that were back and have gone again since somebody last looked. */
async function takeReturned(trx: Kysely<Tables>): Promise<Silence[]> {
  const { rows } = await sql<Silence>`
    WITH back AS (
      DELETE FROM webhook_silence WHERE (webhook_kid, terminal_kid) IN (
        SELECT x.webhook_kid, x.terminal_kid FROM webhook_silence x
        JOIN terminal_state s ON s.terminal_kid = x.terminal_kid
        WHERE s.is_online OR s.last_online_at > x.silent_since LIMIT ${at_once}::integer)
      RETURNING *)
    SELECT b.*, w.events, ${facts} FROM back b JOIN webhook w ON w.kid = b.webhook_kid
    JOIN terminal t ON t.kid = b.terminal_kid LEFT JOIN terminal_group g ON g.kid = t.terminal_group_kid
    ORDER BY b.silent_since`.execute(trx)
  return rows
}

async function noteSilent(trx: Kysely<Tables>, now: Date): Promise<Silence[]> {
  const { rows } = await sql<Silence>`
    WITH listening AS MATERIALIZED (
      -- A webhook for which too many wait is told later, of those that are still silent then.
      SELECT w.*, o.type = 101 AS hears_all FROM webhook w JOIN account o ON o.kid = w.account_kid
      WHERE ${listening} AND ${hasRoom}),
    silent AS (
      SELECT w.kid AS webhook_kid, w.events, s.account_kid, s.terminal_kid, s.last_online_at AS silent_since
      FROM listening w JOIN account a ON a.kid = w.account_kid OR w.hears_all
      JOIN terminal_state s ON s.account_kid = a.kid AND NOT s.is_online
        AND s.last_online_at <= ${now}::timestamptz - w.offline_minutes * interval '1 minute'
        AND s.last_online_at > w.silences_from - w.offline_minutes * interval '1 minute'
      WHERE NOT EXISTS (
        SELECT FROM webhook_silence x WHERE x.webhook_kid = w.kid AND x.terminal_kid = s.terminal_kid)
      LIMIT ${at_once}::integer),
    still AS (
      -- A device that is being removed meanwhile is left out.
      SELECT f.*, t.terminal_group_kid, t.sn, t.name, t.model FROM silent f JOIN terminal t ON t.kid = f.terminal_kid
      FOR KEY SHARE OF t SKIP LOCKED),
    noted AS (
      INSERT INTO webhook_silence (webhook_kid, terminal_kid, account_kid, silent_since)
      SELECT webhook_kid, terminal_kid, account_kid, silent_since FROM still)
    SELECT t.*, g.name AS group_name FROM still t LEFT JOIN terminal_group g ON g.kid = t.terminal_group_kid
    ORDER BY t.silent_since`.execute(trx)
  return rows
}

async function tell(trx: Kysely<Tables>, deps: Deps, event: Event, silences: readonly Silence[]): Promise<void> {
  const within = { ...deps, db: trx }
  const heard = silences.filter(({ events }) => events.includes(event))
  for (const [account_kid, of_account] of groupBy(heard, (each) => each.account_kid)) {
    const told = of_account.map(({ webhook_kid: _, events: __, account_kid: ___, ...detail }) => ({ event, detail }))
    const messages = await accountMessages(within, account_kid, told)
    await queueForHooks(
      within,
      messages.map((message, at) => ({ webhook_kid: of_account[at]!.webhook_kid, message })),
    )
  }
}
