import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { contract } from '@mdm/contract'
import type { TerminalExport } from '@mdm/contract'
import { memoryAbove, withSite } from './console-site.ts'
import type { Site } from './console-site.ts'
import { insertFleet } from './device-rows.ts'
import { postmaster } from './ingest.ts'
import { against, interleaved, row, sampleOf } from './measure.ts'
import type { Row, Sample } from './measure.ts'
import { cpuSeconds, treeCpuSeconds } from './processes.ts'

const rounds = 5
const devices = 100_000
const look_ms = 100
const limits = { xlsx_seconds: 15, memory_mib: 96, cancel_seconds: 1 }

/** What a person exports who chose every column, and the same for COPY. */
const columns: Record<string, string> = {
  sn: 't.sn',
  name: 't.name',
  is_online: 's.is_online',
  last_online_at: 's.last_online_at',
  battery_level: 's.battery_level',
  network_type: 's.network_type',
  signal: 's.signal',
  terminal_group_name: 'g.name AS terminal_group_name',
  model: 't.model',
  os_name: 't.os_name',
  os_version: 't.os_version',
  registered_at: 't.registered_at',
  imei: 't.imei',
  device_name: 't.host',
  ap_name: `s.wifi ->> 'ssid' AS ap_name`,
  battery_health: `s.battery ->> 'health' AS battery_health`,
  battery_temperature: `s.battery ->> 'temperature' AS battery_temperature`,
  tags: 't.tags',
}

type Format = 'csv' | 'xlsx'
const calls = contract.terminalExport.calls

/** P9: a fleet as a file, from the click to its last byte, against COPY of the same columns by PostgreSQL itself. */
export const run = (log: (text: string) => void): Promise<Row[]> =>
  withSite(async (site) => {
    const { client, account_kid } = site
    await insertFleet(client, { account_kid, devices, groups: 120 })
    await client.query('VACUUM ANALYZE')
    const postgres_pid = await postmaster(client)
    log('warm-up')
    for (const format of ['csv', 'xlsx'] as const) await exported(site, postgres_pid, format)
    await copied(site, postgres_pid)
    const timed = async (format: Format): Promise<Sample> => {
      const sample = await exported(site, postgres_pid, format)
      log(`${format}: ${sample.value.toFixed(2)} s`)
      return sample
    }
    let csv: [Sample, Sample][] = []
    const [xlsx, cancels]: [Sample[], Sample[]] = [[], []]
    const above = await memoryAbove(site, log, async () => {
      csv = await interleaved(
        rounds,
        () => timed('csv'),
        () => copied(site, postgres_pid),
      )
      for (let round = 0; round < rounds; round++) xlsx.push(await timed('xlsx'))
      for (let round = 0; round < rounds; round++) cancels.push(await canceled(site, round % 2 === 0 ? 'csv' : 'xlsx'))
    })
    const note = `${devices.toLocaleString('en')} devices, ${Object.keys(columns).length} columns; from the call to the last byte downloaded`
    return [
      row('P9', 'CSV seconds / COPY seconds', csv, '<= 10', (r) => r.median <= 10, [note]),
      row(
        'P9',
        `XLSX seconds / ${limits.xlsx_seconds}`,
        against(xlsx, limits.xlsx_seconds),
        '<= 1',
        (r) => r.median <= 1,
      ),
      row(
        'P9',
        `MiB above rest, at most / ${limits.memory_mib}`,
        against([sampleOf(above)], limits.memory_mib),
        '<= 1',
        (r) => r.max <= 1,
      ),
      row(
        'P9',
        `seconds from canceling to nothing being written / ${limits.cancel_seconds}`,
        against(cancels, limits.cancel_seconds),
        '<= 1',
        (r) => r.max <= 1,
      ),
    ]
  })

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

async function exported(site: Site, postgres_pid: number, format: Format): Promise<Sample> {
  const { server, response } = site
  const cpu = () => treeCpuSeconds(server.pid) + treeCpuSeconds(postgres_pid)
  const before = cpu()
  const begun = performance.now()
  const { schedule_version } = await begin(site, format)
  const { done, size } = await followed(site, schedule_version, ({ state }) => state === 'done')
  const file = await response(calls.download_export, { schedule_version })
  let bytes = 0
  for await (const chunk of file.body!) bytes += (chunk as Uint8Array).length
  const value = (performance.now() - begun) / 1000
  if (done !== devices || bytes !== size) throw new Error(`${done} devices, ${size} bytes`)
  return { value, cpu_seconds: cpu() - before }
}

async function copied({ client, account_kid }: Site, postgres_pid: number): Promise<Sample> {
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
