import type { ChildProcess } from 'node:child_process'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Config } from './config.ts'
import { openDatabase } from './db/client.ts'
import { preparedImage } from './db/image.ts'
import { isUnavailable } from './db/errors.ts'
import { migrations } from './db/migrations/index.ts'
import { scoped } from './db/scope.ts'
import { tenantTables } from './db/tables.ts'
import type { Deps } from './deps.ts'
import { localObjects } from './files/local-objects.ts'
import { fileSigner, readFileKey } from './files/signature.ts'
import { handlers } from './handlers.ts'
import { createApp } from './http/app.ts'
import { startLive } from './http/live-hub.ts'
import type { LiveHub } from './http/live-hub.ts'
import { createMetrics } from './http/metrics.ts'
import { jobs } from './jobs/jobs.ts'
import { startNode } from './jobs/nodes.ts'
import { ensurePartitions } from './jobs/partitions.ts'
import { startJobs } from './jobs/runner.ts'
import { realClock } from './lib/clock.ts'
import { newKid } from './lib/ids.ts'
import { createLog } from './lib/log.ts'
import { forkBroker, startBroker } from './link/broker/broker.ts'
import { startLink } from './link/link.ts'
import type { Link } from './link/link.ts'
import { ensureProvider } from './modules/account/bootstrap.ts'
import { mqttUrls, publicUrl } from './modules/enrolment/service.ts'
import { ensureMenus } from './modules/menu-tree/service.ts'
import { assertSafe } from './safety.ts'

export type RunningServer = {
  deps: Deps
  /** Without a slash at the end. */
  url: string
  mqtt_url: string
  /** Of the operator account, when this start made it. It is kept nowhere. */
  first_password?: { username: string; password: string }
  /** Finishes what is in flight, for a few seconds at most, and leaves nothing behind. May be called twice. */
  close(): Promise<void>
}
export type ServerOverrides = Partial<Deps> & {
  /** Folder of the built console, else apps/console/dist. */
  console_dir?: string
  public_per_minute?: number
}

/** A request or a stream that has not ended this long after the server began to close is cut. */
const in_flight_ms = 5_000

/**
 * Starts everything in the order in which the parts need each other. Throws SettingsError or DatabaseError, with a
 * message for the administrator, and leaves nothing running then.
 */
export async function startServer(config: Config, overrides: ServerOverrides = {}): Promise<RunningServer> {
  const { console_dir = built('../../console/dist'), public_per_minute, ...given } = overrides
  const log = given.log ?? createLog(config.log_level)
  const closers: (() => Promise<void> | void)[] = []
  let closing: Promise<void> | undefined
  const close = () => (closing ??= closeAll(closers, log))
  try {
    await assertSafe(config, log)
    // It takes as long to load as the database to open, so both do at once. Without its server it ends by itself.
    const process = config.mqtt.url === undefined ? forkBroker() : undefined
    closers.push(() => void (process?.connected && process.disconnect()))
    const database = await openDatabase({
      ...(config.database_url === undefined ? { data_dir: join(config.data, 'db') } : { url: config.database_url }),
      ...preparedImage(),
      migrations,
      log,
    })
    closers.push(() => database.close())

    let hub: LiveHub | undefined
    let link: Link | undefined
    const clock = given.clock ?? realClock
    const signer = fileSigner(await readFileKey(database.kysely), clock)
    const deps: Deps = {
      config: { ...config },
      log,
      clock,
      node_kid: newKid(),
      database,
      db: database.kysely,
      scope: (account_kid, group_kids) =>
        scoped(database.kysely, account_kid, tenantTables, group_kids ? { group_kids } : {}),
      live: { publish: (account_kid, event) => hub?.publish(account_kid, event) },
      objects: await localObjects(join(config.data, 'objects')),
      signFile: signer.sign,
      link: {
        wake: (terminal_kids) => link?.wake(terminal_kids),
        kick: async (terminal_kid, reason) => link?.kick(terminal_kid, reason),
      },
      isUnavailable,
      ...given,
    }
    await ensurePartitions(deps)
    hub = await startLive(deps)
    const node = await startNode(deps)
    closers.push(() => node.close())
    // The broker is a process of its own: while it starts there is time for the rows of a first start.
    const [devices, rows] = await Promise.allSettled([startDevices(deps, process), firstRows(deps)])
    if (devices.status === 'rejected') throw devices.reason
    const started = devices.value
    link = started.link
    closers.push(() => started.link.close())
    if (rows.status === 'rejected') throw rows.reason
    const first_password = rows.value

    const live = hub
    const metrics = createMetrics(database, { live_clients: () => live.size, link: () => started.link.stats() })
    closers.push(() => metrics.close())
    const app = await createApp(deps, {
      handlers,
      hub: live,
      signer,
      metrics,
      console_dir,
      attachMqtt: started.attachMqtt,
      public_per_minute,
    })
    closers.push(async () => {
      const late = setTimeout(() => app.server.closeAllConnections(), in_flight_ms)
      // Streams would never end by themselves.
      await live.close()
      await app.close()
      clearTimeout(late)
    })
    await app.listen(config.http)
    deps.config.http = { ...config.http, port: (app.server.address() as AddressInfo).port }
    const running = await startJobs(deps, jobs)
    closers.push(() => running.close())

    const server = { deps, url: publicUrl(deps), mqtt_url: mqttUrls(deps)[0]!, close }
    log.info({ url: server.url, mqtt_url: server.mqtt_url, database: database.kind }, 'server ready')
    return first_password ? { ...server, first_password } : server
  } catch (error) {
    await close()
    throw error
  }
}

/** What every database has from its first start on; the password, when it was made just now. */
async function firstRows(deps: Deps) {
  const first_password = await ensureProvider(deps)
  await ensureMenus(deps)
  return first_password
}

/** The embedded broker, or the one that MQTT_URL names; `deps.config` learns the port. */
async function startDevices(deps: Deps, process: ChildProcess | undefined) {
  const { mqtt } = deps.config
  if (mqtt.url !== undefined) return { link: await startLink(deps, { url: mqtt.url }), attachMqtt: undefined }
  const link = await startLink(deps, {
    broker: (callbacks) => startBroker({ ...mqtt, callbacks, log: deps.log, process }),
  })
  deps.config.mqtt = { ...mqtt, port: link.broker.port }
  return { link: link as Link, attachMqtt: link.broker.attachWebSocket }
}

/** In the reverse order of starting; one part that fails to close keeps no other from closing. */
async function closeAll(closers: (() => Promise<void> | void)[], log: Deps['log']): Promise<void> {
  for (const close of closers.toReversed()) {
    try {
      await close()
    } catch (error) {
      log.error({ err: error }, 'a part of the server did not close')
    }
  }
}

/** A path beside this file: the same from the sources (src/) and from the bundle (dist/). */
const built = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
