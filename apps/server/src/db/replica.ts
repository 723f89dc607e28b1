import { setTimeout as delay } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type pg from 'pg'
import type { Deps } from '../deps.ts'
import { Refusal } from '../refusal.ts'
import type { OpenOptions } from './client.ts'
import { statementPool } from './postgres.ts'
import { scopes } from './scope/scope.ts'
import type { Tables } from './schema/tables.ts'

/** A replica that has not replayed in this time what a list has to show is too far behind. */
const patience_ms = 200
const look_ms = 5
/** One that was too far behind, or could not be asked, is let alone for so long. */
const rest_ms = 5_000

/** A copy of the database that PostgreSQL streams to, for what reads much and changes nothing. */
export type Replica = {
  kysely: Kysely<Tables>
  /** Whether it shows all that was committed before this was called: it is waited for a moment. False while it cannot be reached. */
  hasCaughtUp(): Promise<boolean>
  /** It failed somebody: others ask the database itself for some seconds. */
  rest(error: unknown): void
  close(): Promise<void>
}

/** `primary` is the database that it copies. */
export function openReplica(
  primary: pg.Pool,
  options: Pick<OpenOptions, 'log' | 'pool_size' | 'statement_timeout_ms'> & { url: string },
): Replica {
  const { log } = options
  const { pool, kysely, end, watch } = statementPool(options)
  watch('the replica')
  let rests_until = 0
  let has_failed = false
  const rest = (error: unknown) => {
    rests_until = performance.now() + rest_ms
    if (!has_failed)
      log.warn({ error: String(error) }, 'the replica is not used: lists and exports ask the database itself')
    has_failed = true
  }
  /** Whoever runs the provider is in no other database: a copy of another one is not read. */
  const shows = async (position: string, provider: string | null) => {
    const { rows } = await pool.query<{ shows: boolean | null }>(
      `SELECT pg_last_wal_replay_lsn() >= $1 AND EXISTS (SELECT FROM account WHERE kid = $2) AS shows`,
      [position, provider],
    )
    return rows[0]!.shows === true
  }
  async function catchUp(): Promise<void> {
    const { rows } = await primary.query<{ position: string; provider: string | null }>(
      `SELECT pg_current_wal_flush_lsn()::text AS position, (SELECT kid FROM account WHERE type = 101) AS provider`,
    )
    const { position, provider } = rows[0]!
    for (const since = performance.now(); !(await shows(position, provider)); await delay(look_ms))
      if (performance.now() - since > patience_ms)
        throw new Error('it is too far behind, or no replica of this database')
  }
  return {
    kysely,
    async hasCaughtUp() {
      if (performance.now() < rests_until) return false
      try {
        await catchUp()
      } catch (error) {
        rest(error)
        return false
      }
      if (has_failed) log.info({}, 'lists and exports ask the replica again')
      has_failed = false
      return true
    },
    rest,
    close: end,
  }
}

/** These, reading from the replica if there is one that shows all that is committed by now: for what changes nothing. */
export async function readable(deps: Deps): Promise<Deps> {
  const { replica } = deps
  if (!replica || !(await replica.hasCaughtUp())) return deps
  return { ...deps, db: replica.kysely, scope: scopes(replica.kysely) }
}

/** What `read` answers from the replica where that can be had, else from the database itself. */
export async function reading<T>(deps: Deps, read: (from: Deps) => Promise<T>): Promise<T> {
  const from = await readable(deps)
  try {
    return await read(from)
  } catch (error) {
    if (from === deps || error instanceof Refusal) throw error
    // It went away, or PostgreSQL ended a statement that stood in the way of what it replays.
    deps.replica?.rest(error)
    return read(deps)
  }
}
