import { sql } from 'kysely'
import type { MqttClient } from 'mqtt'
import { upTopic } from '@mdm/device-link'
import { isHeard, silent_ms, withClaim } from '../db/claim.ts'
import type { Deps } from '../deps.ts'
import { newKid } from '../lib/ids.ts'
import { listenFor } from './external-listen.ts'

const look_ms = 3_000
/** How long a broker may take to hand over what it has kept. */
const drained_ms = 60_000
/** How long a server that stops waits for what it is taking over. */
const leave_ms = 2_000
/** How long a server that lost its broker keeps its session for itself: a connection that only broke is back sooner. */
const lost_ms = 5_000

/** A connection to the broker under the name of one server, and when all that came over it is committed. */
export type SessionClient = { client: MqttClient; settled(): Promise<void> }
type Connect = (of: { node_kid: string; clean: boolean }) => Promise<SessionClient>

/**
 * An external broker keeps messages for a server that is gone: each has acknowledged them to their devices, and nobody would ever
 * read them. So every server has one session, under its own kid, that is written down before it begins; whoever lives takes over
 * those of servers that do not, or that have lost the broker, commits what is in them, and removes them.
 */
export async function keepSession(deps: Deps, filter: string, connect: Connect) {
  const { db, clock, node_kid } = deps
  let is_noted = false
  const note = async () => {
    deps.memory.claims.held.add(node_kid)
    await db
      .insertInto('broker_session')
      .values({ kid: node_kid, worked_by: node_kid, opened_at: clock.now() })
      .onConflict((row) => row.column('kid').doUpdateSet({ worked_by: node_kid }))
      .execute()
    is_noted = true
  }
  await note()
  const forget = async () => {
    await db.deleteFrom('broker_session').where('kid', '=', node_kid).execute()
    deps.memory.claims.held.delete(node_kid)
  }
  let inheriting: Promise<void> | undefined
  let inherited = () => {}
  /** Undefined while the broker is there. */
  let lost: { at: Date; elapsed: number } | undefined
  let givingUp: Promise<void> | undefined

  /** Whoever looks next takes it over. */
  async function giveUp(): Promise<void> {
    const own = db.updateTable('broker_session').where('kid', '=', node_kid).where('worked_by', '=', node_kid)
    await own.set({ worked_by: null }).execute()
    deps.memory.claims.held.delete(node_kid)
    is_noted = false
  }

  async function inherit(): Promise<void> {
    const wanted = { states: ['open'], where: sql`r.kid <> ${node_kid}`, order: sql`r.opened_at` }
    try {
      if (!is_noted) await note()
      while (
        await withClaim(deps, 'broker_session', wanted, async ({ row, set }) => {
          await drain(deps, filter, row.kid, connect)
          // Not of a server that is back meanwhile: what it listens to would be ended.
          await set({ worked_by: node_kid })
          await endAtBroker(row.kid, connect)
          await db.deleteFrom('broker_session').where('kid', '=', row.kid).where('worked_by', '=', node_kid).execute()
          deps.log.info({ node_kid: row.kid }, 'took over what a broker kept for a server that is gone')
          inherited()
        })
      );
    } catch (error) {
      deps.log.warn({ err: error }, 'what a broker keeps for a server that is gone could not be taken over yet')
    }
  }
  async function lookAround(): Promise<void> {
    if (lost === undefined) return (inheriting ??= inherit().finally(() => (inheriting = undefined)))
    if (!is_noted || clock.elapsed() - lost.elapsed < lost_ms) return
    givingUp ??= giveUp()
      .catch((error: unknown) => deps.log.warn({ err: error }, 'the session at the broker could not be given up yet'))
      .finally(() => (givingUp = undefined))
    await givingUp
  }
  let stop = () => {}

  return {
    /** The broker is away. Its share of what devices say is soon for others, who may still reach the broker. */
    lost(): void {
      lost ??= { at: clock.now(), elapsed: clock.elapsed() }
    },
    /**
     * The broker is there again. Before this has resolved nobody would look after what the broker keeps in a new session. The
     * answer: since when it was away, and whether another server has ended the session meanwhile.
     */
    async reopened(): Promise<{ lost_at: Date | undefined; was_ended: boolean }> {
      const lost_at = lost?.at
      lost = undefined
      await givingUp
      const row = await db
        .selectFrom('broker_session')
        .select('worked_by')
        .where('kid', '=', node_kid)
        .executeTakeFirst()
      await note()
      return { lost_at, was_ended: row === undefined || (row.worked_by !== null && row.worked_by !== node_kid) }
    },
    /**
     * From now on; not before this server listens, as messages for which nobody listens are lost. `then` is called after each:
     * what the broker had kept may be less than what it was given.
     */
    inheritOthers(then: () => void): void {
      inherited = then
      stop = clock.every(look_ms, lookAround)
      void lookAround()
    },
    /** Whether another server reads what devices say from now on. */
    async hasOthers(): Promise<boolean> {
      if (deps.database.kind === 'embedded') return false
      const { rows } = await sql`
        SELECT FROM broker_session s JOIN node ON node.kid = s.worked_by
        WHERE s.kid = s.worked_by AND s.kid <> ${node_kid} AND ${isHeard(silent_ms)} LIMIT 1
      `.execute(db)
      return rows.length > 0
    },
    /** A session that the broker does not have. */
    forget,
    /** Before anything was sent to it. */
    async end(): Promise<void> {
      await endAtBroker(node_kid, connect)
      await forget()
    },
    /** What is left in the session is for whoever looks next. */
    async leave(): Promise<void> {
      stop()
      // What is not taken over by then is another server's to take over.
      let stopWaiting = () => {}
      const long_enough = new Promise<void>((resolve) => (stopWaiting = clock.after(leave_ms, resolve)))
      await Promise.race([inheriting, long_enough])
      stopWaiting()
      try {
        await giveUp()
      } catch (error) {
        deps.log.warn({ err: error }, 'the session at the broker is free only once this server is believed gone')
        deps.memory.claims.held.delete(node_kid)
      }
    },
  }
}

/** Commits what the broker has kept for a server, which gets nothing more from now on. */
async function drain(deps: Deps, filter: string, node_kid: string, connect: Connect): Promise<void> {
  const { client, settled } = await connect({ node_kid, clean: false })
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
async function endAtBroker(node_kid: string, connect: Connect): Promise<void> {
  const { client } = await connect({ node_kid, clean: true })
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
