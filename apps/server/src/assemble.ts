// Before anything loads `ws`.
import './lib/frame-masks.ts'
import type { ChildProcess } from 'node:child_process'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import type { Config } from './config.ts'
import { openDatabase } from './db/client.ts'
import type { StartedEngine } from './db/embedded/engine-start.ts'
import { backlog } from './lib/backlog.ts'
import { isUnavailable, isWithoutPartition } from './lib/database-errors.ts'
import { migrations } from './db/schema/migrations/index.ts'
import { openReplica } from './db/replica.ts'
import { scopes } from './db/scope/scope.ts'
import type { Deps } from './deps.ts'
import { holdable } from './files/held-objects.ts'
import { openObjects } from './files/open-objects.ts'
import { fileSigner, readFileKey } from './files/signature.ts'
import { handlers } from './handlers.ts'
import { features } from './features.ts'
import { createApp } from './http/app.ts'
import { startLive } from './http/live/hub.ts'
import type { LiveHub } from './http/live/hub.ts'
import { listenForHttps } from './http/https.ts'
import type { HttpsListener } from './http/https.ts'
import { listenForRedirects } from './http/redirect.ts'
import { createMetrics } from './http/metrics.ts'
import { createMonitors } from './http/monitors.ts'
import { readinessOf } from './http/readiness.ts'
import type { AttachWebSocket } from './http/mqtt-upgrade.ts'
import { authorityIn, watchCertificate, watchFiles } from './lib/certificate.ts'
import type { Certificate, CertificateWatch } from './lib/certificate.ts'
import { clockDoubt, watchClock } from './lib/clock-watch.ts'
import { backgroundWork } from './background-work.ts'
import { startNode } from './link/nodes.ts'
import { ensurePartitions } from './jobs/partitions.ts'
import { certificateFault, challengeAnswers, issuedCertificate } from './lib/issued-certificate.ts'
import { startBackground } from './jobs/runner.ts'
import type { Running } from './jobs/runner.ts'
import { realClock } from './lib/clock.ts'
import { diskIsFull, watchDisk } from './lib/disk-room.ts'
import { newKid } from './lib/ids.ts'
import { assertSecretKey } from './lib/sealed.ts'
import { startBroker } from './link/broker/broker.ts'
import type { EmbeddedBroker } from './link/broker/broker.ts'
import { startLink } from './link/link.ts'
import { RequestError } from './link/requests.ts'
import type { Link } from './link/link.ts'
import { newMemory } from './memory.ts'
import { ensureProvider } from './modules/people/account/bootstrap.ts'
import { mqttUrls, publicUrl } from './addresses.ts'
import { ensureMenus } from './modules/people/menu-tree/index.ts'
import type { ServerState } from './operate/asks.ts'
import { dialogueOf } from './operate/dialogue.ts'
import { listenLocally } from './operate/local-socket.ts'
import { serverVersion } from './lib/version.ts'
import { mountRoutes } from './routes.ts'
import { takeFile } from './modules/people/activation/index.ts'
import type { Closers, RunningServer, ServerOverrides } from './server.ts'

/** A request or a stream that has not ended this long after the server began to close is cut. */
const in_flight_ms = 5_000

/** Joins all parts, in the order in which they need each other. What runs by then is in `closers`, also when it throws. */
export async function assemble(
  config: Config,
  overrides: ServerOverrides & Pick<Deps, 'log'>,
  begun: { engine: StartedEngine | undefined; broker_process: ChildProcess | undefined },
  closers: Closers,
): Promise<Omit<RunningServer, 'close' | 'drain'>> {
  const {
    console_dir = built('../../console/dist'),
    terminal_dir = built('../../terminal/dist'),
    public_per_minute,
    ...given
  } = overrides
  const node_kid = given.node_kid ?? newKid()
  // The logs of several servers, gathered in one place, have to be told apart.
  const log = given.log.child({ node: node_kid })
  const database = await openDatabase({
    ...(config.database_url === undefined ? { data_dir: join(config.data, 'db') } : { url: config.database_url }),
    engine: begun.engine,
    pool_size: config.database_pool,
    migrations,
    log,
  })
  closers.push(() => database.close())
  const { database_replica_url: replica_url, database_pool: pool_size } = config
  const replica =
    replica_url === undefined ? undefined : openReplica(database.pool, { url: replica_url, pool_size, log })
  closers.push(() => replica?.close())

  let hub: LiveHub | undefined
  let link: Link | undefined
  const clock = given.clock ?? realClock
  const memory = newMemory()
  const [file_key, opened] = await Promise.all([
    readFileKey({ config, db: database.kysely, memory }),
    openObjects(config),
  ])
  const { store: objects, hold } = holdable(opened)
  const signer = fileSigner(file_key, clock)
  const deps: Deps = {
    config: { ...config },
    clock,
    node_kid,
    database,
    db: database.kysely,
    scope: scopes(database.kysely),
    replica,
    memory,
    features,
    live: { publish: (account_kid, event) => hub?.publish(account_kid, event) },
    objects,
    signFile: signer.sign,
    link: {
      wake: (terminal_kids) => link?.wake(terminal_kids),
      workOutConfig: async (terminal_kid) => link?.workOutConfig(terminal_kid),
      request: async (...asked) => (link ? link.request(...asked) : Promise.reject(new RequestError('offline'))),
      checkIn: async (said) => (link ? link.checkIn(said) : []),
      wakeBy: (terminal_kid, waker) => link?.wakeBy(terminal_kid, waker) ?? (() => {}),
      kick: async (terminal_kid, reason) => link?.kick(terminal_kid, reason),
      hellosLostUntil: () => link?.hellosLostUntil?.(),
      brokerIsUp: () => link?.brokerIsUp?.() === true,
    },
    isUnavailable: (error) =>
      isUnavailable(error) || (isWithoutPartition(error) && clockDoubt({ memory }) !== undefined),
    ...given,
    log,
  }
  const disk = watchDisk(deps)
  closers.push(() => disk.close())
  let node: Awaited<ReturnType<typeof startNode>> | undefined
  const watch = await watchClock(deps, async () => {
    // What is written by the new time has no partition yet.
    await ensurePartitions(deps)
    await node?.beat()
  })
  closers.push(() => watch.close())
  await ensurePartitions(deps)
  hub = await startLive(deps)
  const this_node = (node = await startNode(deps))
  closers.push(() => this_node.close())
  const live = hub
  let certificate: CertificateWatch | undefined
  let embedded: EmbeddedBroker | undefined
  let https: HttpsListener | undefined
  const renewed = (one: Certificate) => {
    https?.use(one)
    embedded?.use(one)
  }
  if (config.tls) certificate = await watchFiles(deps, config.tls, renewed)
  else if (config.acme) certificate = await watchCertificate(deps, issuedCertificate(deps, config.acme), renewed)
  else if (config.environment === 'privatization')
    log.warn({}, 'no MDM_TLS_CERT: nothing listens for HTTPS and for MQTT over TLS')
  closers.push(() => certificate?.close())
  memory.certificateEndsAt = () => certificate?.endsAt()
  const readiness = readinessOf(deps)
  const metrics = createMetrics(database, {
    version: serverVersion(),
    readiness,
    live_clients: () => live.size,
    link: () => link?.stats() ?? {},
    broker_is_up: () => link?.broker.isUp() === true,
    broker: () => embedded?.stats(),
    disk_is_full: () => diskIsFull(deps),
    certificate_ends_at: () => certificate?.endsAt(),
    certificate_fault: config.acme && (() => certificateFault(deps)),
    replica_is_used: replica && (() => replica.isUsed()),
    clock_apart_ms: database.kind === 'postgres' ? () => memory.clock_apart_ms ?? 0 : undefined,
  })
  closers.push(() => metrics.close())
  // Most of this is waiting: for the broker's process, for the database, for files.
  let attachMqtt: AttachWebSocket | undefined
  // They end where browsers do, whom nobody asks for a certificate.
  const takes_web_sockets = config.mqtt.url === undefined && config.mqtt.device_ca === undefined
  const [devices, rows, edge] = await Promise.allSettled([
    startDevices(deps, begun.broker_process, certificate),
    firstRows(deps),
    createApp(deps, {
      handlers,
      mountRoutes,
      hub: live,
      signer,
      metrics,
      readiness,
      console_dir,
      terminal_dir,
      attachMqtt: takes_web_sockets ? (...peer) => attachMqtt?.(...peer) : undefined,
      public_per_minute,
    }),
  ])
  const started = valueOf(devices)
  ;({ link, attachMqtt, embedded } = started)
  closers.push(() => started.link.close())
  let background: Running | undefined
  let monitors: FastifyInstance | undefined
  // After the last request: what is asked of a server that closes is done, and monitors see it until then.
  closers.push(async () => {
    await background?.close()
    await monitors?.close()
  })
  const first_password = valueOf(rows)
  const app = valueOf(edge)
  closers.push(async () => {
    const late = setTimeout(() => app.server.closeAllConnections(), in_flight_ms)
    // Streams would never end by themselves.
    await live.close()
    await app.close()
    clearTimeout(late)
  })
  await app.listen({ ...config.http, backlog })
  deps.config.http = { ...config.http, port: (app.server.address() as AddressInfo).port }
  // Other servers learn where this one is reached.
  await this_node.beat()
  if (config.https_port !== undefined && certificate) {
    const { host } = config.http
    const listener = await listenForHttps(app, { host, port: config.https_port, certificate: certificate.current() })
    https = listener
    deps.config.https_port = listener.port
    closers.push(() => listener.close())
  }
  const { redirect_port, public_url } = config
  if (redirect_port !== undefined && public_url !== undefined) {
    const { host } = config.http
    const listener = await listenForRedirects({ host, port: redirect_port, public_url }, challengeAnswers(deps))
    deps.config.redirect_port = listener.port
    closers.push(() => listener.close())
  }
  if (config.metrics_port !== undefined) {
    monitors = createMonitors(deps, metrics, readiness)
    await monitors.listen({ host: config.http.host, port: config.metrics_port })
    deps.config.metrics_port = (monitors.server.address() as AddressInfo).port
  }
  background = await startBackground(deps, backgroundWork)

  const state = async (): Promise<ServerState> => ({
    ...(await readiness()),
    node_kid,
    version: serverVersion(),
    http_port: deps.config.http.port,
    clock_doubt: clockDoubt(deps) ? 'in doubt' : null,
    certificate_ends_at: certificate?.endsAt()?.toISOString() ?? null,
    certificate_fault: await certificateFault(deps),
  })
  const local = await listenLocally({ data: config.data, log }, () => dialogueOf({ deps, hold, state }))
  closers.push(() => local.close())

  const server = { deps, url: publicUrl(deps), mqtt_url: mqttUrls(deps)[0]! }
  log.info({ url: server.url, mqtt_url: server.mqtt_url, database: database.kind }, 'server ready')
  return first_password ? { ...server, first_password } : server
}

function valueOf<T>(ended: PromiseSettledResult<T>): T {
  if (ended.status === 'rejected') throw ended.reason
  return ended.value
}

/** What every database has from its first start on; the password, when it was made just now. */
async function firstRows(deps: Deps) {
  await assertSecretKey(deps)
  const first_password = await ensureProvider(deps)
  await ensureMenus(deps)
  await takeFile(deps)
  return first_password
}

/** The embedded broker, or the one that MQTT_URL names; `deps.config` learns the port. */
async function startDevices(deps: Deps, process: ChildProcess | undefined, certificate: CertificateWatch | undefined) {
  const { mqtt } = deps.config
  if (mqtt.url !== undefined)
    return { link: await startLink(deps, { url: mqtt.url }), attachMqtt: undefined, embedded: undefined }
  const tls =
    certificate && mqtt.tls_port !== undefined
      ? { port: mqtt.tls_port, certificate: certificate.current(), device_ca: await authorityIn(mqtt.device_ca) }
      : undefined
  const link = await startLink(deps, {
    broker: (callbacks) => startBroker({ ...mqtt, tls, callbacks, log: deps.log, process }),
  })
  deps.config.mqtt = { ...mqtt, port: link.broker.port, tls_port: link.broker.tls_port }
  return { link: link as Link, attachMqtt: link.broker.attachWebSocket, embedded: link.broker }
}

/** A path beside this file: the same from the sources (src/) and from the bundle (dist/). */
const built = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
