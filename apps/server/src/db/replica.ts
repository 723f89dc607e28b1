import { setTimeout as delay } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type pg from 'pg'
import type { Deps } from '../deps.ts'
import { isUnavailable } from '../lib/database-errors.ts'
import type { OpenOptions } from './client.ts'
import { statementPool } from './postgres.ts'
import { isCollision } from './retrying.ts'
import { scopes } from './scope/scope.ts'
import type { Tables } from './schema/tables.ts'

const look_ms = 5

/** A copy of the database that PostgreSQL streams to, for what reads much and changes nothing. */
export type Replica = {
  kysely: Kysely<Tables>
  /** Whether it shows all that was committed before this was called: it is waited for a moment. False while it cannot be reached. */
  hasCaughtUp(): Promise<boolean>
  /** It failed somebody: others ask the database itself for some seconds. */
  rest(error: unknown): void
  /** Whether it was last asked with success. */
  isUsed(): boolean
  close(): Promise<void>
}

/** `primary` is the database that it copies. */
export function openReplica(
  primary: Queries,
  options: Pick<OpenOptions, 'log' | 'pool_size' | 'statement_timeout_ms'> & {
    url: string
    /** How long it may take to show what a list has to show (500 ms). */
    patience_ms?: number
    /** One that was too far behind, or could not be asked, is let alone for so long (5 s). */
    rest_ms?: number
  },
): Replica {
  const { log, patience_ms = 500, rest_ms = 5_000 } = options
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
  return {
    kysely,
    async hasCaughtUp() {
      if (performance.now() < rests_until) return false
      try {
        await assertCaughtUp(primary, pool, patience_ms)
      } catch (error) {
        rest(error)
        return false
      }
      if (has_failed) log.info({}, 'lists and exports ask the replica again')
      has_failed = false
      return true
    },
    rest,
    isUsed: () => !has_failed,
    close: end,
  }
}

type Queries = Pick<pg.Client, 'query'>

/**
 * @throws unless `replica` shows, within `patience_ms`, all that `primary` has committed by now. A copy of another installation is told by its
 * provider, who is in no other database.
 */
export async function assertCaughtUp(primary: Queries, replica: Queries, patience_ms: number): Promise<void> {
  const { rows } = await primary.query<{ position: string; provider: string | null }>(
    `SELECT pg_current_wal_flush_lsn()::text AS position, (SELECT kid FROM account WHERE type = 101) AS provider`,
  )
  const { position, provider } = rows[0]!
  const shows = async () => {
    const { rows: answer } = await replica.query<{ is_copy: boolean; is_ours: boolean; shows: boolean | null }>(
      `SELECT pg_is_in_recovery() AS is_copy, EXISTS (SELECT FROM account WHERE kid = $2) AS is_ours,
        pg_last_wal_replay_lsn() >= $1 AS shows`,
      [position, provider],
    )
    const { is_copy, is_ours, shows: has_caught_up } = answer[0]!
    if (!is_copy) throw new Error('it is no streaming replica')
    // It may be so far behind that it has no provider yet.
    if (has_caught_up && !is_ours) throw new Error('it is a copy of another installation')
    return has_caught_up === true
  }
  for (const since = performance.now(); !(await shows()); await delay(look_ms))
    if (performance.now() - since > patience_ms) throw new Error('it is behind')
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
    if (from === deps || !isOfReplica(error)) throw error
    deps.replica?.rest(error)
    return read(deps)
  }
}

/**
 * It went away, or PostgreSQL ended a statement that stood in the way of what it replays. One that took too long would take the
 * database itself as long.
 */
const isOfReplica = (error: unknown): boolean =>
  isCollision(error) || (isUnavailable(error) && (error as { code?: unknown }).code !== '57014')
