import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { diskIsFull } from '../lib/disk-room.ts'

const patience_ms = 3_000
/** Probes come often and from many places: one look serves them all for a moment. */
const fresh_ms = 1_000

export type Readiness = {
  database: boolean
  broker: boolean
  objects: boolean
  disk: boolean
  /** False from the moment on in which the server begins to close. */
  serving: boolean
  is_ready: boolean
}
export type AskReadiness = () => Promise<Readiness>

/** Whether what this server needs can be reached: its database, its broker, what keeps files, and room on the disk. */
export function readinessOf(deps: Deps): AskReadiness {
  let last: { at: number; is_serving: boolean; found: Promise<Readiness> } | undefined
  return () => {
    const at = performance.now()
    const is_serving = !deps.memory.is_draining
    if (!last || at - last.at > fresh_ms || last.is_serving !== is_serving) last = { at, is_serving, found: look(deps) }
    return last.found
  }
}

async function look(deps: Deps): Promise<Readiness> {
  const { db, log } = deps
  const asked = sql`select 1`.execute(db).then(
    () => true,
    (error: unknown) => {
      log.warn({ err: error }, 'health: the database does not answer')
      return false
    },
  )
  const [database, objects] = await Promise.all([inTime(asked), inTime(deps.objects.isUp?.() ?? Promise.resolve(true))])
  const broker = deps.link.brokerIsUp?.() !== false
  const found = { database, broker, objects, disk: !diskIsFull(deps), serving: !deps.memory.is_draining }
  return { ...found, is_ready: Object.values(found).every(Boolean) }
}

async function inTime(answer: Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), patience_ms)))
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}
