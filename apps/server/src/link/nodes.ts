import { networkInterfaces } from 'node:os'
import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import { isHeard } from '../db/claim.ts'
import type { Deps } from '../deps.ts'
import { endSessionsOf } from './presence.ts'
import { clockDoubt } from '../lib/clock-watch.ts'

const heartbeat_ms = { postgres: 3_000, embedded: 60_000 }
const dead_after_ms = 30_000

/**
 * Registers this server among the nodes and keeps saying that it lives. Nodes that have stopped saying so are buried: their
 * connections have ended. On the embedded database, which has one server at a time, that is every other one.
 */
export async function startNode(deps: Deps): Promise<{ beat(): Promise<void>; close(): Promise<void> }> {
  const now = deps.clock.now()
  await deps.db.insertInto('node').values({ kid: deps.node_kid, started_at: now, seen_at: now }).execute()
  // On the embedded database there is one server at a time: whatever the clock says, the others are gone.
  if (deps.database.kind === 'embedded' || !clockDoubt(deps))
    await endDeadNodes(deps, deps.database.kind === 'embedded')
  const stop = deps.clock.every(heartbeat_ms[deps.database.kind], () => beat(deps))
  return {
    beat: () => beat(deps),
    async close() {
      stop()
      await deps.db.deleteFrom('node').where('kid', '=', deps.node_kid).execute()
    },
  }
}

async function beat(deps: Deps): Promise<void> {
  const now = deps.clock.now()
  const doubt = clockDoubt(deps)
  const clock_doubt = doubt ? JSON.stringify(doubt) : null
  const url = nodeUrl(deps)
  try {
    await deps.db
      .insertInto('node')
      .values({ kid: deps.node_kid, started_at: now, seen_at: now, clock_doubt, url })
      // Also when another one took this node for dead, because it was stopped for a while.
      .onConflict((row) => row.column('kid').doUpdateSet({ seen_at: now, heard_at: sql`now()`, clock_doubt, url }))
      .execute()
  } catch (error) {
    deps.log.warn({ err: error }, 'the heartbeat of this server could not be written')
  }
}

/** Where other servers reach this one; null until it listens. */
function nodeUrl({ config }: Deps): string | null {
  const { host, port } = config.http
  if (config.node_url !== undefined) return config.node_url
  if (port === 0) return null
  const is_any = host === '0.0.0.0' || host === '::'
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  const first = addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1'
  const own = is_any ? first : host
  return `http://${own.includes(':') ? `[${own}]` : own}:${port}`
}

/** Of a row of `node`, as far as this server can tell; of itself it knows. */
export const isAlive = ({ node_kid }: Deps): RawBuilder<boolean> =>
  sql<boolean>`(node.kid = ${node_kid} OR ${isHeard(dead_after_ms)})`

export async function endDeadNodes(deps: Deps, all_others = false): Promise<void> {
  const dead = await deps.db
    .selectFrom('node')
    .select('kid')
    .where('kid', '!=', deps.node_kid)
    .$if(!all_others, (q) => q.where(sql<boolean>`NOT ${isHeard(dead_after_ms)}`))
    .execute()
  const kids = dead.map(({ kid }) => kid)
  if (kids.length === 0) return
  // First their devices, then they themselves: a crash in between leaves them to be found again.
  await endSessionsOf(deps, kids)
  await deps.db.deleteFrom('node').where('kid', 'in', kids).execute()
  deps.log.info({ nodes: kids }, 'ended the sessions of servers that are gone')
}
