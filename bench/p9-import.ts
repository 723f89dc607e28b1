import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { batch_limits, contract } from '@mdm/contract'
import type { BatchJob, BatchPreview, Call, Envelope, Out } from '@mdm/contract'
import { writeXlsx } from 'hucre/xlsx'
import { startPostgres } from '../apps/server/src/db/postgres-for-tests.ts'
import { reply, startSource } from './children.ts'
import { interleaved, row } from './measure.ts'
import type { Row, Sample } from './measure.ts'
import { cpuSeconds, treeCpuSeconds, treeMemory } from './processes.ts'
import type { Running } from './processes.ts'
import { seedPerson } from './seed.ts'
import type { ServerReady } from './server-process.ts'

const rounds = 3
const { rows } = batch_limits
const look_ms = 200
const settle_ms = 3_000
const mib = 1024 * 1024
/** The sheet is there as bytes, as rows and as the body that comes back; 64 MiB is what an export may take. */
const memory_mib = 128
const code = 'ABC234'
const calls = contract.terminalBatch.calls

type Site = { server: Running; client: pg.Client; account_kid: string; send: Sending; url: string; token: string }
type Sending = (call: Call, input: object) => Promise<Response>

/** P9: the largest sheet that is taken, from the file to the last device, against inserting the same rows by hand. */
export async function run(log: (text: string) => void): Promise<Row[]> {
  const data = await mkdtemp(join(tmpdir(), 'mdm-p9-'))
  const postgres = await startPostgres(['shared_buffers=256MB', 'max_wal_size=4GB'])
  const url = await postgres.createDatabase()
  const client = new pg.Client({ connectionString: url })
  const server = startSource('server-process.ts', {
    ...{ DATABASE_URL: url, MDM_ALLOW_PLAIN_DATABASE: 'true', MDM_DATA: data, MDM_LOG_LEVEL: 'error' },
    ...{ MDM_HTTP_HOST: '127.0.0.1', MDM_MQTT_HOST: '127.0.0.1' },
  })
  try {
    const { http_port } = await reply<ServerReady>(server)
    await client.connect()
    const { account_kid, token } = await seedPerson(client)
    const base = `http://127.0.0.1:${http_port}`
    const site: Site = { server, client, account_kid, send: sending(base, token), url: base, token }
    await imported(site, 0)
    await delay(settle_ms)
    const rest = treeMemory(server.pid)
    let peak = rest
    const watch = setInterval(() => (peak = Math.max(peak, treeMemory(server.pid))), look_ms)
    let round = 0
    const pairs = await interleaved(
      rounds,
      async () => {
        const sample = await imported(site, (round += 1))
        log(`${rows.toLocaleString('en')} rows: ${sample.value.toFixed(1)} s`)
        return sample
      },
      () => byHand(site, round),
    )
    clearInterval(watch)
    const above = (peak - rest) / mib
    log(`memory: ${Math.round(rest / mib)} MiB at rest, ${Math.round(above)} MiB more at most`)
    const note = `${rows.toLocaleString('en')} rows: uploaded, looked at, registered; CPU of the server without PostgreSQL`
    return [
      row('P9', 'import seconds / seconds of plain inserts', pairs, '<= 10', (r) => r.median <= 10, [note]),
      row('P9', `import MiB above rest, at most / ${memory_mib}`, [[{ value: above, cpu_seconds: 0 }, { value: memory_mib, cpu_seconds: 0 }]], '<= 1', (r) => r.max <= 1),
    ] // prettier-ignore
  } finally {
    await client.end().catch(() => {})
    await server.stop()
    await postgres.stop()
    await rm(data, { recursive: true, force: true })
  }
}

const sending =
  (base: string, token: string): Sending =>
  (call, input) => {
    const query = call.method === 'GET' ? `?${new URLSearchParams(input as Record<string, string>)}` : ''
    return fetch(`${base}/api/${call.path}${query}`, {
      method: call.method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(call.method === 'POST' && { body: JSON.stringify(input) }),
    })
  }
async function answer<C extends Call>({ send }: Site, call: C, input: object): Promise<Out<C>> {
  const { result, message, data } = (await (await send(call, input)).json()) as Envelope
  if (result !== 1) throw new Error(`${call.path}: ${result} ${message}`)
  return data as Out<C>
}

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
  const { rows: found, bad }: BatchPreview = await answer(site, calls.preview_batch, {
    upload_kid: await upload(site, sheet),
  })
  if (bad > 0 || found.length !== rows) throw new Error(`${bad} of ${found.length} rows are bad`)
  const schedule_version = `bench-${round}`
  const file = await site.send(calls.batch_registered, { terminalDtos: found, schedule_version })
  if (!file.ok) throw new Error(`the import did not start: ${await file.text()}`)
  for await (const _ of file.body!);
  const job: BatchJob = await answer(site, calls.get_batch_registered_schedule, { schedule_version })
  if (job.ok !== rows) throw new Error(`${job.ok} of ${rows} were registered`)
  return { value: (performance.now() - started) / 1_000, cpu_seconds: treeCpuSeconds(server.pid) - cpu }
}

async function upload({ url, token }: Site, bytes: Uint8Array): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, 'tus-resumable': '1.0.0' }
  const created = await fetch(`${url}/upload`, {
    method: 'POST',
    headers: { ...headers, 'upload-length': String(bytes.length) },
  })
  const kid = created.headers.get('location')!.split('/').at(-1)!
  await fetch(`${url}/upload/${kid}`, {
    method: 'PATCH',
    headers: { ...headers, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
    body: new Uint8Array(bytes),
  })
  return kid
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
