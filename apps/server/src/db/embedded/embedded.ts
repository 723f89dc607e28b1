import { Kysely, PostgresDialect } from 'kysely'
import { startEngine } from './engine-start.ts'
import { unusable } from '../../lib/database-errors.ts'
import { Listener } from '../listener.ts'
import { vacuumInPieces } from '../maintenance.ts'
import { migrate } from '../schema/migrate.ts'
import { notifyOn } from '../notify.ts'
import { safePool } from '../pool.ts'
import type { Database, OpenOptions } from '../client.ts'
import type { Tables } from '../schema/tables.ts'

/** PGlite in a worker thread, reached by `pg` like any PostgreSQL. */
export async function openEmbedded(options: OpenOptions & { data_dir: string }): Promise<Database> {
  const { log } = options
  const { engine, waiting_ms, ready, close: closeEngine } = await (options.engine ?? startEngine(options))
  await ready
  const client_config = { stream: () => engine.stream(), user: 'postgres', database: 'postgres', ssl: false }
  const { pool, end } = safePool(
    { ...client_config, max: options.pool_size ?? 10, connectionTimeoutMillis: waiting_ms },
    log,
  )
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  const listener = new Listener(client_config, log)
  const exclusive = mutexes()
  const vacuum = () =>
    exclusive('vacuum', async () => {
      const started = performance.now()
      const tables = await engine.atLength(() => vacuumInPieces(kysely))
      log.info({ tables, ms: Math.round(performance.now() - started) }, 'database vacuumed')
    })
  let maintenance: NodeJS.Timeout | undefined
  let closing: Promise<void> | undefined
  const close = async () => {
    clearInterval(maintenance)
    await listener.close()
    await end()
    await closeEngine()
  }
  try {
    await exclusive('migrations', () => engine.atLength(() => migrate(kysely, options.migrations, log)))
  } catch (error) {
    await close()
    throw error
  }
  const every_ms = options.maintenance_every_ms ?? 600_000
  if (every_ms > 0) {
    let is_running = false
    maintenance = setInterval(() => {
      if (is_running) return
      is_running = true
      vacuum()
        .catch((error: unknown) => log.warn({ error: String(error) }, 'database maintenance failed'))
        .finally(() => (is_running = false))
    }, every_ms).unref()
  }
  return {
    kind: 'embedded',
    kysely,
    pool,
    exclusive,
    listen: (channel, handler, on_gap) => listener.listen(channel, handler, on_gap),
    notify: notifyOn(pool),
    vacuum,
    readOnly: (is_on) => engine.readOnly(is_on),
    close: () => (closing ??= close()),
  }
}

/** Advisory locks always succeed within one session, so on the embedded database exclusion is the process's own. */
function mutexes(): Database['exclusive'] {
  const tails = new Map<string, Promise<unknown>>()
  return async (name, work) => {
    if (!name) throw unusable('an exclusive section needs a name')
    const before = tails.get(name) ?? Promise.resolve()
    const mine = before.then(() => work(new AbortController().signal))
    const tail = mine.catch(() => {})
    tails.set(name, tail)
    try {
      return await mine
    } finally {
      if (tails.get(name) === tail) tails.delete(name)
    }
  }
}
