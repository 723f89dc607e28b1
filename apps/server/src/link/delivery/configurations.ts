import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import { transactionThen } from '../../db/after-commit.ts'
import { records } from '../../db/records.ts'
import type { Tables } from '../../db/schema/tables.ts'
import type { Deps } from '../../deps.ts'
import { checked_in } from '../peer.ts'
import { eventKid, insertEvents } from '../inbound/event.ts'
import { resendAfter } from './owed.ts'
import type { Owed, Taking } from './owed.ts'
import type { Beyond } from './packet.ts'
import type { Transport } from './transport.ts'
import { configurationRows, payloadOf, workOut } from './wanted.ts'
import type { Wanted } from './wanted.ts'

/** Fewer than of tasks, as the levels above each device are read to work out what it ought to hold. */
const batch_size = 500

/**
 * Configurations. What a device ought to hold is worked out once something was saved, whether it is there or not: it gets a new
 * version only if it is something else than before. It is sent to those who are connected, again and again until they say that
 * they go by it. Who is not there is left alone: hello compares what the device holds with what it ought to.
 */
export function owedConfigurations(
  deps: Deps,
  { node_kid, isReachable }: Pick<Transport, 'node_kid' | 'isReachable'>,
): Owed<Wanted> {
  /** One that checks in is told while it is here; one that is connected also where only its row knows that it is. */
  const isToldNow = (row: Wanted) => row.is_online && (row.transport !== checked_in || isReachable(row))
  return {
    table: 'terminal_config_delivery',
    batch_size,
    async take({ trx, now, after, full }: Taking) {
      // Both rows are locked, so that a hello of this moment is seen or comes after.
      const { rows } = await sql<Wanted>`${configurationRows}
        WHERE c.send_at <= ${now} AND NOT c.terminal_kid = ANY(${full}::uuid[])
          AND (${node_kid}::uuid IS NULL OR NOT s.is_online OR s.node_kid = ${node_kid}::uuid)
        ORDER BY c.send_at LIMIT ${batch_size} FOR NO KEY UPDATE OF c, s SKIP LOCKED
      `.execute(trx)
      const work = await workOut(deps, trx, rows)
      const told = work.filter((row) => isToldNow(row) && row.version !== (row.config_version ?? 0))
      await noteSent(trx, now, told)
      const is_told = new Set(told)
      const rest = work.filter((row) => !is_told.has(row))
      if (rest.length > 0) {
        const kids = rest.map((row) => row.terminal_kid)
        await sql`UPDATE terminal_config_delivery SET send_at = NULL WHERE terminal_kid = ANY(${kids}::uuid[])`.execute(
          trx,
        )
        // One that turned out to be the same has nothing to wait for.
        const moves = await deps.features.configurations.endConfirmed(trx, kids, now)
        if (moves) after(() => deps.features.pushes.tellMoves(deps, moves))
      }
      return { due: rows.length, away: [], write: async () => write(deps, told) }
    },
    async refuseLarge(rows) {
      for (const { row, beyond } of rows) await tellTooLarge(deps, row, beyond)
    },
  }
}

/** What a device that has come does not hold yet is due, however lately it was sent. Says whether something is. */
export async function recallConfiguration({ db, clock }: Pick<Deps, 'db' | 'clock'>, kid: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE terminal_config_delivery c SET sends = 0, send_at = ${clock.now()} FROM terminal_state s
    WHERE c.terminal_kid = ${kid}::uuid AND s.terminal_kid = c.terminal_kid
      AND (c.is_dirty OR c.version <> COALESCE(s.config_version, 0))
  `.execute(db)
  return Boolean(numAffectedRows)
}

async function write(deps: Deps, told: readonly Wanted[]) {
  const parcels = []
  for (const row of told) {
    deps.live.publish(row.account_kid, { type: 'terminal_config', kid: row.terminal_kid })
    try {
      parcels.push({ row, name: 'config' as const, payload: await payloadOf(deps, row) })
    } catch (error) {
      deps.log.error({ err: error, terminal_kid: row.terminal_kid }, 'a configuration was not sent')
    }
  }
  return parcels
}

/** A version that is more than its device takes was not sent, and is not sent again: the events of the device say so. */
async function tellTooLarge(deps: Deps, row: Wanted, beyond: Beyond): Promise<void> {
  const { terminal_kid, account_kid, version, sends } = row
  const now = deps.clock.now()
  await transactionThen(deps.db, async (trx, after) => {
    // What has become due meanwhile, by a hello or by something that was saved, stays due.
    await sql`
      UPDATE terminal_config_delivery SET send_at = NULL, sent_at = NULL
      WHERE terminal_kid = ${terminal_kid} AND version = ${version} AND sends = ${sends + 1} AND NOT is_dirty
    `.execute(trx)
    const said = { type: 'config_too_large', at: now, received_at: now, detail: { version, ...beyond } }
    const kid = eventKid(terminal_kid, said.type, version)
    await insertEvents({ trx, deps, after }, [{ kid, account_kid, terminal_kid, ...said, is_dated_here: true }])
  })
}

async function noteSent(trx: Transaction<Tables>, now: Date, told: readonly Wanted[]): Promise<void> {
  if (told.length === 0) return
  const rows = told.map((row) => ({ k: row.terminal_kid, n: row.sends + 1, at: resendAfter(now, row.sends) }))
  await sql`
    UPDATE terminal_config_delivery d SET sends = r.n, send_at = r.at, sent_at = ${now}::timestamptz
    FROM ${records(rows).as('r(k uuid, n integer, at timestamptz)')}
    WHERE d.terminal_kid = r.k
  `.execute(trx)
}
