import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, readlink, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { unusable } from '../../lib/database-errors.ts'

type Holder = { pid: number; started: string; place: string; token: string }

const heartbeat_ms = 5_000
/** A holder in another place (container, host) cannot be asked; its heartbeat is believed this long. */
const foreign_stale_ms = 30_000

/** Zombie and dead: what was killed stays in the list of processes until its parent has looked, and owns nothing any more. */
const over = ['Z', 'X', 'x']

/**
 * When the process started, in kernel ticks: tells a living process from a new one with the same pid. Undefined when it
 * does not run.
 */
async function startOf(pid: number): Promise<string | undefined> {
  try {
    const line = await readFile(`/proc/${pid}/stat`, 'utf8')
    const [state, ...rest] = line.slice(line.lastIndexOf(')') + 2).split(' ')
    return over.includes(state!) ? undefined : rest[18]
  } catch {
    return undefined
  }
}

/** Process ids mean something only within one host and one pid namespace. */
async function thisPlace(): Promise<string> {
  return `${hostname()} ${await readlink('/proc/self/ns/pid').catch(() => '')}`.trim()
}

async function isAlive(holder: Holder): Promise<boolean> {
  const started = await startOf(holder.pid)
  if (started !== undefined) return started === holder.started
  if (process.platform === 'linux') return false
  try {
    process.kill(holder.pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    const parsed = JSON.parse(await readFile(path, 'utf8')) as Holder
    return Number.isInteger(parsed.pid) && typeof parsed.token === 'string' ? parsed : undefined
  } catch {
    return undefined
  }
}

/** Throws when the holder of the lock is at work. */
async function assertStale(path: string, directory: string, here: string): Promise<void> {
  const holder = await readHolder(path)
  if (!holder) return
  const refuse = (who: string, advice: string) =>
    unusable(`the data directory ${directory} is in use by ${who}; an embedded database has one owner. ${advice}`)
  if (holder.place === here) {
    if (!(await isAlive(holder))) return
    if (holder.pid === process.pid) throw refuse(`this very process (pid ${holder.pid})`, 'It is opened twice.')
    throw refuse(`process ${holder.pid}`, 'Stop that process, or give this one another data directory.')
  }
  const beat = await stat(path).catch(() => undefined)
  if (beat && Date.now() - beat.mtimeMs < foreign_stale_ms)
    throw refuse(`process ${holder.pid} on ${holder.place}`, 'If it is dead, try again in 30 seconds.')
}

/**
 * Takes the directory for this process; the lock of a dead process is taken over. PGlite itself would let two
 * processes write the same files.
 */
export async function lockDirectory(directory: string): Promise<{ release(): Promise<void> }> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const path = join(directory, 'lock')
  const here = await thisPlace()
  const token = randomUUID()
  const mine: Holder = { pid: process.pid, started: (await startOf(process.pid)) ?? '', place: here, token }
  const draft = join(directory, `lock.${token}`)
  await writeFile(draft, JSON.stringify(mine), { flag: 'wx', mode: 0o600 })
  try {
    for (let attempt = 0; ; attempt += 1) {
      try {
        // link() is atomic and the file is complete when it appears: nobody ever reads half a lock.
        await link(draft, path)
        break
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || attempt > 20) throw error
      }
      await assertStale(path, directory, here)
      await removeStale(path, directory, here, token)
    }
  } finally {
    await rm(draft, { force: true })
  }
  const heartbeat = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => {}), heartbeat_ms)
  heartbeat.unref()
  return {
    async release() {
      clearInterval(heartbeat)
      if ((await readHolder(path))?.token === token) await rm(path, { force: true })
    },
  }
}

/** Of several processes that found the same stale lock, rename lets one remove it, and shows what it removed. */
async function removeStale(path: string, directory: string, here: string, token: string): Promise<void> {
  const aside = join(directory, `lock.${token}.stale`)
  try {
    await rename(path, aside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  try {
    await assertStale(aside, directory, here)
  } catch (error) {
    await link(aside, path).catch(() => {})
    throw error
  } finally {
    await rm(aside, { force: true })
  }
}
