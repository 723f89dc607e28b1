import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { contract } from '@mdm/contract'
import type { Call, Envelope, Out, TerminalExport } from '@mdm/contract'
import { planner_options } from '../apps/server/src/db/postgres.ts'
import { startPostgres } from '../apps/server/src/db/postgres-for-tests.ts'
import { reply, startSource } from './children.ts'
import { insertFleet } from './device-rows.ts'
import { interleaved, row } from './measure.ts'
import type { Row, Sample } from './measure.ts'
import { cpuSeconds, treeCpuSeconds, treeMemory } from './processes.ts'
import type { Running } from './processes.ts'
import { seedPerson } from './seed.ts'
import type { ServerReady } from './server-process.ts'

const rounds = 5
const devices = 100_000
const look_ms = 100
const settle_ms = 3_000
const mib = 1024 * 1024
const limits = { xlsx_seconds: 5, memory_mib: 64, cancel_seconds: 1 }

/** What a person exports who chose every column, and the same for COPY. */
const columns: Record<string, string> = {
  sn: 't.sn', name: 't.name', is_online: 's.is_online', last_online_at: 's.last_online_at', battery_level: 's.battery_level',
  network_type: 's.network_type', signal: 's.signal', terminal_group_name: 'g.name AS terminal_group_name', model: 't.model',
  os_name: 't.os_name', os_version: 't.os_version', registered_at: 't.registered_at', imei: 't.imei', device_name: 't.host',
  ap_name: `s.wifi ->> 'ssid' AS ap_name`, battery_health: `s.battery ->> 'health' AS battery_health`,
  battery_temperature: `s.battery ->> 'temperature' AS battery_temperature`, tags: 't.tags',
} // prettier-ignore

type Format = 'csv' | 'xlsx'
type Site = {
  server: Running
  client: pg.Client
  postgres_pid: number
  data: string
  call: Calling
  account_kid: string
}
type Calling = <C extends Call>(call: C, input?: object) => Promise<Out<C>>
const calls = contract.terminalExport.calls

/** P9: a fleet as a file, from the click to its last byte, against COPY of the same columns by PostgreSQL itself. */
export async function run(log: (text: string) => void): Promise<Row[]> {
  const data = await mkdtemp(join(tmpdir(), 'mdm-p9-'))
  const postgres = await startPostgres(['shared_buffers=256MB', 'max_wal_size=4GB'])
  const url = await postgres.createDatabase()
  const client = new pg.Client({ connectionString: url, options: planner_options })
  const server = startSource('server-process.ts', {
    ...{ DATABASE_URL: url, MDM_ALLOW_PLAIN_DATABASE: 'true', MDM_DATA: data, MDM_LOG_LEVEL: 'error' },
    ...{ MDM_HTTP_HOST: '127.0.0.1', MDM_MQTT_HOST: '127.0.0.1' },
  })
  try {
    const { http_port } = await reply<ServerReady>(server)
    await client.connect()
    const { account_kid, token } = await seedPerson(client)
    await insertFleet(client, { account_kid, devices, groups: 120 })
    await client.query('VACUUM ANALYZE')
    const call = calling(`http://127.0.0.1:${http_port}/api/`, token)
    const site: Site = { server, client, postgres_pid: await postmaster(client), data, call, account_kid }
    log('warm-up')
    for (const format of ['csv', 'xlsx'] as const) await exported(site, format)
    await copied(site)
    // A server that has worked, at rest: V8 keeps what it has taken, and what exports add to that is what counts.
    await delay(settle_ms)
    const rest = treeMemory(server.pid)
    const peak = { bytes: rest }
    const stop = watched(server, peak)
    const timed = async (format: Format): Promise<Sample> => {
      const sample = await exported(site, format)
      log(`${format}: ${sample.value.toFixed(2)} s`)
      return sample
    }
    const csv = await interleaved(rounds, () => timed('csv'), () => copied(site)) // prettier-ignore
    const xlsx: Sample[] = []
    for (let round = 0; round < rounds; round++) xlsx.push(await timed('xlsx'))
    const cancels: Sample[] = []
    for (let round = 0; round < rounds; round++) cancels.push(await canceled(site, round % 2 === 0 ? 'csv' : 'xlsx'))
    await stop()
    const memory: Sample = { value: (peak.bytes - rest) / mib, cpu_seconds: 0 }
    const against = (samples: Sample[], value: number): [Sample, Sample][] =>
      samples.map((sample) => [sample, { ...sample, value }])
    const note = `${devices.toLocaleString('en')} devices, ${Object.keys(columns).length} columns; from the call to the last byte downloaded`
    return [
      row('P9', 'CSV seconds / COPY seconds', csv, '<= 10', (r) => r.median <= 10, [note]),
      row('P9', `XLSX seconds / ${limits.xlsx_seconds}`, against(xlsx, limits.xlsx_seconds), '<= 1', (r) => r.median <= 1),
      row('P9', `MiB above rest, at most / ${limits.memory_mib}`, against([memory], limits.memory_mib), '<= 1', (r) => r.max <= 1),
      row('P9', `seconds from cancelling to nothing being written / ${limits.cancel_seconds}`, against(cancels, limits.cancel_seconds), '<= 1', (r) => r.max <= 1),
    ] // prettier-ignore
  } finally {
    await client.end().catch(() => {})
    await server.stop()
    await postgres.stop()
    await rm(data, { recursive: true, force: true })
  }
}

function calling(base: string, token: string): Calling {
  return async <C extends Call>(call: C, input: object = {}) => {
    const is_get = call.method === 'GET'
    const query = new URLSearchParams(is_get ? (input as Record<string, string>) : {})
    const response = await fetch(`${base}${call.path}?${query}`, {
      method: call.method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(is_get ? {} : { body: JSON.stringify(input) }),
    })
    if (!response.headers.get('content-type')?.startsWith('application/json')) {
      let bytes = 0
      for await (const chunk of response.body!) bytes += (chunk as Uint8Array).length
      return bytes as Out<C>
    }
    const { result, message, data } = (await response.json()) as Envelope
    if (result !== 1) throw new Error(`${call.path}: ${result} ${message} ${JSON.stringify(data)}`)
    return data as Out<C>
  }
}

const begin = ({ call }: Site, format: Format): Promise<TerminalExport> =>
  call(calls.export, {
    match: {},
    format,
    name: 'Devices',
    zone_id: 'Asia/Ho_Chi_Minh',
    columns: Object.keys(columns).map((key) => ({ key, title: key })),
  })

async function followed({ call }: Site, kid: string, until: (job: TerminalExport) => boolean): Promise<TerminalExport> {
  for (;;) {
    const job = (await call(calls.list_export_schedule)).find(({ schedule_version }) => schedule_version === kid)!
    if (job.state === 'failed') throw new Error('an export failed')
    if (until(job)) return job
    await delay(look_ms)
  }
}

async function exported(site: Site, format: Format): Promise<Sample> {
  const { server, postgres_pid, call } = site
  const cpu = () => treeCpuSeconds(server.pid) + treeCpuSeconds(postgres_pid)
  const before = cpu()
  const begun = performance.now()
  const { schedule_version } = await begin(site, format)
  const { done, size } = await followed(site, schedule_version, ({ state }) => state === 'done')
  const bytes = await call(calls.download_export, { schedule_version })
  const value = (performance.now() - begun) / 1000
  if (done !== devices || (bytes as unknown) !== size) throw new Error(`${done} devices, ${size} bytes`)
  return { value, cpu_seconds: cpu() - before }
}

async function copied({ client, postgres_pid, account_kid }: Site): Promise<Sample> {
  const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory')
  const file = join(rows[0]!.data_directory, 'p9.csv')
  const select = `SELECT ${Object.values(columns).join(', ')} FROM terminal t JOIN terminal_state s ON s.terminal_kid = t.kid
    LEFT JOIN terminal_group g ON g.kid = t.terminal_group_kid WHERE t.account_kid = '${account_kid}' ORDER BY t.registered_at DESC, t.kid DESC`
  const before = treeCpuSeconds(postgres_pid)
  const begun = performance.now()
  await client.query(`COPY (${select}) TO '${file}' WITH (FORMAT csv, HEADER)`)
  const value = (performance.now() - begun) / 1000
  await rm(file)
  return { value, cpu_seconds: treeCpuSeconds(postgres_pid) - before }
}

/** Until the half-written file is gone: then nothing works on it any more. */
async function canceled(site: Site, format: Format): Promise<Sample> {
  const { call, data, server } = site
  const { schedule_version } = await begin(site, format)
  await followed(site, schedule_version, ({ done }) => done > 0)
  const before = cpuSeconds(server.pid)
  const begun = performance.now()
  await call(calls.cancel_export_schedule, { schedule_version })
  while ((await readdir(join(data, 'objects', 'arriving'))).length > 0) await delay(5)
  return { value: (performance.now() - begun) / 1000, cpu_seconds: cpuSeconds(server.pid) - before }
}

/** Notes the most memory that the server has at any look. */
function watched(server: Running, peak: { bytes: number }): () => Promise<void> {
  const over = new AbortController()
  const looks = (async () => {
    while (!over.signal.aborted) {
      peak.bytes = Math.max(peak.bytes, treeMemory(server.pid))
      await delay(100)
    }
  })()
  return async () => {
    over.abort()
    await looks
  }
}

async function postmaster(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory')
  return Number((await readFile(`${rows[0]!.data_directory}/postmaster.pid`, 'utf8')).split('\n', 1)[0])
}
