import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { wake } from '../../../lib/background.ts'
import type { Work } from '../../../lib/background.ts'
import { groupBy } from '../../../link/group-by.ts'
import { hasRoom, notifyAccountOfAll, webhookDeliveries } from '../webhook/index.ts'

type News = Pick<Tables['terminal_news'], 'account_kid' | 'terminal_kid' | 'event'> & {
  device: Record<string, unknown>
  group_name: string | null
}
/** Told in one transaction. */
const at_once = 500

/** Tells webhooks which devices came and went: what the database has written down of them, in its order. */
export const deviceNews: Work = {
  name: 'device_news',
  every_ms: 5_000,
  async run(deps) {
    const told = await deps.db.transaction().execute((trx) => tellNext(trx, deps))
    if (told > 0) wake(deps, webhookDeliveries)
    return told === at_once
  },
}

async function tellNext(trx: Kysely<Tables>, deps: Deps): Promise<number> {
  const news = await takeNews(trx)
  for (const [account_kid, of_account] of groupBy(news, (each) => each.account_kid)) {
    const told = of_account.map(({ event, terminal_kid, device, group_name }) => ({
      event,
      detail: { terminal_kid, ...device, group_name },
    }))
    await notifyAccountOfAll({ ...deps, db: trx }, account_kid, told)
  }
  return news.length
}

/**
 * A receiver that answers, but slowly, gets a sheet of thousands bit by bit: what is new of its account waits until there is room
 * for it, yet no more than ten minutes. One that fails holds nothing up.
 */
async function takeNews(trx: Kysely<Tables>): Promise<News[]> {
  const { rows } = await sql<News & { id: string }>`
    WITH crowded AS MATERIALIZED (
      SELECT w.account_kid FROM webhook w
      WHERE w.account_kid IN (SELECT n.account_kid FROM terminal_news n)
        AND w.is_enabled AND w.failing_since IS NULL
        AND w.events && ARRAY['device.registered', 'device.deregistered'] AND NOT ${hasRoom}),
    taken AS (
      DELETE FROM terminal_news WHERE id IN (
        SELECT n.id FROM terminal_news n
        WHERE n.at < now() - interval '10 minutes' OR n.account_kid NOT IN (SELECT account_kid FROM crowded)
        ORDER BY n.id LIMIT ${at_once}::integer FOR UPDATE SKIP LOCKED)
      RETURNING *)
    SELECT t.id, t.account_kid, t.terminal_kid, t.event, t.device, g.name AS group_name
    FROM taken t LEFT JOIN terminal_group g ON g.kid = (t.device ->> 'terminal_group_kid')::uuid
    ORDER BY t.id`.execute(trx)
  return rows
}
