import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { connectionLost, unusable } from '../lib/database-errors.ts'
import { Listener } from './listener.ts'
import { vacuumTables } from './maintenance.ts'
import { KeepingClient } from './kept-plans.ts'
import type { DatabaseLog } from './log.ts'
import { migrate } from './schema/migrate.ts'
import { notifyOn } from './notify.ts'
import { safePool } from './pool.ts'
import { takePulse } from './pulse.ts'
import type { Database, OpenOptions } from './client.ts'
import type { Tables } from './schema/tables.ts'

const connect_ms = 5_000
/** Every server says it of its connections. */
export const server_application = 'mdm'
/** The exclusive section in which a server that starts looks at the schema and changes it. */
export const schema_lock = 'migrations'
/**
 * Lists are many short statements: a worker or a compiled expression costs more than it gives, and neither solid-state
 * disks nor cached pages make an index four times as dear as a scan. `options` of the URL come instead of these.
 */
export const planner_options = '-c random_page_cost=1.1 -c max_parallel_workers_per_gather=0 -c jit=off'
/** The oldest PostgreSQL that the tests run against. */
const oldest_version = 15

export async function openPostgres(options: OpenOptions & { url: string }): Promise<Database> {
  const { log } = options
  const unbounded = connectionTo(options.url)
  const { pool, kysely, end, watch } = statementPool(options)
  const listener = new Listener(unbounded, log)
  const exclusive = advisoryLocks(unbounded, log)
  /** Migrations and VACUUM may take their time, on connections of their own. */
  const atLength = async <T>(work: (db: Kysely<any>) => Promise<T>): Promise<T> => {
    const long = safePool({ ...unbounded, max: 2 }, log)
    try {
      return await work(new Kysely<any>({ dialect: new PostgresDialect({ pool: long.pool }) }))
    } finally {
      await long.end()
    }
  }
  try {
    const { rows } = await pool.query<{ version: string }>(`select current_setting('server_version_num') as version`)
    const version = Math.floor(Number(rows[0]?.version) / 10_000)
    if (version < oldest_version)
      throw unusable(`PostgreSQL ${version} is too old, ${oldest_version} or later is needed`)
    await exclusive(schema_lock, () => atLength((db) => migrate(db, options.migrations, log)))
    log.info({ version }, 'PostgreSQL ready')
  } catch (error) {
    await end()
    throw error
  }
  watch('PostgreSQL')
  let closing: Promise<void> | undefined
  const close = async () => {
    await listener.close()
    await end()
  }
  return {
    kind: 'postgres',
    kysely,
    pool,
    exclusive,
    listen: (channel, handler, on_gap) => listener.listen(channel, handler, on_gap),
    notify: notifyOn(pool),
    vacuum: () => exclusive('vacuum', () => atLength(vacuumTables)),
    close: () => (closing ??= close()),
  }
}

export const connectionTo = (url: string): pg.ClientConfig => ({
  connectionString: url,
  application_name: server_application,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  connectionTimeoutMillis: connect_ms,
})

/** The connections on which statements run, each for a bounded time. Once they are watched, a server that is silent refuses at once. */
export function statementPool(
  options: Pick<OpenOptions, 'log' | 'pool_size' | 'statement_timeout_ms'> & { url: string },
) {
  const { url, log, pool_size = 10, statement_timeout_ms: statement_ms = 20_000 } = options
  const bounded: pg.PoolConfig = {
    ...connectionTo(url),
    options: planner_options,
    statement_timeout: statement_ms,
    idle_in_transaction_session_timeout: statement_ms,
    max: pool_size,
    Client: KeepingClient,
  }
  const { pool, end, refuse } = safePool(bounded, log, statement_ms + 2_000)
  let pulse: ReturnType<typeof takePulse> | undefined
  return {
    pool,
    kysely: new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }),
    /** `name` is what the log calls the server. */
    watch(name: string): void {
      pulse = takePulse(connectionTo(url), {
        silent() {
          log.error({}, `${name} does not answer: whoever calls is refused until it does`)
          refuse(`${name} does not answer`)
        },
        back() {
          log.info({}, `${name} answers again`)
          refuse(undefined)
        },
      })
    },
    end(): Promise<void> {
      pulse?.close()
      return end()
    },
  }
}

/** A connection of its own per section: neither the pool nor a statement bound stands in the way of waiting. */
export function advisoryLocks(config: pg.ClientConfig, log: DatabaseLog): Database['exclusive'] {
  return async (name, work) => {
    if (!name) throw unusable('an exclusive section needs a name')
    const client = new pg.Client(config)
    const lost = new AbortController()
    const onLost = (reason: string) => {
      if (lost.signal.aborted) return
      lost.abort(connectionLost(reason))
    }
    client.on('error', (error) => onLost(error.message))
    client.on('end', () => onLost('closed'))
    await client.connect()
    try {
      await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [name])
      const result = await work(lost.signal)
      if (lost.signal.aborted) log.warn({ name }, 'the lock was lost before the exclusive section ended')
      return result
    } finally {
      // Ending the session gives the lock back, however it ends.
      await client.end().catch(() => {})
    }
  }
}
