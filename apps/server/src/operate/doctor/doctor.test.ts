import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { examine, linesOf } from './doctor.ts'
import { judgeNodes } from './nodes.ts'
import { judgePostgres } from './services.ts'

let folder: string
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'mdm-doctor-'))))
afterAll(() => rm(folder, { recursive: true }))
afterEach(() => vi.unstubAllEnvs())

async function examined(lines: string[]) {
  const env_file = join(folder, 'settings')
  await writeFile(env_file, [`MDM_DATA=${join(folder, 'data')}`, ...lines].join('\n'))
  return examine({ env_file })
}
const faults = (findings: Awaited<ReturnType<typeof examined>>) =>
  findings.filter(({ state }) => state === 'fault').map(({ subject }) => subject)

it('finds a new installation fine, and says what it still lacks', async () => {
  const found = await examined(['MDM_HTTP_PORT=0', 'MDM_MQTT_PORT=0'])
  expect(faults(found)).toEqual([])
  const warned = found.filter(({ state }) => state === 'warning').map(({ subject }) => subject)
  expect(warned).toEqual(['data folder', 'certificate', 'mail', 'public address'])
  expect(linesOf(found).filter((line) => line.includes('->'))).toHaveLength(warned.length)
})

it('leaves alone what a first start is making', async () => {
  const folder_of_database = join(folder, 'data/db')
  await mkdir(join(folder_of_database, 'cluster'), { recursive: true })
  for (const name of ['first-boot-unfinished', 'cluster/PG_VERSION'])
    await writeFile(join(folder_of_database, name), '')
  const found = await examined(['MDM_HTTP_PORT=0', 'MDM_MQTT_PORT=0'])
  expect(found.find(({ subject }) => subject === 'database')).toMatchObject({ state: 'warning' })
  expect(await readdir(join(folder_of_database, 'cluster'))).toEqual(['PG_VERSION'])
  await rm(join(folder, 'data'), { recursive: true })
})

it('names every setting that is wrong', async () => {
  const found = await examined(['MDM_HTTP_PROT=80', 'MDM_LOG_LEVEL=loud'])
  expect(found.map(({ subject, state }) => `${subject} ${state}`)).toEqual(['settings fault', 'settings fault'])
})

it('finds a port that is taken, and services that are away', async () => {
  const taken = createServer()
  await new Promise<void>((done) => taken.listen(0, '127.0.0.1', done))
  const { port } = taken.address() as AddressInfo
  // Nobody listens on port 1.
  const found = await examined([
    `MDM_HTTP_PORT=${port}`,
    'MDM_HTTP_HOST=127.0.0.1',
    'DATABASE_URL=postgres://127.0.0.1:1/x',
    'MQTT_URL=mqtt://127.0.0.1:1',
    'MDM_SMTP_URL=smtp://127.0.0.1:1',
    'MDM_SMTP_FROM=mdm@example.com',
  ])
  taken.close()
  expect(faults(found)).toEqual(['ports', 'database', 'broker', 'mail'])
})

it('judges a PostgreSQL by its version, its settings and its clock', () => {
  const now = new Date('2026-06-01T12:00:00Z')
  const good = {
    version: 17,
    encoding: 'UTF8',
    max_connections: 100,
    others: 10,
    has_trgm: true,
    may_make_schema: true,
    fsync: 'on',
    full_page_writes: 'on',
    now,
  }
  expect(judgePostgres(good, now)).toMatchObject([{ state: 'fine' }])
  const bad = {
    ...good,
    version: 14,
    encoding: 'LATIN1',
    has_trgm: false,
    may_make_schema: false,
    fsync: 'off',
    others: 95,
  }
  const said = judgePostgres({ ...bad, now: new Date(now.getTime() + 60_000) }, now).map(({ state }) => state)
  expect(said).toEqual(['fault', 'fault', 'fault', 'warning', 'warning', 'warning', 'warning'])
})

it('judges the servers of one database by their files, their clocks and their connections', () => {
  const config = { s3: undefined, data_is_shared: false, database_pool: 10 }
  const node = (files: string, clock_apart_ms = 0) => ({ url: 'http://10.0.0.5:8081', files, clock_apart_ms })
  const states = (...asked: Parameters<typeof judgeNodes>) =>
    judgeNodes(...asked).map(({ subject, state }) => `${subject} ${state}`)
  expect(states(config, [node('folder a')], 100)).toEqual(['servers fine'])
  expect(states(config, [node('folder a'), node('folder a')], 100)).toEqual(['servers fault'])
  expect(states({ ...config, data_is_shared: true }, [node('folder a'), node('folder a')], 100)).toEqual([
    'servers fine',
  ])
  expect(states(config, [node('folder a'), node('bucket b')], 100)).toEqual(['servers fault'])
  expect(states(config, [node('folder a', -5_000)], 100)).toEqual(['clock warning'])
  const six = Array.from({ length: 6 }, () => node('bucket b'))
  const s3 = { url: 'x', region: 'x', access_key_id: 'x', secret_access_key: 'x' }
  expect(states({ ...config, s3 }, six, 100)).toEqual(['servers fine'])
  expect(states({ ...config, s3 }, [...six, node('bucket b')], 100)).toEqual(['servers warning'])
})
