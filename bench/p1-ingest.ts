import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startPostgres } from '../apps/server/src/testing/postgres.ts'
import { newSecret } from '../apps/server/src/lib/ids.ts'
import type { BareOrder, BareReport } from './bare-ingest.ts'
import { reply, startSource, tell } from './children.ts'
import type { FleetOrder, FleetReport } from './fleet-process.ts'
import { durable, interleaved, row, spread } from './measure.ts'
import type { Row, Sample } from './measure.ts'
import { cpuSeconds, treeCpuSeconds } from './processes.ts'
import type { Running } from './processes.ts'
import { seedFleet } from './seed.ts'
import type { ServerReady } from './server-process.ts'

const [rounds, seconds, warm_up_seconds] = [5, 4, 3]
const devices = 200
/** What the server's group commit reaches under this load, and its upper bound. */
const batch = 1_000
const wanted_per_second = 10_000

/** P1: acknowledged device reports a second, each in the database before its PUBACK, against a bare client's same rows. */
export async function run(log: (text: string) => void): Promise<Row[]> {
  const home = await mkdtemp(join(tmpdir(), 'mdm-p1-'))
  const postgres = await startPostgres(durable)
  const running: Running[] = []
  const open = (...args: Parameters<typeof startSource>) => {
    const one = startSource(...args)
    running.push(one)
    return one
  }
  const url = await postgres.createDatabase()
  const client = new pg.Client({ connectionString: url })
  try {
    const server = open('server-process.ts', {
      ...{ DATABASE_URL: url, MDM_ALLOW_PLAIN_DATABASE: 'true', MDM_DATA: home, MDM_LOG_LEVEL: 'error' },
      ...{ MDM_HTTP_HOST: '127.0.0.1', MDM_MQTT_HOST: '127.0.0.1' },
    })
    const { mqtt_port } = await reply<ServerReady>(server)
    await client.connect()
    const database_pid = await postmaster(client)
    const secret = newSecret()
    const [ours, theirs] = [await seedFleet(client, secret, devices), await seedFleet(client, secret, devices)]
    const fleet = open('fleet-process.ts')
    const bare = open('bare-ingest.ts')
    await tell<'connected'>(fleet, { connect: { port: mqtt_port, kids: ours.kids, secret } } satisfies FleetOrder)

    let acknowledged = 0
    const generator: number[] = []
    const shares: string[] = []
    const measureServer = async (time = seconds): Promise<Sample> => {
      const before = cpuOf(server, database_pid)
      const report = await tell<FleetReport>(fleet, { run: { seconds: time } } satisfies FleetOrder)
      const used = cpuOf(server, database_pid).map((cpu, i) => cpu - before[i]!)
      acknowledged += report.acknowledged
      generator.push(report.cpu_seconds / report.seconds)
      shares.push(used.map((cpu) => `${Math.round((cpu / report.seconds) * 100)}%`).join(' + '))
      const value = report.acknowledged / report.seconds
      log(`${Math.round(value)} messages/s; server + broker + PostgreSQL ${shares.at(-1)} of a core`)
      return { value, cpu_seconds: sum(used) / report.acknowledged }
    }
    const measureBare = async (time = seconds): Promise<Sample> => {
      const before = treeCpuSeconds(database_pid)
      const report = await tell<BareReport>(bare, { url, ...theirs, batch, seconds: time } satisfies BareOrder)
      const value = report.rows / report.seconds
      log(`${Math.round(value)} rows/s by the bare client`)
      return { value, cpu_seconds: (report.cpu_seconds + treeCpuSeconds(database_pid) - before) / report.rows }
    }
    await measureServer(warm_up_seconds)
    await measureBare(warm_up_seconds)
    generator.length = shares.length = 0
    const pairs = await interleaved(rounds, measureServer, measureBare)

    const rows = await countRows(client, ours.account_kid)
    const busiest = Math.max(...generator)
    const notes = [
      `${rows.toLocaleString('en')} rows = ${acknowledged.toLocaleString('en')} acknowledgements; ` +
        `${devices} devices, ${batch} rows a bare batch, fsync and synchronous_commit on`,
      `server + broker + PostgreSQL: ${shares.join('; ')} of a core; generator ${percent(spread(generator).median)}`,
    ]
    if (rows !== acknowledged) notes.push('FAILED: rows and acknowledgements differ')
    if (busiest > 0.9) notes.push(`VOID: the generator used ${percent(busiest)} of its core`)
    const is_valid = rows === acknowledged && busiest <= 0.9
    const floor = pairs.map(([sample]): [Sample, Sample] => [sample, { ...sample, value: wanted_per_second }])
    return [
      row('P1', 'durable messages/s / bare rows/s', pairs, '>= 0.5', (r) => is_valid && r.median >= 0.5, notes),
      row('P1', 'durable messages/s / 10,000', floor, '>= 1', (r) => is_valid && r.median >= 1),
    ]
  } finally {
    await client.end().catch(() => {})
    for (const one of running.toReversed()) await one.stop()
    await postgres.stop()
    await rm(home, { recursive: true, force: true })
  }
}

const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0)
const percent = (part: number) => `${Math.round(part * 100)}%`
/** Server, its broker process, PostgreSQL. */
const cpuOf = (server: Running, database_pid: number): number[] => {
  const own = cpuSeconds(server.pid)
  return [own, treeCpuSeconds(server.pid) - own, treeCpuSeconds(database_pid)]
}

async function postmaster(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory')
  return Number(readFileSync(join(rows[0]!.data_directory, 'postmaster.pid'), 'utf8').split('\n', 1)[0])
}

async function countRows(client: pg.Client, account_kid: string): Promise<number> {
  const { rows } = await client.query<{ n: string }>(
    `SELECT count(*) AS n FROM terminal_report WHERE account_kid = $1`,
    [account_kid],
  )
  return Number(rows[0]!.n)
}
