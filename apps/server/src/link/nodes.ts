import { networkInterfaces } from 'node:os'
import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import { isHeard } from '../db/claim.ts'
import type { Deps } from '../deps.ts'
import { assertSameFiles, placeOfFiles } from './place-of-files.ts'
import { endSessionsOf } from './presence.ts'
import { serverVersion } from '../lib/version.ts'
import { clockDoubt } from '../lib/clock-watch.ts'

const heartbeat_ms = { postgres: 3_000, embedded: 60_000 }
const dead_after_ms = 30_000
const apart_ms = 2_000
const apart_max_ms = 2 ** 31 - 1

/** Whether a clock is no further from the database's than people and codes notice. */
export const clocksAgree = (clock_apart_ms: number): boolean => Math.abs(clock_apart_ms) <= apart_ms

/**
 * Registers this server among the nodes and keeps saying that it lives. Nodes that have stopped saying so are buried: their
 * connections have ended. On the embedded database, which has one server at a time, that is every other one.
 */
export async function startNode(deps: Deps): Promise<{ beat(): Promise<void>; close(): Promise<void> }> {
  const files = await placeOfFiles(deps.config)
  await deps.database.exclusive('nodes', async () => {
    await assertSameFiles(deps, files)
    const now = deps.clock.now()
    await deps.db
      .insertInto('node')
      .values({ kid: deps.node_kid, started_at: now, seen_at: now, files, version: serverVersion() })
      .execute()
  })
  // On the embedded database there is one server at a time: whatever the clock says, the others are gone.
  if (deps.database.kind === 'embedded' || !clockDoubt(deps))
    await endDeadNodes(deps, deps.database.kind === 'embedded')
  const stop = deps.clock.every(heartbeat_ms[deps.database.kind], () => beat(deps, files))
  return {
    beat: () => beat(deps, files),
    async close() {
      stop()
      await deps.db.deleteFrom('node').where('kid', '=', deps.node_kid).execute()
    },
  }
}

async function beat(deps: Deps, files: string | null): Promise<void> {
  const now = deps.clock.now()
  const doubt = clockDoubt(deps)
  const clock_doubt = doubt ? JSON.stringify(doubt) : null
  const url = nodeUrl(deps)
  const { clock_apart_ms = null } = deps.memory
  const said = { seen_at: now, clock_doubt, url, files, clock_apart_ms, version: serverVersion() }
  try {
    const { heard_at } = await deps.db
      .insertInto('node')
      .values({ kid: deps.node_kid, started_at: now, ...said })
      // Also when another one took this node for dead, because it was stopped for a while.
      .onConflict((row) => row.column('kid').doUpdateSet({ ...said, heard_at: sql`clock_timestamp()` }))
      .returning('heard_at')
      .executeTakeFirstOrThrow()
    if (deps.database.kind === 'postgres') noteClocks(deps, now, heard_at)
  } catch (error) {
    deps.log.warn({ err: error }, 'the heartbeat of this server could not be written')
  }
}

/** The database's clock is the one that all servers share. An answer that took long says too little of it. */
function noteClocks(deps: Deps, asked_at: Date, heard_at: Date): void {
  const { memory, log, clock } = deps
  const took_ms = clock.now().getTime() - asked_at.getTime()
  if (took_ms < 0 || took_ms > apart_ms) return
  const before = memory.clock_apart_ms ?? 0
  // A column of whole numbers holds 24 days; a clock that is further off is as wrong.
  const exact = Math.round(asked_at.getTime() + took_ms / 2 - heard_at.getTime())
  const apart = Math.max(-apart_max_ms, Math.min(apart_max_ms, exact))
  memory.clock_apart_ms = apart
  if (clocksAgree(before) && !clocksAgree(apart))
    log.warn({ clock_apart_ms: apart }, 'the clock of this server and that of the database differ: run a time service')
  if (!clocksAgree(before) && clocksAgree(apart)) log.info({ clock_apart_ms: apart }, 'the clocks agree again')
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
