import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { isDiskFull, isUnavailable } from './database-errors.ts'
import type { Deps } from '../deps.ts'

const mib = 1024 ** 2
const reserve_bytes = 32 * mib
/** What there has to be besides before the disk counts as having room. */
const spare_bytes = 16 * mib
/** Fits a page of PostgreSQL, which stores it as it is. */
const row_bytes = 8_000
const rows_of_piece = Math.floor(mib / row_bytes)
const look_ms = 5_000
/** Each try takes what is left for a moment. */
const try_again_ms = 10_000

export type DatabaseReserve = {
  isFull(): boolean
  /** A statement failed for want of room. */
  ranOut(): Promise<void>
  /** As the timer does. */
  look(): Promise<void>
  close(): Promise<void>
}

/**
 * PostgreSQL may be on a disk whose free space the server cannot read. So a table without rows reserves some: it is
 * dropped at the first statement that fails for want of room, and the disk is full until it could be made again. All
 * servers of a database share it. It is unlogged, so that a PostgreSQL that crashed for want of room starts without it.
 */
export function keepDatabaseReserve(
  { db, log, clock }: Pick<Deps, 'db' | 'log' | 'clock'>,
  { settle_ms }: { settle_ms: number },
): DatabaseReserve {
  let is_full = false
  let look_at = clock.elapsed() + settle_ms
  let working: Promise<void> = Promise.resolve()
  const after = (work: () => Promise<void>): Promise<void> =>
    (working = working.then(work).catch((error: unknown) => {
      log.warn({ err: error }, "the room on the database's disk could not be looked at")
    }))

  async function look(): Promise<void> {
    look_at = clock.elapsed() + look_ms
    if ((await sizeOf(db)) >= reserve_bytes) return found(true)
    try {
      if (await make(db)) found(true)
    } catch (error) {
      look_at = clock.elapsed() + try_again_ms
      if (isDiskFull(error)) return found(false)
      // Without the right to create tables the free space stays unknown until a statement fails.
      if (!isUnavailable(error)) found(true)
      throw error
    }
  }
  function found(has_room: boolean): void {
    if (is_full && has_room) log.info({}, "there is room on the database's disk again")
    if (!is_full && !has_room) log.error({}, "the database's disk is full: only sign-in and deleting go on")
    is_full = !has_room
  }
  const timer = setInterval(() => {
    if (clock.elapsed() < look_at) return
    look_at = Infinity
    void after(look)
  }, 1_000).unref()

  return {
    isFull: () => is_full,
    look: () => after(look),
    ranOut: () => {
      // What fails until the room is there changes nothing.
      if (is_full) return working
      found(false)
      return after(async () => {
        look_at = clock.elapsed() + try_again_ms
        await sql`DROP TABLE IF EXISTS disk_reserve`.execute(db)
      })
    },
    async close() {
      clearInterval(timer)
      await working
    },
  }
}

async function sizeOf(db: Deps['db']): Promise<number> {
  const { rows } = await sql<{ bytes: string | null }>`
    SELECT pg_relation_size(to_regclass('disk_reserve')) AS bytes
  `.execute(db)
  return Number(rows[0]?.bytes ?? 0)
}

/** False when another server is at it. Whole or not at all: what a failed transaction made, PostgreSQL takes away. */
const make = (db: Deps['db']): Promise<boolean> =>
  db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ is_mine: boolean }>`
      SELECT pg_try_advisory_xact_lock(hashtextextended('disk_reserve', 0)) AS is_mine
    `.execute(trx)
    if (!rows[0]?.is_mine) return false
    // Random, since some file systems store zeros for nothing.
    const piece = randomBytes(mib)
    for (const [name, bytes] of [
      ['disk_reserve', reserve_bytes],
      ['disk_spare', spare_bytes],
    ] as const) {
      const table = sql.table(name)
      await sql`DROP TABLE IF EXISTS ${table}`.execute(trx)
      await sql`CREATE UNLOGGED TABLE ${table} (piece bytea NOT NULL)`.execute(trx)
      await sql`ALTER TABLE ${table} ALTER piece SET STORAGE PLAIN`.execute(trx)
      for (let rows_left = Math.ceil(bytes / row_bytes); rows_left > 0; rows_left -= rows_of_piece)
        await sql`
          INSERT INTO ${table}
          SELECT substring(${piece}::bytea FROM n * ${row_bytes}::int + 1 FOR ${row_bytes}::int)
          FROM generate_series(0, ${Math.min(rows_of_piece, rows_left) - 1}::int) AS n
        `.execute(trx)
    }
    await sql`DROP TABLE disk_spare`.execute(trx)
    return true
  })
