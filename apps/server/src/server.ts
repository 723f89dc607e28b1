import { join } from 'node:path'
import type { Config } from './config.ts'
import { startEngine } from './db/embedded/engine-start.ts'
import { preparedImage } from './db/embedded/image.ts'
import type { Deps } from './deps.ts'
import { createLog } from './lib/log.ts'
import { forkBroker } from './link/broker/fork.ts'
import { assertSafe } from './safety.ts'

export type RunningServer = {
  deps: Deps
  /** Without a slash at the end. */
  url: string
  mqtt_url: string
  /** Of the operator account, when this start made it. It is kept nowhere. */
  first_password?: { username: string; password: string }
  /** Says that it is not ready any more, and goes on for as long as proxies may need to hear it. */
  drain(): Promise<void>
  /** Finishes what is in flight, for a few seconds at most, and leaves nothing behind. May be called twice. */
  close(): Promise<void>
}
export type ServerOverrides = Partial<Deps> & {
  /** Folder of the built console, else apps/console/dist. */
  console_dir?: string
  /** Folder of the built page for browsers, else apps/terminal/dist. */
  terminal_dir?: string
  public_per_minute?: number
}
/** What ends the parts that run; the last is called first. */
export type Closers = (() => Promise<void> | void)[]

/**
 * Starts everything. Throws SettingsError or DatabaseError, with a message for the administrator, and leaves nothing
 * running then. The database and the broker take longest and run beside this thread: with the little code they need they
 * begin first, and the rest of the code is loaded meanwhile.
 */
export async function startServer(config: Config, overrides: ServerOverrides = {}): Promise<RunningServer> {
  const log = overrides.log ?? createLog(config.log_level)
  const closers: Closers = []
  let closing: Promise<void> | undefined
  const close = () => (closing ??= closeAll(closers, log))
  try {
    await assertSafe(config, log)
    const engine =
      config.database_url === undefined
        ? await startEngine({ data_dir: join(config.data, 'db'), ...preparedImage(), log })
        : undefined
    closers.push(() => engine?.close())
    // Without its server it ends by itself.
    const broker_process = config.mqtt.url === undefined ? forkBroker() : undefined
    closers.push(() => void (broker_process?.connected && broker_process.disconnect()))
    const { assemble } = await import('./assemble.ts')
    const parts = await assemble(config, { ...overrides, log }, { engine, broker_process }, closers)
    const drain = async () => {
      parts.deps.memory.is_draining = true
      await new Promise((resolve) => setTimeout(resolve, config.drain_ms))
    }
    return { ...parts, drain, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** In the reverse order of starting; one part that fails to close keeps no other from closing. */
async function closeAll(closers: Closers, log: Deps['log']): Promise<void> {
  for (const close of closers.toReversed()) {
    try {
      await close()
    } catch (error) {
      log.error({ err: error }, 'a part of the server did not close')
    }
  }
}
