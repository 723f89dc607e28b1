import { downTopic } from '@mdm/device-link'
import type { DownName } from '@mdm/device-link'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { wakeLoop } from '../lib/background.ts'
import { groupBy } from './group-by.ts'
import type { TaskKey } from './inbound/items.ts'
import { beyondPacket } from './packet.ts'
import type { Delivery } from './peer.ts'
import { count } from './stats.ts'
import { giveChanges } from '../modules/terminal-config/service.ts'
import {
  configurationKinds,
  failTooLarge,
  gatherParcels,
  openStates,
  writeParcels,
} from '../modules/push-task/service.ts'
import type { Due } from '../modules/push-task/service.ts'

/** Unacknowledged publishes to one device; the rest waits in the database. */
export const window_size = 16
/** Rows of one transaction, as many as are made in one: most of what a batch costs is its commit. */
const batch_size = 2_000
const tick_ms = 1_000
/** So long another server's work may go unnoticed; alone, everything that falls due is known. */
const shared_ms = 3_000
const alone_ms = 60_000
/** Until the device's answer: then again, ever more rarely. */
export const resend_ms = [5_000, 30_000, 120_000, 600_000] as const
/** A device that is not there is told at its next hello; this is only in case that was missed. */
const parked_ms = 600_000
/** What a paused or canceled push must not send any more; its rows are made to agree with it meanwhile. */
const held_ms = 5_000
const most_remembered = 200_000

/**
 * Sends what is owed. The truth is push_task_terminal.send_at: rows that are due are read in batches, built, given their
 * next time, and only then sent, so that a crash sends twice rather than never. Devices of other nodes are theirs.
 */
export function startDispatcher(
  deps: Deps,
  options: {
    deliver(kid: string, topic: string, payload: string): Promise<Delivery>
    isConnected(kid: string): boolean
    /** An external broker reaches every device from every node. */
    node_kid: string | null
    /** Devices have become due for a configuration. */
    wakeConfigs(): void
  },
) {
  /** How often a row was sent since the device was last heard of it; forgetting only means sending sooner. */
  const sends = new Map<string, number>()
  const in_flight = new Map<string, number>()
  /** Devices whose window is full: what they are owed stays due, and is looked at again when they have acknowledged some. */
  const full = new Set<string>()
  const loop = wakeLoop(
    async (isClosed) => {
      while (!isClosed() && (await sendDue()) === batch_size);
      await findNext()
    },
    // The next tick tries again: what is owed is still in the database.
    (error) => deps.log.warn({ err: error }, 'sending of tasks failed'),
  )

  /** One batch; says how many rows were due. */
  async function sendDue(): Promise<number> {
    const now = deps.clock.now()
    const { due, parked, work, is_given } = await deps.db.transaction().execute(async (trx) => {
      const { rows: found } = await sql<Due & { is_online: boolean | null; is_held: boolean }>`
        SELECT p.push_task_kid, p.terminal_kid, p.account_kid, p.type, p.state, p.attempt, p.version, p.deadline_at, p.open_until,
          p.cancel_asked_at, s.is_online, t.max_packet,
          p.sent_at IS NULL AND p.cancel_asked_at IS NULL AND EXISTS (
            SELECT FROM push_task k WHERE k.kid = p.push_task_kid AND k.phase IN ('paused', 'canceled')) AS is_held
        FROM push_task_terminal p LEFT JOIN terminal_state s ON s.terminal_kid = p.terminal_kid
          LEFT JOIN terminal t ON t.kid = p.terminal_kid
        WHERE p.send_at <= ${now} AND NOT p.terminal_kid = ANY(${[...full]}::uuid[])
          AND (${options.node_kid}::uuid IS NULL OR s.is_online IS NOT TRUE OR s.node_kid = ${options.node_kid}::uuid)
        ORDER BY p.send_at LIMIT ${batch_size} FOR UPDATE OF p SKIP LOCKED
      `.execute(trx)
      const held = found.filter(({ is_held }) => is_held)
      const rows = found.filter(({ is_held }) => !is_held)
      const isHere = (row: (typeof rows)[number]) =>
        options.node_kid === null ? row.is_online === true : options.isConnected(row.terminal_kid)
      const configured = rows.filter((row) => isConfigured(row) && isHere(row))
      if (configured.length > 0) await giveChanges(trx, configured, now)
      const here = rows.filter((row) => !isConfigured(row) && isHere(row))
      const sent = [...groupBy(here, (row) => row.terminal_kid)].flatMap(([kid, mine]) =>
        mine.slice(0, Math.max(0, window_size - (in_flight.get(kid) ?? 0))),
      )
      const away = rows.filter((row) => !isHere(row))
      const next = (row: Due, ms: number, is_sent: boolean) => ({
        k: row.push_task_kid,
        t: row.terminal_kid,
        at: new Date(now.getTime() + ms),
        is_sent,
      })
      const later = [
        ...sent.map((row) => next(row, backoff(row), row.cancel_asked_at === null)),
        ...away.map((row) => next(row, parked_ms, false)),
        ...held.map((row) => next(row, held_ms, false)),
      ]
      if (later.length > 0)
        await sql`
          UPDATE push_task_terminal p SET send_at = r.at,
            sent_at = CASE WHEN r.is_sent THEN COALESCE(p.sent_at, ${now}::timestamptz) ELSE p.sent_at END
          FROM jsonb_to_recordset(${JSON.stringify(later)}::jsonb) AS r(k uuid, t uuid, at timestamptz, is_sent boolean)
          WHERE p.push_task_kid = r.k AND p.terminal_kid = r.t
        `.execute(trx)
      const parked = away.map((row) => row.terminal_kid)
      return { due: found.length, parked, work: await gatherParcels(deps, trx, sent), is_given: configured.length > 0 }
    })
    if (is_given) options.wakeConfigs()
    const too_large: Due[] = []
    for (const { row, name, payload } of await writeParcels(deps, work)) {
      if (beyondPacket(row, name, payload)) {
        too_large.push(row)
        continue
      }
      countSend(row)
      send(row, name, payload)
    }
    if (too_large.length > 0) await failTooLarge(deps, too_large)
    await unpark(parked)
    return due
  }

  const backoff = (row: Due): number => resend_ms[Math.min(sends.get(keyOf(row)) ?? 0, resend_ms.length - 1)]!
  /** Once its next time is committed: what was rolled back was not sent. */
  function countSend(row: Due): void {
    if (sends.size > most_remembered) sends.clear()
    sends.set(keyOf(row), (sends.get(keyOf(row)) ?? 0) + 1)
  }

  /** A device may have connected between the reading of its state and the end of that transaction. */
  async function unpark(kids: string[]): Promise<void> {
    const back = options.node_kid === null ? kids : kids.filter((kid) => options.isConnected(kid))
    if (back.length === 0) return
    const { numAffectedRows } = await sql`
      UPDATE push_task_terminal p SET send_at = ${deps.clock.now()} FROM terminal_state s
      WHERE p.terminal_kid = ANY(${back}::uuid[]) AND p.send_at IS NOT NULL
        AND s.terminal_kid = p.terminal_kid AND (${options.node_kid}::uuid IS NOT NULL OR s.is_online)
    `.execute(deps.db)
    if (numAffectedRows) loop.wake()
  }

  function send(row: Due, name: DownName, payload: string): void {
    const kid = row.terminal_kid
    const unacknowledged = (in_flight.get(kid) ?? 0) + 1
    in_flight.set(kid, unacknowledged)
    if (unacknowledged >= window_size) full.add(kid)
    count(name === 'cancel' ? 'cancels_sent' : 'tasks_sent')
    options
      .deliver(kid, downTopic(kid, name), payload)
      .then(
        (delivery) => {
          if (delivery === 'offline' || delivery === 'window_full') count('sends_not_delivered')
        },
        (error: unknown) => {
          count('sends_not_delivered')
          deps.log.debug({ err: error, terminal_kid: kid }, 'a task could not be handed to the broker')
        },
      )
      .finally(() => {
        const left = (in_flight.get(kid) ?? 1) - 1
        if (left > 0) in_flight.set(kid, left)
        else in_flight.delete(kid)
        // At half, so that a device that acknowledges one by one is not sent to one by one.
        if (left <= window_size / 2 && full.delete(kid)) loop.wake()
      })
  }

  /** When the next row falls due, as far as this node knows; what another node makes due is found by looking now and then. */
  let look_at = 0
  async function findNext(): Promise<void> {
    const { rows } = await sql<{ at: Date | null }>`
      SELECT min(send_at) AS at FROM push_task_terminal WHERE send_at IS NOT NULL
    `.execute(deps.db)
    const at = rows[0]?.at?.getTime() ?? Infinity
    look_at = deps.clock.elapsed() + Math.min(at - deps.clock.now().getTime(), unasked_ms)
  }
  const unasked_ms = deps.database.kind === 'embedded' ? alone_ms : shared_ms
  // Every node sends to its own devices, so this is no job of which one node is chosen.
  const stop = deps.clock.every(tick_ms, () => {
    if (deps.clock.elapsed() >= look_at) loop.wake()
    return loop.running()
  })

  return {
    wake: loop.wake,
    /** What these devices are owed is due now, though nothing told the rows that they are back. */
    owe: unpark,
    /** Sends devices that are online again what they work on: a repeat is answered with how it stands. */
    async repeat(): Promise<void> {
      for (let after = '00000000-0000-0000-0000-000000000000'; ;) {
        const { rows } = await sql<{ terminal_kid: string }>`
          SELECT terminal_kid FROM terminal_state WHERE is_online AND terminal_kid > ${after}::uuid
          ORDER BY terminal_kid LIMIT ${repeat_piece}
        `.execute(deps.db)
        const kids = rows.map(({ terminal_kid }) => terminal_kid)
        await sql`
          UPDATE push_task_terminal SET send_at = ${deps.clock.now()}
          WHERE terminal_kid = ANY(${kids}::uuid[]) AND state = ANY(${openStates}::text[])
            AND sent_at IS NOT NULL AND send_at IS NULL AND type <> ALL(${configurationKinds}::text[])
        `.execute(deps.db)
        loop.wake()
        if (kids.length < repeat_piece) return
        after = kids.at(-1)!
      }
    },
    forgetSends(keys: readonly string[]): void {
      for (const key of keys) sends.delete(key)
    },
    /** For work that has ended here while the device goes on with it. */
    cancel(kid: string, { task_kid, attempt }: TaskKey): void {
      count('cancels_sent')
      options
        .deliver(kid, downTopic(kid, 'cancel'), JSON.stringify({ task_kid, attempt }))
        .catch((error: unknown) => deps.log.debug({ err: error, terminal_kid: kid }, 'a cancel could not be sent'))
    },
    async close(): Promise<void> {
      stop()
      await loop.close()
    },
  }
}

/** Devices of one statement. */
const repeat_piece = 1_000

const isConfigured = ({ type }: Due): boolean => configurationKinds.includes(type)
const keyOf = (row: Due): string => `${row.push_task_kid}.${row.terminal_kid}`
