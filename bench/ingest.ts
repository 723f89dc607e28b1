import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { newSecret } from '../apps/server/src/lib/ids.ts'
import { startPostgres } from '../apps/server/src/testing/postgres.ts'
import { reply, startSource, tell } from './children.ts'
import type { FleetOrder, FleetReport } from './fleet-process.ts'
import type { Sample } from './measure.ts'
import { cpuSeconds, treeCpuSeconds } from './processes.ts'
import type { Running } from './processes.ts'
import { seedFleet } from './seed.ts'
import type { Asked, ServerReady } from './server-process.ts'

/** A generator that uses more of its core than that measures itself. */
const most_of_core = 0.9
export type Database = { url: string; pid: number }
export type Ingest = Awaited<ReturnType<typeof openIngest>>

type OnPostgres = {
  database: Database
  client: pg.Client
  /** What was opened for the work is closed after it, the last first. */
  later: (close: () => unknown) => void
}
/** A PostgreSQL with these settings, for as long as the work takes. */
export async function onPostgres<T>(settings: string[], work: (on: OnPostgres) => Promise<T>): Promise<T> {
  const postgres = await startPostgres(settings)
  const closes: (() => unknown)[] = [() => postgres.stop()]
  const later: OnPostgres['later'] = (close) => void closes.push(close)
  try {
    const url = await postgres.createDatabase()
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    later(() => client.end())
    return await work({ database: { url, pid: await postmaster(client) }, client, later })
  } finally {
    for (const close of closes.toReversed()) await close()
  }
}

/** Devices that report as fast as they are acknowledged. Of each run: how much, and what the generator needed. */
export async function openFleet(port: number, kids: string[], secret: string) {
  const fleet = startSource('fleet-process.ts')
  await tell<'connected'>(fleet, { connect: { port, kids, secret } } satisfies FleetOrder)
  let busiest = 0
  return {
    async run(seconds: number, per_second?: number): Promise<FleetReport> {
      const report = await tell<FleetReport>(fleet, { run: { seconds, per_second } } satisfies FleetOrder)
      busiest = Math.max(busiest, report.cpu_seconds / report.seconds)
      return report
    },
    /** What makes a run void, or undefined. */
    whyVoid: () =>
      busiest > most_of_core ? `VOID: the generator used ${Math.round(busiest * 100)}% of its core` : undefined,
    stop: () => fleet.stop(),
  }
}

/** What makes the figures of a run worthless. */
export const faultsOf = (
  stored: number,
  acknowledged: number,
  fleet: Awaited<ReturnType<typeof openFleet>>,
): string[] =>
  [
    stored === acknowledged ? undefined : `FAILED: ${stored} rows, ${acknowledged} acknowledgements`,
    fleet.whyVoid(),
  ].filter((fault) => fault !== undefined)

/** A server on PostgreSQL, or with its own database, and devices that report to it. */
export async function openIngest(database: Database | 'embedded', devices: number) {
  const home = await mkdtemp(join(tmpdir(), 'mdm-ingest-'))
  const server = startSource('server-process.ts', {
    ...{ MDM_DATA: home, MDM_LOG_LEVEL: 'error', MDM_HTTP_HOST: '127.0.0.1', MDM_MQTT_HOST: '127.0.0.1' },
    ...(database === 'embedded' ? {} : { DATABASE_URL: database.url, MDM_ALLOW_PLAIN_DATABASE: 'true' }),
  })
  const stop = async () => {
    await server.stop()
    await rm(home, { recursive: true, force: true })
  }
  try {
    const { mqtt_port } = await reply<ServerReady>(server)
    const secret = newSecret()
    const { account_kid, kids } = await seedFleet(databaseOf(server), secret, devices)
    const fleet = await openFleet(mqtt_port, kids, secret)
    let acknowledged = 0
    const shares: string[] = []
    return {
      server,
      query: databaseOf(server).query,
      lag: (is_watched: boolean) => tell<number>(server, { watch_lag: is_watched } satisfies Asked),
      /** Acknowledged messages a second, and CPU seconds of server, broker and database for each. */
      async measure(seconds: number): Promise<Sample> {
        const before = cpuOf(server, database)
        const report = await fleet.run(seconds)
        const used = cpuOf(server, database).map((cpu, i) => cpu - before[i]!)
        acknowledged += report.acknowledged
        shares.push(used.map((cpu) => `${Math.round((cpu / report.seconds) * 100)}%`).join(' + '))
        return { value: report.acknowledged / report.seconds, cpu_seconds: sum(used) / report.acknowledged }
      },
      /** CPU milliseconds of a report at so many a second: of the server with its broker, and of the database. */
      async parts(seconds: number, per_second: number) {
        const before = cpuOf(server, database)
        const { acknowledged: reports } = await fleet.run(seconds, per_second)
        const [own, broker, stored = 0] = cpuOf(server, database).map((cpu, i) => cpu - before[i]!)
        acknowledged += reports
        const msOf = (cpu: number) => (cpu / reports) * 1_000
        return { server_ms: msOf(own! + broker!), database_ms: msOf(stored), reports }
      },
      /** Milliseconds until an acknowledgement, of 99 among 100, at so many messages a second. */
      async waits(seconds: number, per_second: number): Promise<number> {
        const report = await fleet.run(seconds, per_second)
        acknowledged += report.acknowledged
        return report.p99_ms
      },
      /** Rows, acknowledgements, and what makes the figures worthless. */
      async check() {
        const { rows } = await databaseOf(server).query(
          'SELECT count(*) AS n FROM terminal_report WHERE account_kid = $1',
          [account_kid],
        )
        const stored = Number((rows as { n: string }[])[0]!.n)
        const faults = faultsOf(stored, acknowledged, fleet)
        return { stored, acknowledged, shares, faults }
      },
      async close() {
        await fleet.stop()
        await stop()
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The database of a server, asked by itself: the embedded one lets nobody else in. */
export const databaseOf = (server: Running) => ({
  query: async (text: string, values: unknown[] = []): Promise<{ rows: object[] }> => ({
    rows: await tell<object[]>(server, { text, values } satisfies Asked),
  }),
})

const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0)
/** Server, its broker process, PostgreSQL. */
function cpuOf(server: Running, database: Database | 'embedded'): number[] {
  const own = cpuSeconds(server.pid)
  const parts = [own, treeCpuSeconds(server.pid) - own]
  return database === 'embedded' ? parts : [...parts, treeCpuSeconds(database.pid)]
}

/** Of the PostgreSQL that a client is connected to. */
export async function postmaster(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory')
  return Number(readFileSync(join(rows[0]!.data_directory, 'postmaster.pid'), 'utf8').split('\n', 1)[0])
}
