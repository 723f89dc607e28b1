import type { Deps } from '../deps.ts'
import { Refusal } from '../refusal.ts'
import { ample_bytes, freeOf, giveUpReserve, hasReserve, keepReserve, low_bytes } from './disk-reserve.ts'
import type { Free } from './disk-reserve.ts'
import { isDatabaseDiskFull } from './database-errors.ts'
import { keepDatabaseReserve } from './database-reserve.ts'

const look_ms = 1_000
/** A server that is only tried out needs no reserve. */
const settled_ms = 5_000

export type DiskRoom = {
  isFull(): boolean
  /** Something failed for want of room: whatever the last look said. */
  ranOut(error: unknown): void
  /** As the timer does. */
  look(): Promise<void>
  close(): Promise<void>
}

/**
 * Watches the room on the disk of `data`, and on PostgreSQL's, and keeps a part of it for what has to work when the rest
 * is gone.
 */
export function watchDisk(
  { database, db, config, log, clock, memory }: Pick<Deps, 'database' | 'db' | 'config' | 'log' | 'clock' | 'memory'>,
  { free = freeOf, settle_ms = settled_ms }: { free?: Free; settle_ms?: number } = {},
): DiskRoom {
  const began = performance.now()
  let is_full = false
  let has_reserve: boolean | undefined
  let looking: Promise<void> | undefined
  const of_database = database.kind === 'postgres' ? keepDatabaseReserve({ db, log, clock }, { settle_ms }) : undefined

  async function look(): Promise<void> {
    try {
      has_reserve ??= await hasReserve(config.data)
      const left = await free(config.data)
      if (left < low_bytes) await giveUp(left)
      else if (!has_reserve && left >= ample_bytes) {
        if (is_full) log.info({ free: left }, 'there is room on the disk again')
        is_full = false
        if (performance.now() - began >= settle_ms) has_reserve = await keepReserve(config.data, log)
      }
    } catch (error) {
      log.warn({ err: error }, 'the room on the disk could not be looked at')
    }
  }
  async function giveUp(left: number): Promise<void> {
    if (!is_full) log.error({ free: left, directory: config.data }, 'the disk is full: only sign-in and deleting go on')
    is_full = true
    has_reserve = false
    await giveUpReserve(config.data)
  }

  const lookOnce = () => (looking ??= look().finally(() => (looking = undefined)))
  void lookOnce()
  const timer = setInterval(() => void lookOnce(), look_ms).unref()
  const room: DiskRoom = {
    isFull: () => is_full || of_database?.isFull() === true,
    ranOut(error) {
      if (isDatabaseDiskFull(error)) void of_database?.ranOut()
      void lookOnce()
    },
    look: lookOnce,
    async close() {
      clearInterval(timer)
      await Promise.all([looking, of_database?.close()])
      if (memory.disk === room) delete memory.disk
    },
  }
  memory.disk = room
  return room
}

/** False where no watch runs. */
export const diskIsFull = ({ memory }: Pick<Deps, 'memory'>): boolean => memory.disk?.isFull() ?? false
export const ranOutOfDisk = ({ memory }: Pick<Deps, 'memory'>, error: unknown): void => memory.disk?.ranOut(error)

/** Refuses what would store something, before any of it is done. */
export function assertDisk(deps: Pick<Deps, 'memory'>): void {
  if (diskIsFull(deps)) throw new Refusal('disk_full')
}
