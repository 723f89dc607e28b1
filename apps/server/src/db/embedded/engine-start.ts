import { lockDirectory } from './directory-lock.ts'
import { EmbeddedEngine } from './engine.ts'
import type { DatabaseLog } from '../log.ts'

export type StartedEngine = {
  engine: EmbeddedEngine
  /** Of a statement, and of the wait for its turn. */
  statement_ms: number
  waiting_ms: number
  /** Rejects, with everything let go, when the database cannot be opened. */
  ready: Promise<void>
  /** Call after every client has ended; may be called twice. */
  close(): Promise<void>
}

const maintenance_bound_ms = 600_000

/**
 * Takes the directory and begins to open its database in a thread. Answers as soon as that thread runs, so that the
 * caller can do something else meanwhile; hence it needs little code itself. Throws when the directory is in use or
 * damaged.
 */
export async function startEngine(options: {
  data_dir: string
  image?: string | undefined
  log: DatabaseLog
  statement_timeout_ms?: number | undefined
}): Promise<StartedEngine> {
  const { data_dir, image, log, statement_timeout_ms: statement_ms = 20_000 } = options
  const waiting_ms = statement_ms / 2
  const lock = await lockDirectory(data_dir)
  const engine = new EmbeddedEngine({
    data_dir,
    image,
    log,
    statement_ms,
    waiting_ms,
    maintenance_ms: Math.max(maintenance_bound_ms, statement_ms),
  })
  let closing: Promise<void> | undefined
  const close = () => (closing ??= engine.close().finally(() => lock.release()))
  try {
    await engine.prepare()
  } catch (error) {
    await close()
    throw error
  }
  const ready = engine.start().catch(async (error: unknown) => {
    await close()
    throw error
  })
  // Whoever waits for it hears of it; until somebody does, it is no fault of the process.
  ready.catch(() => {})
  return { engine, statement_ms, waiting_ms, ready, close }
}
