import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Database } from '../db/client.ts'
import type { Readiness } from './readiness.ts'

/** Numbers that other parts can tell when they are asked; undefined where a part is not running. */
export type MetricSources = {
  version?: string
  live_clients?: () => number
  connected_devices?: () => number
  /** What the device link counts, each under its own name. */
  link?: () => Record<string, number>
  broker_is_up?: () => boolean
  /** What the process of the embedded broker tells of itself. */
  broker?: () => Promise<Record<string, number>> | undefined
  disk_is_full?: () => boolean
  /** What this server needs, and whether it can be reached. */
  readiness?: () => Promise<Readiness>
  /** Absent where server and database have one clock. */
  clock_apart_ms?: (() => number) | undefined
  /** Absent where the database has no replica. */
  replica_is_used?: (() => boolean) | undefined
  /** When the certificate of the TLS ports ends. */
  certificate_ends_at?: () => Date | undefined
  /** Absent where nothing asks an authority for one. */
  certificate_fault?: (() => Promise<string | null>) | undefined
}
export type Metrics = {
  observeHttp(method: string, route: string, status: number, seconds: number): void
  /** The Prometheus text format. */
  text(): Promise<string>
  content_type: string
  close(): void
}

/** A registry of its own, so that several servers can live in one process. */
export function createMetrics(database: Database, sources: MetricSources): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const http = new Histogram({
    name: 'mdm_http_request_seconds',
    help: 'Duration of HTTP requests',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  })
  const gauge = (name: string, help: string, read: () => number | Promise<number>) =>
    new Gauge({
      name,
      help,
      registers,
      collect: async function () {
        this.set(await read())
      },
    })
  const counter = (name: string, help: string, read: () => number) =>
    new Counter({
      name,
      help,
      registers,
      collect: function () {
        this.reset()
        this.inc(read())
      },
    })

  const { live_clients, connected_devices, link, broker, broker_is_up, disk_is_full, certificate_ends_at } = sources
  const { clock_apart_ms, certificate_fault, replica_is_used } = sources
  if (live_clients) gauge('mdm_live_clients', 'Open streams of live events', live_clients)
  if (connected_devices) gauge('mdm_connected_devices', 'Devices connected to this node', connected_devices)
  if (broker_is_up) gauge('mdm_broker_up', 'Whether the broker can be reached', () => Number(broker_is_up()))
  if (disk_is_full) gauge('mdm_disk_full', 'Whether the disk is full', () => Number(disk_is_full()))
  if (certificate_ends_at)
    gauge(
      'mdm_certificate_ends_seconds',
      'When the certificate of the TLS ports ends, as a Unix time; 0 without one',
      () => Math.floor((certificate_ends_at()?.getTime() ?? 0) / 1_000),
    )
  if (certificate_fault)
    gauge('mdm_certificate_fault', 'Whether the last try to get a newer certificate failed', () =>
      // A database that cannot be asked has a metric of its own.
      certificate_fault().then(
        (fault) => Number(fault !== null),
        () => 0,
      ),
    )
  if (replica_is_used)
    gauge('mdm_replica_used', 'Whether lists and exports read from the replica', () => Number(replica_is_used()))
  if (clock_apart_ms)
    gauge('mdm_clock_apart_seconds', 'How far the clock is before that of the database', () => clock_apart_ms() / 1_000)
  new Gauge({ name: 'mdm_info', help: 'Which version runs', labelNames: ['version'], registers }).set(
    { version: sources.version ?? '' },
    1,
  )
  const ready = new Gauge({
    name: 'mdm_ready',
    help: 'Whether a part that this server needs can be reached; all: whether it is ready',
    labelNames: ['part'],
    registers,
  })
  gauge('mdm_db_connections', 'Connections of the database pool', () => database.pool.totalCount)
  gauge('mdm_db_connections_idle', 'Of them idle', () => database.pool.idleCount)
  gauge('mdm_db_waiting', 'Requests that wait for a connection', () => database.pool.waitingCount)
  gauge('process_resident_memory_bytes', 'Resident memory', () => process.memoryUsage.rss())
  gauge('process_heap_used_bytes', 'Used heap', () => process.memoryUsage().heapUsed)
  counter('process_cpu_seconds_total', 'CPU time', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  })
  const lag = monitorEventLoopDelay({ resolution: 20 })
  lag.enable()
  gauge('mdm_event_loop_lag_p99_seconds', 'Event loop lag since the last scrape, 99th percentile', () => {
    const p99 = lag.percentile(99) / 1e9
    lag.reset()
    return Number.isFinite(p99) ? p99 : 0
  })

  const of_broker = new Map<string, Gauge>()
  const brokerGauge = (name: string): Gauge => {
    const found =
      of_broker.get(name) ??
      new Gauge({ name: `mdm_broker_${name}`, help: `Embedded broker: ${name.replaceAll('_', ' ')}`, registers })
    of_broker.set(name, found)
    return found
  }

  return {
    observeHttp: (method, route, status, seconds) => http.observe({ method, route, status }, seconds),
    async text() {
      const { is_ready, ...parts } = (await sources.readiness?.()) ?? { is_ready: true }
      for (const [part, is_up] of Object.entries({ all: is_ready, ...parts })) ready.set({ part }, Number(is_up))
      for (const [name, value] of Object.entries((await broker?.()) ?? {})) brokerGauge(name).set(value)
      for (const name of Object.keys(link?.() ?? {}))
        if (!registry.getSingleMetric(`mdm_link_${name}`))
          counter(`mdm_link_${name}`, `Device link: ${name.replaceAll('_', ' ')}`, () => link?.()[name] ?? 0)
      return registry.metrics()
    },
    content_type: registry.contentType,
    close: () => lag.disable(),
  }
}
