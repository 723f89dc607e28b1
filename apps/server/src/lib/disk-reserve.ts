import { randomBytes } from 'node:crypto'
import { open, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from './log.ts'

const mib = 1024 ** 2
/** Given up when the disk is full: what lets people sign in and delete until there is room again. */
const reserve_bytes = 32 * mib
/** With less than this left the disk is as good as full. */
export const low_bytes = 16 * mib
/** There is room again: for the reserve, and for work beside it. */
export const ample_bytes = reserve_bytes + 2 * low_bytes
/** What the files of a new database take, and some more. */
const first_start_bytes = 96 * mib

export type Free = (path: string) => Promise<number>
export const freeOf: Free = async (path) => {
  const { bavail, bsize } = await statfs(path)
  return bavail * bsize
}

const pathOf = (data: string): string => join(data, 'reserve')
export const hasReserve = async (data: string): Promise<boolean> =>
  (await stat(pathOf(data)).catch(() => undefined))?.size === reserve_bytes
export const giveUpReserve = (data: string): Promise<void> => rm(pathOf(data), { force: true })

/** Whether it was kept. Random, since some file systems store zeros for nothing. */
export async function keepReserve(data: string, log: Pick<Log, 'warn'>): Promise<boolean> {
  try {
    const file = await open(pathOf(data), 'w', 0o600)
    try {
      const piece = randomBytes(mib)
      for (let written = 0; written < reserve_bytes; written += piece.length) await file.writeFile(piece)
    } finally {
      await file.close()
    }
    return true
  } catch (error) {
    log.warn({ err: error }, 'no reserve could be kept on the disk')
    await giveUpReserve(data).catch(() => {})
    return false
  }
}

/** Whether there is enough room for a start; a reserve of an earlier one is given up for it. */
export async function hasRoomToStart(data: string, is_embedded: boolean, free: Free = freeOf): Promise<boolean> {
  const is_first = is_embedded && !(await stat(join(data, 'db', 'cluster')).catch(() => undefined))
  const needed = is_first ? first_start_bytes : low_bytes
  if ((await free(data)) >= needed) return true
  await giveUpReserve(data).catch(() => {})
  return (await free(data)) >= needed
}
