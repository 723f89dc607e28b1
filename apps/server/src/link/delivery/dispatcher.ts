import { sql } from 'kysely'
import { transactionThen } from '../../db/after-commit.ts'
import type { Deps } from '../../deps.ts'
import { wakeLoop } from '../../lib/background.ts'
import type { WakeLoop } from '../../lib/background.ts'
import { count } from '../stats.ts'
import { beyondPacket } from './owed.ts'
import type { Beyond, Owed, OwedRow, Parcel } from './owed.ts'
import type { Transport } from './transport.ts'

/** Unacknowledged messages to one device; the rest waits in the database. */
const window_size = 16
const tick_ms = 1_000
/** So long may go unnoticed what became due without a waking: by another server, or by a device that changed its group. */
const unasked_ms = { embedded: 10_000, postgres: 3_000 }

/**
 * Sends devices what they are owed: takes what is due, hands it to the transport, and looks again when the next row falls due or
 * somebody wakes it. All kinds share one window for each device. Devices of other nodes are theirs.
 */
export function startDispatcher(deps: Deps, transport: Pick<Transport, 'deliver'>) {
  const unacknowledged = new Map<string, number>()
  /** Devices whose window is full: what they are owed is looked at again when they have acknowledged some. */
  const full = new Set<string>()
  const loops: WakeLoop[] = []
  const stops: (() => void)[] = []
  const room = (kid: string) => Math.max(0, window_size - (unacknowledged.get(kid) ?? 0))

  /** Sends what is owed of this kind, from now on. */
  function begin<Row extends OwedRow>(owed: Owed<Row>): { wake(): void; sent(): Promise<void> } {
    let look_at = 0
    let batches = 0
    const waiting = new Set<{ since: number; resolve(): void }>()
    const loop = wakeLoop(
      async (isClosed) => {
        let batch = 0
        do batch = batches += 1
        while (!isClosed() && (await sendDue(owed, loop)) === owed.batch_size)
        for (const one of waiting) if (one.since < batch && waiting.delete(one)) one.resolve()
        look_at = deps.clock.elapsed() + Math.min(await dueIn(owed), unasked_ms[deps.database.kind])
      },
      // The next tick tries again: what is owed is still in the database.
      (error) => deps.log.warn({ err: error, table: owed.table }, 'sending of what is owed failed'),
    )
    loops.push(loop)
    // Every node sends to its own devices, so this is no job of which one node is chosen.
    stops.push(
      deps.clock.every(tick_ms, () => {
        if (deps.clock.elapsed() >= look_at) loop.wake()
        return loop.running()
      }),
    )
    return {
      wake: loop.wake,
      /** Resolves once what was due by now has been handed on: not when nobody wakes the loop any more, which may be never. */
      async sent() {
        const drained = new Promise<void>((resolve) => waiting.add({ since: batches, resolve }))
        loop.wake()
        await Promise.race([drained, loop.running()])
      },
    }
  }

  /** One batch; says how many rows were due. */
  async function sendDue<Row extends OwedRow>(owed: Owed<Row>, loop: WakeLoop): Promise<number> {
    const now = deps.clock.now()
    const { due, away, write } = await transactionThen(deps.db, async (trx, after) =>
      owed.take({ trx, now, after, full: [...full], room }),
    )
    const too_large: { row: Row; beyond: Beyond }[] = []
    for (const parcel of await write()) {
      const beyond = beyondPacket(parcel)
      if (beyond) too_large.push({ row: parcel.row, beyond })
      else send(parcel)
    }
    if (too_large.length > 0) await owed.refuseLarge(too_large)
    if (away.length > 0 && (await owed.recall?.(away))) loop.wake()
    return due
  }

  function send({ row: { terminal_kid: kid }, name, payload }: Parcel<OwedRow>): void {
    const open = (unacknowledged.get(kid) ?? 0) + 1
    unacknowledged.set(kid, open)
    if (open >= window_size) full.add(kid)
    transport
      .deliver(kid, name, payload)
      .then(
        (delivery) => {
          if (delivery === 'offline' || delivery === 'window_full') count('sends_not_delivered')
        },
        (error: unknown) => {
          count('sends_not_delivered')
          deps.log.debug({ err: error, terminal_kid: kid, name }, 'a message could not be handed to the broker')
        },
      )
      .finally(() => {
        const left = (unacknowledged.get(kid) ?? 1) - 1
        if (left > 0) unacknowledged.set(kid, left)
        else unacknowledged.delete(kid)
        // At half, so that a device that acknowledges one by one is not sent to one by one.
        if (left <= window_size / 2 && full.delete(kid)) for (const loop of loops) loop.wake()
      })
  }

  /** Milliseconds until the next row falls due, as far as this node knows. */
  async function dueIn({ table }: Pick<Owed<OwedRow>, 'table'>): Promise<number> {
    const { rows } = await sql<{ at: Date | null }>`
      SELECT min(send_at) AS at FROM ${sql.table(table)} WHERE send_at IS NOT NULL
    `.execute(deps.db)
    return (rows[0]?.at?.getTime() ?? Infinity) - deps.clock.now().getTime()
  }

  return {
    begin,
    async close(): Promise<void> {
      for (const stop of stops) stop()
      await Promise.all(loops.map((loop) => loop.close()))
    },
  }
}
