import { sql } from 'kysely'
import { records } from '../../db/records.ts'
import type { Tables } from '../../db/schema/tables.ts'
import type { Deps } from '../../deps.ts'
import type { Due } from '../../modules/push/push-task/index.ts'
import { recent_ms } from '../ask-hello.ts'
import { groupBy } from '../group-by.ts'
import { checked_in } from '../peer.ts'
import type { Owed, Taking } from './owed.ts'
import { resendAfter } from './owed.ts'
import type { Transport } from './transport.ts'

/** As many as a push makes in one transaction: most of what a batch costs is its commit. */
const batch_size = 2_000
/** A device that is not there is told at its next hello; this is only in case that was missed. */
const parked_ms = 600_000
/** What a paused or canceled push must not send any more; its rows are made to agree with it meanwhile. */
const stopped_ms = 5_000
const most_remembered = 200_000

/** Tasks of pushes, and their cancellations. `wakeOthers`: what kinds deliver by themselves is due as something else than a task. */
export function owedTasks(deps: Deps, transport: Omit<Transport, 'deliver'>, wakeOthers: () => void) {
  const { node_kid } = transport
  const { failTooLarge, loadOutgoing, kindOf, encodeOutgoing } = deps.features.pushes
  const isOtherwise = ({ type }: Due): boolean => kindOf(type).deliver !== undefined
  /** How often a row was sent since the device was last heard of it; forgetting only means sending sooner. */
  const sends = new Map<string, number>()
  /** Once its next time is committed: what was rolled back was not sent. */
  function countSend(row: Due): void {
    if (sends.size > most_remembered) sends.clear()
    sends.set(keyOf(row), (sends.get(keyOf(row)) ?? 0) + 1)
  }

  async function take({ trx, now, after, full, room }: Taking) {
    const { rows: found } = await sql<
      Due & { is_online: boolean | null; transport: Tables['terminal_state']['transport']; is_stopped: boolean }
    >`
      SELECT p.push_task_kid, p.terminal_kid, p.account_kid, p.type, p.state, p.attempt, p.version, p.deadline_at, p.open_until,
        p.cancel_asked_at, s.is_online, s.transport, t.max_packet,
        p.sent_at IS NULL AND p.cancel_asked_at IS NULL AND EXISTS (
          SELECT FROM push_task k WHERE k.kid = p.push_task_kid AND k.phase IN ('paused', 'canceled')) AS is_stopped
      FROM push_task_terminal p LEFT JOIN terminal_state s ON s.terminal_kid = p.terminal_kid
        LEFT JOIN terminal t ON t.kid = p.terminal_kid
      WHERE p.send_at <= ${now} AND NOT p.terminal_kid = ANY(${full}::uuid[])
        AND NOT ${transport.isLeft()}
      ORDER BY p.send_at LIMIT ${batch_size} FOR UPDATE OF p SKIP LOCKED
    `.execute(trx)
    const stopped = found.filter(({ is_stopped }) => is_stopped)
    const rows = found.filter(({ is_stopped }) => !is_stopped)
    const here = rows.filter((row) => transport.isReachable(row))
    const away = rows.filter((row) => !transport.isReachable(row))
    for (const [type, mine] of groupBy(here.filter(isOtherwise), (row) => row.type)) {
      await kindOf(type).deliver!(trx, mine, now)
      after(wakeOthers)
    }
    const by_device = groupBy(
      here.filter((row) => !isOtherwise(row)),
      (row) => row.terminal_kid,
    )
    const sent = [...by_device].flatMap(([kid, mine]) => mine.slice(0, room(kid)))
    const inMs = (ms: number) => new Date(now.getTime() + ms)
    const next = ({ push_task_kid: k, terminal_kid: t }: Due, at: Date, is_sent: boolean) => ({ k, t, at, is_sent })
    const later = [
      ...sent.map((row) => next(row, resendAfter(now, sends.get(keyOf(row)) ?? 0), row.cancel_asked_at === null)),
      ...away.map((row) => next(row, inMs(parked_ms), false)),
      ...stopped.map((row) => next(row, inMs(stopped_ms), false)),
    ]
    if (later.length > 0)
      await sql`
        UPDATE push_task_terminal p SET send_at = r.at,
          sent_at = CASE WHEN r.is_sent THEN COALESCE(p.sent_at, ${now}::timestamptz) ELSE p.sent_at END
        FROM ${records(later).as('r(k uuid, t uuid, at timestamptz, is_sent boolean)')}
        WHERE p.push_task_kid = r.k AND p.terminal_kid = r.t
      `.execute(trx)
    const outgoing = await loadOutgoing(deps, trx, sent)
    return {
      due: found.length,
      away: away.map((row) => row.terminal_kid),
      async write() {
        for (const row of sent) countSend(row)
        return encodeOutgoing(deps, outgoing)
      },
    }
  }

  /** A device may have connected between the reading of its state and the end of that transaction. */
  async function recall(terminal_kids: string[]): Promise<boolean> {
    const here = terminal_kids.filter((kid) =>
      transport.isReachable({ terminal_kid: kid, is_online: false, transport: null }),
    )
    if (node_kid !== null && here.length === 0) return false
    const { numAffectedRows } = await sql`
      UPDATE push_task_terminal p SET send_at = ${deps.clock.now()} FROM terminal_state s
      WHERE p.terminal_kid = ANY(${terminal_kids}::uuid[]) AND p.send_at IS NOT NULL AND s.terminal_kid = p.terminal_kid
        AND (p.terminal_kid = ANY(${here}::uuid[])
          OR (${node_kid}::uuid IS NULL AND s.is_online AND s.transport IS DISTINCT FROM ${checked_in}))
    `.execute(deps.db)
    return Boolean(numAffectedRows)
  }

  return {
    table: 'push_task_terminal',
    batch_size,
    take,
    refuseLarge: (rows) =>
      failTooLarge(
        deps,
        rows.map(({ row }) => row),
      ),
    recall,
    forgetSends(rows: readonly RowKey[]): void {
      for (const row of rows) sends.delete(keyOf(row))
    },
  } satisfies Owed<Due> & { forgetSends(rows: readonly RowKey[]): void }
}

/** Devices of one statement. */
const repeat_piece = 1_000
/**
 * Makes due what devices work on that were online lately, as their hello may be on its way: a repeat is answered with how it
 * stands. `found` is called after each piece.
 */
export async function repeatWork({ db, clock, features }: Deps, found: () => void): Promise<void> {
  const { openStates, otherwiseDelivered } = features.pushes
  const recent = new Date(clock.now().getTime() - recent_ms)
  for (let after = '00000000-0000-0000-0000-000000000000'; ;) {
    const { rows } = await sql<{ terminal_kid: string }>`
      SELECT terminal_kid FROM terminal_state
      WHERE terminal_kid > ${after}::uuid AND (is_online OR GREATEST(last_online_at, last_contact_at) > ${recent})
      ORDER BY terminal_kid LIMIT ${repeat_piece}
    `.execute(db)
    const kids = rows.map(({ terminal_kid }) => terminal_kid)
    await sql`
      UPDATE push_task_terminal SET send_at = ${clock.now()}
      WHERE terminal_kid = ANY(${kids}::uuid[]) AND state = ANY(${openStates}::text[])
        AND sent_at IS NOT NULL AND send_at IS NULL AND type <> ALL(${otherwiseDelivered()}::text[])
    `.execute(db)
    found()
    if (kids.length < repeat_piece) return
    after = kids.at(-1)!
  }
}

type RowKey = Pick<Due, 'push_task_kid' | 'terminal_kid'>
const keyOf = (row: RowKey): string => `${row.push_task_kid}.${row.terminal_kid}`
