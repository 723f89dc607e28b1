import type { MqttClient } from 'mqtt'
import type { Deps } from '../deps.ts'
import type { Connect } from './external-client.ts'
import { endAtBroker } from './external-sessions.ts'
import { endConnectionsAt } from './presence.ts'

const look_ms = 3_000
/** How long a connection that lost the broker keeps its session for itself: one that only broke is back sooner. */
const lost_ms = 5_000

/** From the moment in which the broker was lost until what that changed is dealt with, over however many tries. */
type Outage = { at: Date; elapsed: number; is_kept: boolean; was_ended: boolean }

export type Connection = {
  kid: string
  client: MqttClient
  isLost(): boolean
  listen(): Promise<unknown>
  /** Its part of what devices say is for others, from now on. */
  leaveShare(): Promise<unknown>
  /** What the broker keeps in the session is for whoever looks next: of one that has ended. */
  giveUp(): Promise<void>
  /** Ends it before anything was sent to it. */
  abandon(): Promise<void>
}

/**
 * One connection of this server to the broker. The broker keeps a session for it, under its `kid`, that is written down
 * (`broker_session`) before it begins. A connection that is lost for some seconds gives its session up. `isBack` is told after
 * each outage whether the broker had kept the session.
 */
export async function openConnection(
  deps: Deps,
  {
    kid,
    filter,
    connect,
    isBack,
  }: { kid: string; filter: string; connect: Connect; isBack: (is_kept: boolean) => void },
): Promise<Connection> {
  const { db, clock, node_kid, memory } = deps
  let is_noted = false
  const note = async () => {
    memory.claims.held.add(kid)
    await db
      .insertInto('broker_session')
      .values({ kid, worked_by: node_kid, opened_at: clock.now() })
      .onConflict((row) => row.column('kid').doUpdateSet({ worked_by: node_kid }))
      .execute()
    is_noted = true
  }
  const forget = async () => {
    await db.deleteFrom('broker_session').where('kid', '=', kid).execute()
    memory.claims.held.delete(kid)
  }
  async function giveUp(): Promise<void> {
    const own = db.updateTable('broker_session').where('kid', '=', kid).where('worked_by', '=', node_kid)
    await own.set({ worked_by: null }).execute()
    memory.claims.held.delete(kid)
    is_noted = false
  }
  async function giveUpForGood(): Promise<void> {
    stop()
    try {
      await giveUp()
    } catch (error) {
      deps.log.warn({ err: error }, 'the session at the broker is free only once this server is believed gone')
      memory.claims.held.delete(kid)
    }
  }
  const isEnded = async () => {
    const row = await db.selectFrom('broker_session').select('worked_by').where('kid', '=', kid).executeTakeFirst()
    return row === undefined || (row.worked_by !== null && row.worked_by !== node_kid)
  }

  await note()
  const { client } = await connect({ kid, clean: false, reconnects: true }).catch(async (error: unknown) => {
    await forget()
    throw error
  })
  let outage: Outage | undefined
  let givingUp: Promise<void> | undefined
  const lost = () => (outage ??= { at: clock.now(), elapsed: clock.elapsed(), is_kept: true, was_ended: false })

  /** Until it listens again, nobody would look after what the broker keeps in a new session: it is written down first. */
  async function reopen(is_kept: boolean): Promise<void> {
    const { stream } = client
    const found = lost()
    found.is_kept &&= is_kept
    try {
      await givingUp
      found.was_ended ||= await isEnded()
      await note()
      // A broker that was killed remembers no session: the connections of devices ended with it, and nobody tells their ends.
      if (!found.is_kept && !found.was_ended) await endConnectionsAt(deps, found.at)
      await client.subscribeAsync(filter, { qos: 1 })
      if (client.stream !== stream) return
      outage = undefined
      isBack(found.is_kept)
    } catch (error) {
      deps.log.warn({ err: error }, 'external MQTT broker: connecting once more')
      stream.destroy()
    }
  }
  client.on('connect', ({ sessionPresent }) => void reopen(sessionPresent))
  client.on('close', () => {
    lost()
    deps.log.warn({ session: kid }, 'connection to the external MQTT broker closed')
  })
  const stop = clock.every(look_ms, async () => {
    if (!outage || client.connected || !is_noted || clock.elapsed() - outage.elapsed < lost_ms) return
    givingUp ??= giveUp()
      .catch((error: unknown) => deps.log.warn({ err: error }, 'the session at the broker could not be given up yet'))
      .finally(() => (givingUp = undefined))
    await givingUp
  })
  return {
    ...{ kid, client },
    isLost: () => outage !== undefined,
    listen: () => client.subscribeAsync(filter, { qos: 1 }),
    leaveShare: async () => client.connected && client.unsubscribeAsync(filter),
    giveUp: giveUpForGood,
    async abandon() {
      await client.endAsync(true)
      await endAtBroker(kid, connect)
        .then(forget)
        .catch(() => giveUpForGood())
      stop()
    },
  }
}
