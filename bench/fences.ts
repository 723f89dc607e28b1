import { newKid } from '../apps/server/src/lib/ids.ts'
import { judgeHeard } from '../apps/server/src/modules/configuration/electronic-fence/index.ts'
import { testDeps } from '../apps/server/src/testing/deps.ts'
import { startPostgres } from '../apps/server/src/testing/postgres.ts'
import pg from 'pg'
import { against, row } from './measure.ts'
import type { Row, Sample } from './measure.ts'
import { treeCpuSeconds } from './processes.ts'
import { seedFleet } from './seed.ts'

const [rounds, devices, reports, batch, limit_ms] = [5, 1_000, 10_000, 50, 0.3]

/** Position reports of devices that each have a fence of their own: what judging adds to them, server and database together. */
export async function run(log: (text: string) => void): Promise<Row[]> {
  const postgres = await startPostgres(['shared_buffers=256MB'])
  const url = await postgres.createDatabase()
  const deps = await testDeps({ url })
  const client = new pg.Client({ connectionString: url })
  try {
    await client.connect()
    const { account_kid, kids } = await seedFleet(client, 'bench', devices)
    const fences = kids.map((terminal_kid, n) => ({ terminal_kid, kid: newKid(), longitude: 105 + n / 1_000 }))
    await client.query(
      `WITH r AS (SELECT * FROM jsonb_to_recordset($2::jsonb) AS r(terminal_kid uuid, kid uuid, longitude float8)),
       f AS (INSERT INTO electronic_fence (kid, account_kid, name, is_on, longitude, latitude, radius, duration, accuracy, is_locking,
           created_at, updated_by_kid, updated_by, updated_at)
         SELECT kid, $1, kid::text, true, longitude, 21, 500, 0, 'common', false, now(), kid, 'bench', now() FROM r)
       INSERT INTO terminal_fence (terminal_kid, account_kid, fence_kid, fence_version) SELECT terminal_kid, $1, kid, 1 FROM r`,
      [account_kid, JSON.stringify(fences)],
    )
    await client.query('VACUUM ANALYZE')
    let at = deps.clock.now().getTime()
    const times: Sample[] = []
    for (let round = 0; round < rounds; round++) {
      const before = treeCpuSeconds(process.pid)
      for (let n = 0; n < reports; n += batch) {
        at += 1_000
        const heard = Array.from({ length: batch }, (_, i) => {
          const of = fences[(n + i) % devices]!
          // In and out again and again: every tenth report crosses.
          const latitude = 21 + (Math.floor((n + i) / devices) % 10 === round % 10 ? 0.01 : 0.001)
          const positions = [{ longitude: of.longitude, latitude, accuracy: 10, at }]
          return { terminal_kid: of.terminal_kid, positions, status: undefined }
        })
        await deps.db.transaction().execute((trx) => judgeHeard(trx, heard, new Date(at)))
      }
      const cpu_seconds = treeCpuSeconds(process.pid) - before
      times.push({ value: (cpu_seconds * 1_000) / reports, cpu_seconds })
      log(`${((cpu_seconds * 1_000) / reports).toFixed(3)} ms of CPU for a report`)
    }
    const note = `${devices} devices, each with a fence of its own; ${batch} reports in a batch, as at 1,000 a second`
    return [
      row('fences', `ms of CPU per report / ${limit_ms}`, against(times, limit_ms), '<= 1', (r) => r.median <= 1, [
        note,
      ]),
    ]
  } finally {
    await client.end().catch(() => {})
    await deps.close()
    await postgres.stop()
  }
}
