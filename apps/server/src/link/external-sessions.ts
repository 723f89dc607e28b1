import { sql } from 'kysely'
import type { MqttClient } from 'mqtt'
import { upTopic } from '@mdm/device-link'
import { isHeard, silent_ms, withClaim } from '../db/claim.ts'
import type { Deps } from '../deps.ts'
import { newKid } from '../lib/ids.ts'
import type { Connect } from './external-client.ts'
import { listenFor } from './external-listen.ts'

const look_ms = 3_000
/** How long a broker may take to hand over what it has kept. */
const drained_ms = 60_000
/** How long a server that stops waits for what it is taking over. */
const leave_ms = 2_000

/**
 * An external broker keeps messages for a server that is gone: it has acknowledged them to their devices, and nobody would ever
 * read them. So whoever lives takes over the sessions of connections whose servers do not, or have lost the broker,
 * commits what is in them, and removes them. `own` are this server's. It begins at once, and not before this server listens,
 * as messages for which nobody listens are lost. `taken` is called after each: what the broker had kept may be less than what
 * it was given.
 */
export function takeOver(
  deps: Deps,
  {
    own,
    filter,
    connect,
    isPossible,
    taken,
  }: {
    own: readonly string[]
    filter: string
    connect: Connect
    isPossible: () => boolean
    taken: () => void
  },
): { stop(): Promise<void> } {
  const { clock, db, node_kid } = deps
  let taking: Promise<void> | undefined

  async function takeAll(): Promise<void> {
    const wanted = { states: ['open'], where: sql`r.kid <> ALL(${[...own]}::uuid[])`, order: sql`r.opened_at` }
    try {
      while (
        await withClaim(deps, 'broker_session', wanted, async ({ row, set }) => {
          await drain(deps, filter, row.kid, connect)
          // Not of a server that is back meanwhile: what it listens to would be ended.
          await set({ worked_by: node_kid })
          await endAtBroker(row.kid, connect)
          await db.deleteFrom('broker_session').where('kid', '=', row.kid).where('worked_by', '=', node_kid).execute()
          deps.log.info({ session: row.kid }, 'took over what a broker kept for a server that is gone')
          taken()
        })
      );
    } catch (error) {
      deps.log.warn({ err: error }, 'what a broker keeps for a server that is gone could not be taken over yet')
    }
  }
  async function look(): Promise<void> {
    if (isPossible()) await (taking ??= takeAll().finally(() => (taking = undefined)))
  }
  const stopLooking = clock.every(look_ms, look)
  void look()
  return {
    /** What is not taken over within two seconds is another server's to take over. */
    async stop() {
      stopLooking()
      let stopWaiting = () => {}
      const long_enough = new Promise<void>((resolve) => (stopWaiting = clock.after(leave_ms, resolve)))
      await Promise.race([taking, long_enough])
      stopWaiting()
    },
  }
}

/** Whether another server reads what devices say from now on: the first connection of each is named as its server. */
export async function hasOthers({ db, database, node_kid }: Deps): Promise<boolean> {
  if (database.kind === 'embedded') return false
  const { rows } = await sql`
    SELECT FROM broker_session s JOIN node ON node.kid = s.worked_by
    WHERE s.kid = s.worked_by AND s.kid <> ${node_kid} AND ${isHeard(silent_ms)} LIMIT 1
  `.execute(db)
  return rows.length > 0
}

/** Commits what the broker has kept for a server, which gets nothing more from now on. */
async function drain(deps: Deps, filter: string, kid: string, connect: Connect): Promise<void> {
  const { client, settled } = await connect({ kid, clean: false, reconnects: false })
  try {
    await client.unsubscribeAsync(filter)
    await lastMessage(deps, client)
    await settled()
    await client.endAsync()
  } catch (error) {
    await client.endAsync(true)
    throw error
  }
}

/** A session that is begun anew, not to be kept, is one that the broker has no more. */
export async function endAtBroker(kid: string, connect: Connect): Promise<void> {
  const { client } = await connect({ kid, clean: true, reconnects: false })
  await client.endAsync()
}

/** A queue is read in its order: once a message that is sent to it now has come, all before it have. */
async function lastMessage(deps: Deps, client: MqttClient): Promise<void> {
  const topic = upTopic(newKid(), 'gone')
  const closed = new Promise<boolean>((resolve) => client.once('close', () => resolve(false)))
  const { came, stop } = listenFor(deps, client, { topic, most_ms: drained_ms })
  try {
    await client.subscribeAsync(topic, { qos: 1 })
    await client.publishAsync(topic, JSON.stringify({ epoch: 'of no device' }), { qos: 1 })
    if (!(await Promise.race([came, closed]))) throw new Error('the broker did not hand over what it has kept')
  } finally {
    stop()
  }
}
