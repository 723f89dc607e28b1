import { rmSync } from 'node:fs'
import { readdir, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'

export type StatFs = (path: string) => Promise<{ bavail: number; bsize: number; blocks: number }>

const mib = 1_048_576
/** What downloads leave free: for the agent's own documents, and for everybody else on the disk. */
const reserve_max = 64 * mib
const reserve_share = 0.05
/** Parts that nobody is fetching now take no more of the disk than this. */
const idle_share = 0.25
const part_ms = 7 * 86_400_000
/** One that is complete may wait for its window for so long: its task counts on it. */
const waiting_ms = 2 * 86_400_000
/** Of a part named by what it will have: `{key}.{bytes}.part`. */
const isComplete = (name: string, size: number): boolean => Number(/\.(\d+)\.part$/.exec(name)?.[1] ?? NaN) === size

/** Bytes that may be written below `folder`; negative where already more is taken than should be. */
export async function roomIn(folder: string, look: StatFs = statfs): Promise<number> {
  const { bavail, bsize, blocks } = await look(folder)
  return bavail * bsize - Math.min(reserve_max, blocks * bsize * reserve_share)
}

/** Parts that are being written: those of all others may go. */
const busy = new Map<string, number>()
export function holdPart(part: string): () => void {
  busy.set(part, (busy.get(part) ?? 0) + 1)
  let is_held = true
  return () => {
    if (!is_held) return
    is_held = false
    const left = busy.get(part)! - 1
    if (left > 0) busy.set(part, left)
    else busy.delete(part)
  }
}

/**
 * Removes what downloads that were given up left in `parts`: what is a week old, what is more than its share of the disk, and
 * the oldest until there is room for `needed` bytes. Returns the room that there is then.
 */
export async function sweepParts(parts: string, needed: number, look: StatFs = statfs): Promise<number> {
  const names = await readdir(parts).catch(() => [])
  const found = await Promise.all(
    names.map(async (name) => {
      const path = join(parts, name)
      const { mtimeMs, size } = await stat(path).catch(() => ({ mtimeMs: Date.now(), size: 0 }))
      return { path, mtimeMs, size, is_awaited: isComplete(name, size) && mtimeMs >= Date.now() - waiting_ms }
    }),
  )
  const idle = found
    .filter(({ path, is_awaited }) => !busy.has(path) && !is_awaited)
    .toSorted((a, b) => a.mtimeMs - b.mtimeMs)
  const { blocks, bsize } = await look(parts)
  let bytes = idle.reduce((sum, { size }) => sum + size, 0)
  let room = await roomIn(parts, look)
  for (const { path, mtimeMs, size } of idle) {
    const is_kept = mtimeMs >= Date.now() - part_ms && bytes <= blocks * bsize * idle_share && room >= needed
    if (is_kept) break
    await rm(path, { force: true })
    bytes -= size
    room = await roomIn(parts, look)
  }
  return room
}

/** A file of bytes that are given up when a document of the agent cannot be written: a full disk does not end it. */
export const reserve_name = 'reserve'
export const giveUpReserve = (dir: string): void => rmSync(join(dir, reserve_name), { force: true })
