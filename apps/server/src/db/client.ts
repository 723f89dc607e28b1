import type { Kysely, Migration } from 'kysely'
import type pg from 'pg'
import { openEmbedded } from './embedded/embedded.ts'
import type { StartedEngine } from './embedded/engine-start.ts'
import { unusable } from '../lib/database-errors.ts'
import type { DatabaseLog } from './log.ts'
import { openPostgres } from './postgres.ts'
import type { Tables } from './schema/tables.ts'

export type OpenOptions = {
  /** postgres://...; without it the embedded database in `data_dir` is used. */
  url?: string
  /** Directory of the embedded database; created when missing, owned by one process at a time. */
  data_dir?: string
  /** Tarball of an empty cluster (tools/prepare-image.ts) that makes the first boot faster. */
  image?: string
  /** Embedded: what startEngine began earlier; `data_dir`, `image` and `statement_timeout_ms` were told there. */
  engine?: StartedEngine | undefined
  migrations: Record<string, Migration>
  log: DatabaseLog
  /** Bound of one statement (20 s). Embedded: callers wait for their turn half as long at most. */
  statement_timeout_ms?: number
  /** Connections in the pool (10). */
  pool_size?: number
  /** Embedded: VACUUM, ANALYZE and CHECKPOINT so often (10 min); 0 for never. */
  maintenance_every_ms?: number
}

export type Database = {
  kind: 'embedded' | 'postgres'
  kysely: Kysely<Tables>
  pool: pg.Pool
  /**
   * Runs `work` while no one else runs a section of this name: no other server on this PostgreSQL, nobody in this
   * process on the embedded database. Not reentrant. `signal` aborts when the lock is lost with its connection.
   */
  exclusive<T>(name: string, work: (signal: AbortSignal) => Promise<T>): Promise<T>
  /**
   * Resolves when notifications sent from now on arrive; the result stops it. What is sent while the connection is
   * down is lost: `on_gap` is called when it is back, so that the listener can look for itself.
   */
  listen(channel: string, handler: (payload: string) => void, on_gap?: () => void): Promise<() => void>
  /** At most 7999 bytes. */
  notify(channel: string, payload: string): Promise<void>
  vacuum(): Promise<void>
  /** Embedded: whether transactions may write; resolves when none that may is under way. */
  readOnly?(is_on: boolean): Promise<void>
  close(): Promise<void>
}

/**
 * Opens the database, migrated to this code. Throws DatabaseError with a message for the administrator when the
 * directory is in use or damaged, the schema is newer than the code, or the server cannot be reached.
 */
export async function openDatabase(options: OpenOptions): Promise<Database> {
  const { url, data_dir } = options
  if (url !== undefined) {
    if (!/^postgres(ql)?:\/\//.test(url))
      throw unusable('the database URL must begin with postgres:// or postgresql://')
    return openPostgres({ ...options, url })
  }
  if (!data_dir) throw unusable('either a database URL or a data directory is needed')
  return openEmbedded({ ...options, data_dir })
}
