import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { newSecret } from '../apps/server/src/lib/ids.ts'
import { partitionedTables } from '../apps/server/src/db/schema/tables.ts'
import { root } from '../tools/terminal.mjs'
import { startSource, tell } from './children.ts'
import { insertFleet } from './device-rows.ts'
import type { IdleOrder } from './idle-process.ts'
import { onPostgres, openIngest } from './ingest.ts'
import { against, is_trial, machine, row, sampleOf, short, sized, spread } from './measure.ts'
import type { Row } from './measure.ts'
import { startMosquitto } from './mosquitto.ts'
import { treeMemory } from './processes.ts'
import { seedFleet } from './seed.ts'

const rounds = sized(5, 1)
const registered = sized(1_000_000, 2_000)
const reporting = sized(200, 20)
const [per_second, seconds] = [sized(2_000, 200), sized(10, 1)]
const connected = sized(5_000, 100)
const connects = 100
const settings = ['shared_buffers=512MB', 'max_wal_size=4GB']
const kib = 1024
const gib = kib ** 3
/** What a device and a report may cost. */
const limits = { device_kib: 4, report_bytes: 800, report_ms: 0.4, connection_kib: 20 }

/** What each device and each report costs, and from that what fleets need: docs/operate/sizing.md. */
export async function run(log: (text: string) => void): Promise<Row[]> {
  const cost = { ...(await onPostgres(settings, (on) => costsOfServer(on, log))), ...(await costOfConnection(log)) }
  if (!is_trial) await writeFile(join(root, 'docs', 'operate', 'sizing.md'), pageOf(cost))
  const rowOf = (what: string, values: number[], limit: number, digits: string) =>
    row('sizing', `${what} / ${digits}`, against(values.map(sampleOf), limit), '<= 1', (r) => r.median <= 1)
  return [
    rowOf('KiB of database a registered device', [cost.device_bytes / kib], limits.device_kib, '4'),
    rowOf('bytes of database a report', [cost.report_bytes], limits.report_bytes, '800'),
    rowOf('CPU ms a report: server and PostgreSQL', cost.reports_ms, limits.report_ms, '0.4'),
    rowOf('KiB of Mosquitto a connection', [cost.connection_bytes / kib], limits.connection_kib, '20'),
  ]
}

async function costsOfServer(
  { database, client, later }: Parameters<Parameters<typeof onPostgres<unknown>>[1]>[0],
  log: (text: string) => void,
) {
  const ingest = await openIngest(database, reporting)
  later(() => ingest.close())
  const empty = await sizeOf(client)
  const { account_kid } = await seedFleet(client, newSecret(), 0)
  await insertFleet(client, { account_kid, devices: registered, groups: sized(1_000, 20) })
  await client.query('VACUUM ANALYZE')
  const device_bytes = ((await sizeOf(client)) - empty) / registered
  log(`${Math.round(device_bytes)} bytes a device`)
  // The first connections and compilations are of no report.
  await ingest.parts(seconds, per_second)
  const written = await walOf(client)
  const measured: { server_ms: number; database_ms: number; reports: number }[] = []
  for (let round = 0; round < rounds; round++) {
    measured.push(await ingest.parts(seconds, per_second))
    log(`${(measured.at(-1)!.server_ms + measured.at(-1)!.database_ms).toFixed(3)} CPU ms a report`)
  }
  const reports = measured.reduce((sum, one) => sum + one.reports, 0)
  const wal_bytes = ((await walOf(client)) - written) / reports
  const { stored, faults } = await ingest.check()
  if (faults.length > 0) throw new Error(faults.join('; '))
  const report_bytes = (await sizeOfReports(client)) / stored
  return {
    device_bytes,
    report_bytes,
    wal_bytes,
    server_ms: spread(measured.map((one) => one.server_ms)).median,
    database_ms: spread(measured.map((one) => one.database_ms)).median,
    reports_ms: measured.map((one) => one.server_ms + one.database_ms),
  }
}

const numberOf = async (client: pg.Client, expression: string): Promise<number> =>
  Number((await client.query<{ n: string }>(`SELECT ${expression} AS n`)).rows[0]!.n)
const sizeOf = (client: pg.Client) => numberOf(client, 'pg_database_size(current_database())')
const walOf = (client: pg.Client) => numberOf(client, `pg_current_wal_lsn() - '0/0'::pg_lsn`)
const sizeOfReports = (client: pg.Client) =>
  numberOf(client, `(SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree('terminal_report') WHERE isleaf)`)

/** Bytes that a broker of somebody else's keeps for a device that is connected and silent. */
async function costOfConnection(log: (text: string) => void): Promise<{ connection_bytes: number }> {
  const broker = await startMosquitto()
  const idle = startSource('idle-process.ts')
  try {
    const before = treeMemory(broker.pid)
    for (let at = 0; at < connected; at += connects) {
      const kids = Array.from({ length: connects }, () => crypto.randomUUID())
      await tell(idle, { port: broker.port, secret: 'none', kids } satisfies IdleOrder)
    }
    const connection_bytes = (treeMemory(broker.pid) - before) / connected
    log(`${Math.round(connection_bytes)} bytes of Mosquitto a connection`)
    return { connection_bytes }
  } finally {
    await idle.stop()
    await broker.stop()
  }
}

type Cost = Awaited<ReturnType<typeof costsOfServer>> & Awaited<ReturnType<typeof costOfConnection>>

const fleets = [100_000, 1_000_000, 10_000_000]
/** What a fleet does, and how full a machine is planned. Whoever knows better puts in their own. */
const assumed = {
  reports_a_day: 40,
  peak: 4,
  busy: 0.5,
  server_cores: 4,
  days: Math.round((partitionedTables.terminal_report.months + 0.5) * 30.4),
  /** Dollars a month. */
  core: 35,
  gib_of_disk: 0.1,
  gib_of_memory: 4,
}

function needs(devices: number, cost: Cost) {
  const mean = (devices * assumed.reports_a_day) / 86_400
  const peak = mean * assumed.peak
  const coresAt = (ms: number) => (peak * ms) / 1_000 / assumed.busy
  // One more than is needed: one may fail, or be replaced by a new version.
  const servers = Math.max(1, Math.ceil(coresAt(cost.server_ms) / assumed.server_cores)) + 1
  const database_cores = Math.max(2, Math.ceil(coresAt(cost.database_ms)))
  const broker_gib = (devices * cost.connection_bytes) / gib / assumed.busy
  const devices_gib = (devices * cost.device_bytes) / gib
  const history_gib = (devices * assumed.reports_a_day * assumed.days * cost.report_bytes) / gib
  const disk_gib = (devices_gib + history_gib) / 0.7
  const memory_gib = Math.max(8, devices_gib * 1.5)
  const month =
    (servers * assumed.server_cores + Math.max(database_cores, memory_gib / 4) + Math.max(2, broker_gib / 4)) *
      assumed.core +
    disk_gib * assumed.gib_of_disk
  const wal_gib = (mean * 86_400 * cost.wal_bytes) / gib
  return { mean, peak, servers, database_cores, memory_gib, disk_gib, broker_gib, wal_gib, month }
}

const big = (n: number): string =>
  n >= 1_000 ? Number(n.toPrecision(2)).toLocaleString('en') : String(Number(n.toPrecision(2)))

function pageOf(cost: Cost): string {
  const lines = fleets.map((devices) => {
    const n = needs(devices, cost)
    const cells = [
      devices.toLocaleString('en'),
      `${big(n.mean)}, ${big(n.peak)}`,
      `${n.servers}`,
      `${n.database_cores} cores, ${big(n.memory_gib)} GiB`,
      `${big(n.disk_gib)} GiB`,
      `${big(n.wal_gib)} GiB`,
      `${big(n.broker_gib)} GiB`,
      `${big(n.month)}`,
    ]
    return `| ${cells.join(' | ')} |`
  })
  return `# How much a fleet needs

This page is written by \`npm run bench -- sizing\` from what it measured; the table is arithmetic, not a trial. Nobody has run ten million
devices: a million were registered and 200 reported, the rest is drawn on from there.

## Measured

On ${machine()}, ${new Date().toISOString().slice(0, 10)}, with ${registered.toLocaleString('en')} devices registered and reports of
330 bytes with battery, network and load.

| | |
|---|---|
| database of a registered device, with its indexes | ${short(cost.device_bytes)} bytes |
| database of a report that is kept | ${short(cost.report_bytes)} bytes |
| write-ahead log of a report | ${short(cost.wal_bytes)} bytes |
| processor of a report, server with its own broker | ${short(cost.server_ms)} ms |
| processor of a report, PostgreSQL | ${short(cost.database_ms)} ms |
| memory of a connection, Mosquitto | ${short(cost.connection_bytes)} bytes |

## Worked out

Of a day ${assumed.reports_a_day} reports a device, and ${assumed.peak} times as many a second at the busiest hour; machines half busy then; reports
kept for ${partitionedTables.terminal_report.months} months; a disk 70 % full; servers of ${assumed.server_cores} cores, one more than is needed, so that one may fail. A month: ${assumed.core} dollars a
core with ${assumed.gib_of_memory} GiB, ${assumed.gib_of_disk} a GiB of disk, which is what large providers take within a half; put in your own.

| devices | reports a second: mean, peak | servers | PostgreSQL | its disk | its log a day | memory of the brokers | dollars a month |
|---|---|---|---|---|---|---|---|
${lines.join('\n')}

## What stands in the way

- Up to 100,000 devices one machine with everything on it is enough: the embedded broker and PostgreSQL beside it.
- Reports are most of the disk. How often a device reports is a setting (Information collection: by how much the battery or the signal has to
  change, and how often at least): half as many reports are half the disk.
- Mosquitto is one process on one core. Beyond some hundred thousand connections take a cluster (EMQX, HiveMQ, VerneMQ); open files, ports and
  the memory of sockets in the kernel are the operating system's, and are not in the table.
- Ten million devices fill more than one PostgreSQL is comfortable with. Nearly all of it is history, which can be compressed or divided
  among machines by an extension ([history](history.md), untried); lists can be read from a replica ([nodes](nodes.md)). An installation for
  each group of customers shares nothing and needs nothing new.
- Not in the table: files and packages (as large as you make them, once each), what leaves for the devices, and people at consoles, whose lists
  are measured in [performance](../performance.md).
`
}
