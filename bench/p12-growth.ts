import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { startPostgres } from '../apps/server/src/testing/postgres.ts'
import { newSecret } from '../apps/server/src/lib/ids.ts'
import { collectGarbage, reply, startSource, tell } from './children.ts'
import { insertFleet } from './device-rows.ts'
import type { IdleOrder } from './idle-process.ts'
import { openFleet, postmaster } from './ingest.ts'
import { interleaved, row, sampleOf, sized } from './measure.ts'
import type { Row, Sample } from './measure.ts'
import { treeCpuSeconds, treeMemory } from './processes.ts'
import { seedFleet } from './seed.ts'
import type { ServerReady } from './server-process.ts'

const rounds = sized(5, 1)
const online = [sized(1_000, 50), sized(10_000, 100)] as const
/** Of those that are online in the large fleet, when its memory is read. */
const steps = [0.1, 0.3, 0.8, 1].map((share) => Math.round(share * online[1]))
const what_of_memory = `KiB a device, from ${steps[2]} to ${steps[3]} online / from ${steps[0]} to ${steps[1]}`
const registered = [sized(10_000, 500), sized(1_000_000, 2_000)] as const
const reporting = sized(200, 20)
const [per_second, seconds] = [sized(2_000, 200), sized(10, 1)]
const deleted = sized(1_000_000, 2_000)
/** The server lets 500 connects a second through. */
const [connects, connects_ms] = [100, 250]
const settings = ['shared_buffers=512MB', 'max_wal_size=4GB', 'synchronous_commit=off']

/** P12: what a message and a device cost in a large fleet, against a small one beside it; and the end of old rows. */
export async function run(log: (text: string) => void): Promise<Row[]> {
  const postgres = await startPostgres(settings)
  const ended: (() => Promise<unknown>)[] = [() => postgres.stop()]
  try {
    const open = async (name: string): Promise<Site> => {
      const site = await opened(await postgres.createDatabase(), (text) => log(`${name}: ${text}`))
      ended.push(() => site.close())
      return site
    }
    const rows: Row[] = []
    {
      const [few, many] = [await open(`${online[0]} online`), await open(`${online[1]} online`)]
      await few.connect(online[0])
      const memory = await slopes(many)
      rows.push(
        ...grown(
          `${online[1].toLocaleString('en')} online / ${online[0].toLocaleString('en')}`,
          await interleaved(rounds, many.message, few.message),
        ),
        row('P12', what_of_memory, [memory], '<= 1.2', (r) => r.median <= 1.2),
      )
      for (const site of [few, many]) await site.close()
    }
    const [few, many] = [await open(`${registered[0]} registered`), await open(`${registered[1]} registered`)]
    await few.register(registered[0])
    await many.register(registered[1])
    rows.push(
      ...grown(
        `${registered[1].toLocaleString('en')} registered / ${registered[0].toLocaleString('en')}`,
        await interleaved(rounds, many.message, few.message),
      ),
    )
    const drops: [Sample, Sample][] = []
    for (let round = 0; round < rounds; round++) drops.push(await few.oldRows())
    rows.push(
      row(
        'P12',
        `s to drop a month of ${deleted.toLocaleString('en')} reports / DELETE`,
        drops,
        '<= 0.1',
        (r) => r.median <= 0.1,
      ),
    )
    return rows
  } finally {
    for (const end of ended.toReversed()) await end()
  }
}

/** KiB of a device, where the fleet is almost whole and where it begins: what a server needs to serve anybody at all is in neither. */
async function slopes(site: Site): Promise<[Sample, Sample]> {
  const found: number[] = []
  for (const [at, count] of steps.entries()) {
    await site.connect(count - (steps[at - 1] ?? 0))
    found.push(await site.kib())
  }
  const slope = (from: number) => sampleOf((found[from + 1]! - found[from]!) / (steps[from + 1]! - steps[from]!))
  return [slope(2), slope(0)]
}

function grown(what: string, pairs: [Sample, Sample][]): Row[] {
  const note = `${reporting} devices, ${per_second.toLocaleString('en')} reports a second; server, broker and PostgreSQL`
  return [row('P12', `CPU ms a message, ${what}`, pairs, '<= 1.2', (r) => r.median <= 1.2, [note])]
}

type Site = Awaited<ReturnType<typeof opened>>
async function opened(url: string, log: (text: string) => void) {
  const home = await mkdtemp(join(tmpdir(), 'mdm-p12-'))
  const server = startSource(
    'server-process.ts',
    {
      ...{ MDM_DATA: home, MDM_HTTP_HOST: '127.0.0.1' },
      ...{ DATABASE_URL: url, MDM_ALLOW_PLAIN_DATABASE: 'true', MDM_LOG_LEVEL: 'error', MDM_MQTT_HOST: '127.0.0.1' },
    },
    { collects: true },
  )
  const idle = startSource('idle-process.ts')
  const client = new pg.Client({ connectionString: url })
  const { mqtt_port: port } = await reply<ServerReady>(server)
  await client.connect()
  const secret = newSecret()
  const { kids, account_kid } = await seedFleet(client, secret, reporting)
  const fleet = await openFleet(port, kids, secret)
  const pid = await postmaster(client)
  let is_open = true
  return {
    /** So many more are online, and say nothing. */
    async connect(count: number) {
      const { kids: silent } = await seedFleet(client, secret, count)
      for (let i = 0; i < count; i += connects) {
        const order: IdleOrder = { port, secret, kids: silent.slice(i, i + connects) }
        await Promise.all([tell(idle, order), delay(connects_ms)])
      }
      await client.query('VACUUM ANALYZE')
      log('connected')
    },
    async register(devices: number) {
      // Of an account of their own, in the same tables.
      const { account_kid: other } = await seedFleet(client, secret, 0)
      await insertFleet(client, { account_kid: other, devices, groups: 1 })
      await client.query('VACUUM ANALYZE')
      log('registered')
    },
    /** KiB of its memory, after a garbage collection. */
    async kib(): Promise<number> {
      await collectGarbage(server)
      const kib = treeMemory(server.pid) / 1024
      log(`${Math.round(kib / 1024)} MiB`)
      return kib
    },
    /** CPU milliseconds of a message. */
    async message(): Promise<Sample> {
      const cpu = () => treeCpuSeconds(server.pid) + treeCpuSeconds(pid)
      const before = cpu()
      const report = await fleet.run(seconds, per_second)
      const used = cpu() - before
      const void_by = fleet.whyVoid()
      if (void_by !== undefined) throw new Error(void_by)
      log(`${((used / report.acknowledged) * 1_000).toFixed(3)} CPU ms a message`)
      return { value: (used / report.acknowledged) * 1_000, cpu_seconds: used }
    },
    /** Seconds that a month of reports takes to go: as the product drops it, and row by row. */
    async oldRows(): Promise<[Sample, Sample]> {
      const timed = async (statement: string): Promise<Sample> => {
        const before = treeCpuSeconds(pid)
        const begun = performance.now()
        await client.query(statement)
        return { value: (performance.now() - begun) / 1_000, cpu_seconds: treeCpuSeconds(pid) - before }
      }
      const fill = async () => {
        await client.query(`CREATE TABLE terminal_report_old PARTITION OF terminal_report
          FOR VALUES FROM ('2001-01-01T00:00:00Z') TO ('2001-02-01T00:00:00Z')`)
        await client.query(
          `INSERT INTO terminal_report (account_kid, terminal_kid, received_at, device_time, seq, parts)
           SELECT $1, $2, timestamptz '2001-01-01 00:00Z' + n * interval '1 second', now(), n, '{}'
           FROM generate_series(1, $3::int) n`,
          [account_kid, kids[0], deleted],
        )
      }
      await fill()
      const row_by_row = await timed(`DELETE FROM terminal_report WHERE received_at < '2001-02-01T00:00:00Z'`)
      await client.query('DROP TABLE terminal_report_old')
      await fill()
      const dropped = await timed('DROP TABLE IF EXISTS terminal_report_old')
      return [dropped, row_by_row]
    },
    async close() {
      if (!is_open) return
      is_open = false
      await fleet.stop()
      await idle.stop()
      await server.stop()
      await client.end()
      await rm(home, { recursive: true, force: true })
    },
  }
}
