import type { Up } from '@mdm/device-link'
import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import { records } from '../db/records.ts'
import type { Deps } from '../deps.ts'
import type { Item } from './inbound/items.ts'
import type { Peer } from './peer.ts'

/**
 * How long a connection may be missing before the device counts as offline. The console shows a device that leaves within
 * 2 s, so the grace covers no more than an immediate reconnect; half-open connections have had their keepalive and a half
 * before the broker reports their end at all.
 */
export const offline_grace_ms = 1_500

type Session = { peer: Peer; hello_epoch: string | undefined; is_ending: boolean }

/** Who is connected to this node, by epoch; what that changes goes through the same commits as everything else. */
export function trackPresence(deps: Deps, options: { enqueue(item: Item): void; node_kid: string | null }) {
  const sessions = new Map<string, Session>()

  function connected(peer: Peer): void {
    sessions.set(peer.kid, { peer, hello_epoch: undefined, is_ending: false })
    options.enqueue({ kind: 'connected', kid: peer.kid, at: deps.clock.now(), peer, node_kid: options.node_kid })
  }

  /** Told for every connection that ends; only the end of the current one counts, once its grace is over. */
  function disconnected(kid: string, epoch: string, is_asleep = false): void {
    const at = deps.clock.now()
    const session = sessions.get(kid)
    if (session?.peer.epoch !== epoch) return options.enqueue({ kind: 'disconnected', kid, epoch, at, is_asleep })
    if (session.is_ending) return
    session.is_ending = true
    deps.clock.after(offline_grace_ms, () => {
      if (sessions.get(kid) === session) sessions.delete(kid)
      options.enqueue({ kind: 'disconnected', kid, epoch, at, is_asleep })
    })
  }

  return {
    connected,
    disconnected: (kid: string, epoch: string) => disconnected(kid, epoch),
    /** The device names its own epoch in hello and in its will. */
    hello(kid: string, hello_epoch: string): void {
      const session = sessions.get(kid)
      if (!session) return
      session.hello_epoch = hello_epoch
      session.is_ending = false
    },
    gone(kid: string, { epoch: hello_epoch, is_asleep }: Up['gone']): void {
      const session = sessions.get(kid)
      if (session?.hello_epoch === hello_epoch) disconnected(kid, session.peer.epoch, is_asleep)
    },
    /** Whether this connection's device introduced itself; a connection that is gone needs nothing any more. */
    hasGreeted: (kid: string, epoch: string): boolean => {
      const session = sessions.get(kid)
      return session?.peer.epoch !== epoch || session.hello_epoch !== undefined
    },
    isConnected: (kid: string): boolean => {
      const session = sessions.get(kid)
      return session !== undefined && !session.is_ending
    },
    size: (): number => sessions.size,
  }
}

/**
 * Sets offline the devices whose connections were to one of these nodes, because the node is no more. Of one that closed
 * in good order they end now; of one that was killed when it was last known to live: by its heartbeat or by what any
 * device told it.
 */
export async function endSessionsOf(deps: Deps, node_kids: readonly string[]): Promise<void> {
  if (node_kids.length === 0) return
  const ends = await lastSigns(deps, node_kids)
  await setOffline(
    deps,
    sql`
      WITH node_end AS (${ends}), gone AS (
        SELECT terminal_kid FROM terminal_state WHERE is_online AND node_kid = ANY(${[...node_kids]}::uuid[]) AND silent_at IS NULL
        ORDER BY terminal_kid LIMIT ${piece} FOR NO KEY UPDATE
      )
      UPDATE terminal_state s SET is_online = false, last_online_at = GREATEST(s.connected_at, n.at)
      FROM gone, node_end n WHERE s.terminal_kid = gone.terminal_kid AND n.kid = s.node_kid
      RETURNING s.account_kid`,
  )
  // Also of devices that have come back to another server since: their state names a later session.
  await sql`
    WITH node_end AS (${ends})
    UPDATE terminal_session t SET is_lost = n.is_lost,
      disconnected_at = LEAST(GREATEST(t.connected_at, n.at), (
        SELECT min(later.connected_at) FROM terminal_session later
        WHERE later.account_kid = t.account_kid AND later.terminal_kid = t.terminal_kid AND later.connected_at > t.connected_at))
    FROM node_end n WHERE t.node_kid = n.kid AND t.disconnected_at IS NULL
  `.execute(deps.db)
}

/**
 * Sets devices offline whose broker, somebody else's, ended at this time without a word. Who has come back says hello and
 * is online from then on.
 */
export const endConnectionsAt = (deps: Deps, at: Date): Promise<void> =>
  endUntold(deps, sql`connected_at < ${at}`, sql`${at}::timestamptz`)

/** Sets devices offline that somebody else's broker has not told of since: it lost their ends. They were heard of last. */
export const endSilentSince = (deps: Deps, since: Date): Promise<void> =>
  endUntold(deps, sql`GREATEST(last_contact_at, connected_at) < ${since}`, sql`GREATEST(last_contact_at, connected_at)`)

/** Of rows of terminal_state, with their sessions; nobody tells of these ends. */
const endUntold = (deps: Deps, which: RawBuilder<unknown>, at: RawBuilder<unknown>): Promise<void> =>
  setOffline(
    deps,
    sql`
      WITH gone AS (
        SELECT account_kid, terminal_kid, epoch, ${at} AS at FROM terminal_state
        WHERE is_online AND node_kid IS NULL AND silent_at IS NULL AND ${which}
        ORDER BY terminal_kid LIMIT ${piece} FOR NO KEY UPDATE
      ), session AS (
        UPDATE terminal_session t SET disconnected_at = gone.at, is_lost = true FROM gone
        WHERE t.account_kid = gone.account_kid AND t.terminal_kid = gone.terminal_kid AND t.epoch = gone.epoch
          AND t.connected_at <= gone.at AND t.disconnected_at IS NULL
      )
      UPDATE terminal_state s SET is_online = false, last_online_at = gone.at
      FROM gone WHERE s.terminal_kid = gone.terminal_kid
      RETURNING s.account_kid`,
  )

/** Devices of one statement: each is short, however large the fleet. */
const piece = 5_000
/** Repeats the statement until it finds fewer devices than a piece, and tells their accounts. */
async function setOffline(deps: Deps, statement: RawBuilder<{ account_kid: string }>): Promise<void> {
  for (;;) {
    const { rows } = await statement.execute(deps.db)
    for (const account_kid of new Set(rows.map((row) => row.account_kid)))
      deps.live.publish(account_kid, { type: 'terminal_list_changed' })
    if (rows.length < piece) return
  }
}

/** Rows (kid, at, is_lost), one for each node, as a part of a statement. */
async function lastSigns(deps: Deps, node_kids: readonly string[]) {
  const now = deps.clock.now()
  const { rows } = await sql<{ kid: string; at: Date | null }>`
    SELECT k.kid, GREATEST(
      (SELECT seen_at FROM node n WHERE n.kid = k.kid),
      (SELECT max(last_contact_at) FROM terminal_state s WHERE s.is_online AND s.node_kid = k.kid),
      (SELECT max(connected_at) FROM terminal_state s WHERE s.is_online AND s.node_kid = k.kid)) AS at
    FROM unnest(${[...node_kids]}::uuid[]) AS k(kid)
  `.execute(deps.db)
  const signs = rows.map(({ kid, at }) => {
    const is_lost = kid !== deps.node_kid
    return { kid, at: is_lost && at && at < now ? at : now, is_lost }
  })
  return sql`SELECT * FROM ${records(signs).as('r(kid uuid, at timestamptz, is_lost boolean)')}`
}
