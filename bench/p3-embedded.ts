import { onPostgres, openIngest } from './ingest.ts'
import { against, interleaved, row, sampleOf, sized } from './measure.ts'
import type { Row, Sample } from './measure.ts'

const [rounds, seconds, warm_up_seconds] = [sized(5, 1), sized(4, 1), sized(3, 1)]
const devices = 200
const [aggregated, lag_ms] = [sized(100_000, 1_000), 50]
/** Groups every report of the day by its device, as a chart of the fleet would. */
const aggregate = `SELECT terminal_kid, count(*), avg(battery_level), max(cpu), avg(memory_used)
  FROM (SELECT * FROM terminal_report LIMIT $1) r GROUP BY terminal_kid`

/** P3: the same devices on the embedded database and on PostgreSQL, and what an aggregate does to the server beside it. */
export const run = (log: (text: string) => void): Promise<Row[]> =>
  // As PGlite: neither waits for the disk.
  onPostgres(['fsync=off', 'synchronous_commit=off'], async ({ database, later }) => {
    const limit = await openIngest(database, devices)
    later(() => limit.close())
    const embedded = await openIngest('embedded', devices)
    later(() => embedded.close())
    const measure = async (name: string, of: typeof limit, time = seconds): Promise<Sample> => {
      const sample = await of.measure(time)
      log(`${name}: ${Math.round(sample.value)} messages/s`)
      return sample
    }
    await measure('embedded', embedded, warm_up_seconds)
    await measure('PostgreSQL', limit, warm_up_seconds)
    const pairs = await interleaved(
      rounds,
      () => measure('embedded', embedded),
      () => measure('PostgreSQL', limit),
    )
    while ((await embedded.check()).stored < aggregated) await measure('embedded, for the aggregate', embedded)
    const lags: Sample[] = []
    for (let round = 0; round < rounds; round++) {
      await embedded.lag(true)
      const begun = performance.now()
      await embedded.query(aggregate, [aggregated])
      const took = performance.now() - begun
      lags.push(sampleOf(await embedded.lag(false)))
      log(
        `the aggregate took ${Math.round(took)} ms, the event loop was ${lags.at(-1)!.value.toFixed(1)} ms late (p99)`,
      )
    }
    const [embedded_sync] = (await embedded.query('SHOW fsync')).rows as { fsync: string }[]
    const faults = [...(await embedded.check()).faults, ...(await limit.check()).faults]
    const is_valid = faults.length === 0
    const note = `${devices} devices; fsync is ${embedded_sync!.fsync} in the embedded database and off in PostgreSQL; both servers' CPU with their brokers and databases`
    return [
      row('P3', 'messages/s embedded / on PostgreSQL', pairs, '>= 0.4', (r) => is_valid && r.median >= 0.4, [
        note,
        ...faults,
      ]),
      row(
        'P3',
        `ms that the event loop is late, p99, while ${aggregated.toLocaleString('en')} rows are aggregated / ${lag_ms}`,
        against(lags, lag_ms),
        '<= 1',
        (r) => r.median <= 1,
      ),
    ]
  })
