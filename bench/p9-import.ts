import { batch_limits, contract } from '@mdm/contract'
import { writeXlsx } from 'hucre/xlsx'
import { memoryAbove, upload, withSite } from './console-site.ts'
import type { Site } from './console-site.ts'
import { against, interleaved, row, sampleOf } from './measure.ts'
import type { Row, Sample } from './measure.ts'
import { cpuSeconds, treeCpuSeconds } from './processes.ts'

const rounds = 3
const { rows } = batch_limits
/** The sheet is there as bytes, as rows and as the body that comes back; 64 MiB is what an export may take. */
const memory_mib = 128
const code = 'ABC234'
const calls = contract.terminalBatch.calls

/** P9: the largest sheet that is taken, from the file to the last device, against inserting the same rows by hand. */
export const run = (log: (text: string) => void): Promise<Row[]> =>
  withSite(async (site) => {
    await imported(site, 0)
    let round = 0
    let pairs: [Sample, Sample][] = []
    const above = await memoryAbove(site, log, async () => {
      pairs = await interleaved(
        rounds,
        async () => {
          const sample = await imported(site, (round += 1))
          log(`${rows.toLocaleString('en')} rows: ${sample.value.toFixed(1)} s`)
          return sample
        },
        () => byHand(site, round),
      )
    })
    const note = `${rows.toLocaleString('en')} rows: uploaded, looked at, registered; CPU of the server without PostgreSQL`
    return [
      row('P9', 'import seconds / seconds of plain inserts', pairs, '<= 10', (r) => r.median <= 10, [note]),
      row(
        'P9',
        `import MiB above rest, at most / ${memory_mib}`,
        against([sampleOf(above)], memory_mib),
        '<= 1',
        (r) => r.max <= 1,
      ),
    ]
  })

const snOf = (round: number, n: number) => `B${round}-${n}`

/** As a person does it in the console: the file, the look at it, the start, until the last row has its outcome. */
async function imported(site: Site, round: number): Promise<Sample> {
  const { client, server } = site
  await client.query(
    `INSERT INTO announcement (sn, claim_hash, registration_code, device, address, announced_at, expires_at)
     SELECT 'B' || $1::int || '-' || n, decode(md5(n::text) || md5(n::text), 'hex'), $2,
       '{"model":"M1","os_name":"Linux","os_version":"6","service_version":"1","protocol_version":1}', '10.0.0.1', now(), now() + interval '7 days'
     FROM generate_series(0, $3::int - 1) n`,
    [round, code, rows],
  )
  const lines = Array.from({ length: rows }, (_, n) => [snOf(round, n), 'WO-1', code, `Device ${n}`])
  const sheet = await writeXlsx({
    sheets: [{ name: 'S', rows: [['SN', 'Work order', 'Verification code', 'Alias'], ...lines] }],
  })
  const started = performance.now()
  const cpu = treeCpuSeconds(server.pid)
  const { rows: found, bad } = await site.call(calls.preview_batch, { upload_kid: await upload(site, sheet) })
  if (bad > 0 || found.length !== rows) throw new Error(`${bad} of ${found.length} rows are bad`)
  const schedule_version = `bench-${round}`
  const file = await site.response(calls.batch_registered, { terminalDtos: found, schedule_version })
  if (!file.ok) throw new Error(`the import did not start: ${await file.text()}`)
  for await (const _ of file.body!);
  const job = await site.call(calls.get_batch_registered_schedule, { schedule_version })
  if (job.ok !== rows) throw new Error(`${job.ok} of ${rows} were registered`)
  return { value: (performance.now() - started) / 1_000, cpu_seconds: treeCpuSeconds(server.pid) - cpu }
}

/** The devices alone, in one statement each table: what no import could be faster than. */
async function byHand({ client, account_kid }: Site, round: number): Promise<Sample> {
  const started = performance.now()
  const { rows: found } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  const { pid } = found[0]!
  const cpu = cpuSeconds(pid)
  await client.query('BEGIN')
  await client.query(
    `INSERT INTO terminal (kid, account_kid, sn, name, work_order, claim_hash, registered_at)
     SELECT gen_random_uuid(), $1, 'H' || $2::int || '-' || n, 'Device ' || n, 'WO-1', decode(md5(n::text), 'hex'), now()
     FROM generate_series(0, $3::int - 1) n`,
    [account_kid, round, rows],
  )
  await client.query(
    `INSERT INTO terminal_state (terminal_kid, account_kid) SELECT kid, account_kid FROM terminal WHERE sn LIKE 'H' || $1::int || '-%'`,
    [round],
  )
  await client.query('COMMIT')
  return { value: (performance.now() - started) / 1_000, cpu_seconds: cpuSeconds(pid) - cpu }
}
