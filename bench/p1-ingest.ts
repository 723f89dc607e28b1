import { newSecret } from '../apps/server/src/lib/ids.ts'
import type { BareOrder, BareReport } from './bare-ingest.ts'
import { startSource, tell } from './children.ts'
import { onPostgres, openIngest } from './ingest.ts'
import { against, durable, interleaved, row, sized } from './measure.ts'
import type { Row, Sample } from './measure.ts'
import { treeCpuSeconds } from './processes.ts'
import { seedFleet } from './seed.ts'

const [rounds, seconds, warm_up_seconds] = [sized(5, 1), sized(4, 1), sized(3, 1)]
const devices = 200
/** What the server's group commit reaches under this load, and its upper bound. */
const batch = 1_000
const wanted_per_second = 10_000

/** P1: acknowledged device reports a second, each in the database before its PUBACK, against a bare client's same rows. */
export const run = (log: (text: string) => void): Promise<Row[]> =>
  onPostgres(durable, async ({ database, client, later }) => {
    const server = await openIngest(database, devices)
    later(() => server.close())
    const theirs = await seedFleet(client, newSecret(), devices)
    const bare = startSource('bare-ingest.ts')
    later(() => bare.stop())

    const measureServer = async (time = seconds): Promise<Sample> => {
      const sample = await server.measure(time)
      log(`${Math.round(sample.value)} messages/s`)
      return sample
    }
    const measureBare = async (time = seconds): Promise<Sample> => {
      const before = treeCpuSeconds(database.pid)
      const report = await tell<BareReport>(bare, {
        url: database.url,
        ...theirs,
        batch,
        seconds: time,
      } satisfies BareOrder)
      const value = report.rows / report.seconds
      log(`${Math.round(value)} rows/s by the bare client`)
      return { value, cpu_seconds: (report.cpu_seconds + treeCpuSeconds(database.pid) - before) / report.rows }
    }
    await measureServer(warm_up_seconds)
    await measureBare(warm_up_seconds)
    const pairs = await interleaved(rounds, measureServer, measureBare)

    const { stored, acknowledged, shares, faults } = await server.check()
    const notes = [
      `${stored.toLocaleString('en')} rows = ${acknowledged.toLocaleString('en')} acknowledgements; ` +
        `${devices} devices, ${batch} rows a bare batch, fsync and synchronous_commit on`,
      `server + broker + PostgreSQL: ${shares.slice(1).join('; ')} of a core`,
      ...faults,
    ]
    const is_valid = faults.length === 0
    const floor = against(
      pairs.map(([sample]) => sample),
      wanted_per_second,
    )
    return [
      row('P1', 'durable messages/s / bare rows/s', pairs, '>= 0.5', (r) => is_valid && r.median >= 0.5, notes),
      row('P1', 'durable messages/s / 10,000', floor, '>= 1', (r) => is_valid && r.median >= 1),
    ]
  })
