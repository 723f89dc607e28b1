import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { startAgent } from './agent.ts'
import type { Agent, AgentOptions } from './agent.ts'
import { linuxBody } from './body/linux.ts'
import { registrar } from './cli.ts'
import { isPng } from './body/png.ts'
import { simulatedBody } from './body/simulated.ts'
import type { SimulatedOptions } from './body/simulated.ts'
import { startFleet } from './fleet.ts'
import { fileStore, memoryStore } from './store.ts'
import { startTestServer } from './testing/server.ts'
import type { TestServer } from './testing/server.ts'

let server: TestServer
let folder: string
let count = 0
const running: Agent[] = []
const until = (check: () => void) => vi.waitFor(check, { interval: 20 })
const walk = ['receipt', 'wait_execute', 'executing', 'completed']
const downloadWalk = ['receipt', 'wait_download', 'downloading', 'downloaded', ...walk.slice(1)]

beforeAll(async () => {
  server = await startTestServer()
  folder = await mkdtemp(join(tmpdir(), 'mdm-agent-'))
})
afterEach(() => {
  for (const agent of running.splice(0)) agent.kill()
  Object.assign(server.settings, { cuts: [], stalls: [], tamper: undefined, gate: undefined, slot_is_full: false })
  server.settings.poll_seconds = 1
  expect(server.faults.splice(0)).toEqual([])
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

const sim = (options: Partial<SimulatedOptions> = {}) =>
  simulatedBody({ sn: `T-${(count += 1)}`, seed: count, down_ms: 50, ...options })

function start(options: Partial<AgentOptions> = {}) {
  const agent = startAgent({
    server: server.url,
    body: sim(),
    store: memoryStore(),
    reconnect: { base_ms: 5, cap_ms: 50 },
    ...options,
  })
  running.push(agent)
  return agent
}

/** An agent that is registered and online. */
async function online(options: Partial<AgentOptions> = {}) {
  const body = options.body ?? sim()
  const store = options.store ?? memoryStore()
  const agent = start({ ...options, body, store })
  await server.admit(agent)
  await agent.reached('online')
  return { agent, kid: agent.kid as string, body, store }
}

test('a device announces itself, is registered by its code, says hello and reports what changes', async () => {
  const { agent, kid, body, store } = await online({ state_every_ms: 30 })
  expect(agent.registration_code).toBeUndefined()
  const [hello] = server.of('hello', kid)
  expect(hello).toMatchObject({ boot_id: (await body.boot()).boot_id, tasks: [], inventory: { os_name: 'Demo OS' } })
  expect(hello?.state?.run?.memory_total).toBeGreaterThan(0)
  await until(() => expect(server.of('state', kid).length).toBeGreaterThan(2))
  const numbers = server.of('state', kid).map(({ seq }) => seq)
  expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b))

  await agent.stop()
  expect(server.of('gone', kid)).toEqual([{ epoch: hello?.epoch }])
  const again = start({ body, store })
  await again.reached('online')
  const [, second] = server.of('hello', kid)
  expect(second?.epoch).not.toBe(hello?.epoch)
  expect(again.kid).toBe(kid)
})

test('events of a time without the link arrive once it is there, in their order', async () => {
  const quiet = sim()
  const at = new Date().toISOString()
  const waiting = [1, 2, 3].map((level) => ({ type: 'battery', at, detail: { level } }))
  const body: typeof quiet = {
    ...quiet,
    is_reachable: () => reachable,
    events: async () => waiting.splice(0, 1),
    usage: async () => [],
  }
  let reachable = true
  const { agent, kid } = await online({ body, sample_ms: 60_000 })
  reachable = false
  agent.drop()
  await agent.reached('offline')
  for (let i = 0; i < 3; i += 1) await agent.sample()
  expect(server.of('event', kid)).toEqual([])
  reachable = true
  await until(() => {
    const levels = server.of('event', kid).flatMap(({ events }) => events.map(({ detail }) => detail?.['level']))
    expect(levels).toEqual([1, 2, 3])
  })
})

test('a QR token registers at once; a used one is refused and the code still leads in', async () => {
  server.tokens.add('one-time')
  const agent = start({ qrcode: 'one-time' })
  await agent.reached('online')
  const other = start({ qrcode: 'one-time' })
  await server.admit(other)
  await other.reached('online')
})

test('a device that is told to ask again does so at once, also while a question is on its way', async () => {
  server.settings.poll_seconds = 600
  const agents = Array.from({ length: 5 }, () => start())
  await Promise.all(agents.map(async (agent) => server.admit(agent)))
  await Promise.all(agents.map(async (agent) => agent.reached('online')))
})

test('a message task walks through its states, each with the version it expects', async () => {
  const { kid, body } = await online()
  const task = await server.task(kid, { type: 'message', payload: { title: 'Hello', text: 'All of you' } })
  await server.report(task.task_kid, 'completed')
  const reports = server.of('task', kid)
  expect(reports.map(({ state }) => state)).toEqual(walk)
  expect(reports.map(({ expected_version }) => expected_version)).toEqual([3, 4, 5, 6])
  expect((body as ReturnType<typeof sim>).performed).toEqual(['message Hello'])
})

test('a repeated task is answered with what is stored and not run again, over a restart too', async () => {
  const body = sim()
  const { agent, kid, store } = await online({ body })
  const task = await server.task(kid, { type: 'message', payload: { title: 'Once', text: '' } })
  await server.report(task.task_kid, 'completed')
  await server.send(kid, 'task', { ...task, version: 9 })
  await until(() => expect(server.of('task', kid).at(-1)).toMatchObject({ state: 'completed', expected_version: 9 }))
  agent.kill()
  await start({ body, store }).reached('online')
  expect(server.of('hello', kid).at(-1)?.tasks).toEqual([{ task_kid: task.task_kid, attempt: 1, state: 'completed' }])
  const before = server.of('task', kid).length
  await server.send(kid, 'task', task)
  await until(() => expect(server.of('task', kid).length).toBe(before + 1))
  expect(body.performed).toEqual(['message Once'])
  await server.send(kid, 'task', { ...task, attempt: 2 })
  await until(() => expect(body.performed).toEqual(['message Once', 'message Once']))
})

test('a copy of a task that was sent before the latest reports does not set their count back', async () => {
  const { kid } = await online({ body: sim() })
  const task = await server.task(kid, { type: 'find', payload: { seconds: 600 } })
  const executing = await server.report(task.task_kid, 'executing')
  await server.send(kid, 'task', task)
  const repeated = () => server.of('task', kid).filter(({ state }) => state === 'executing')
  await until(() => expect(repeated()).toHaveLength(2))
  expect(repeated()[1]!.expected_version).toBe(executing.expected_version! + 1)
  await server.send(kid, 'cancel', { task_kid: task.task_kid, attempt: 1 })
  expect(await server.report(task.task_kid, 'canceled')).toMatchObject({
    expected_version: executing.expected_version! + 2,
  })
})

test('a cancel that overtakes its task keeps it from running; one that comes too late changes nothing', async () => {
  const body = sim()
  const { kid } = await online({ body })
  const task_kid = '0198c0de-0000-7000-8000-000000000001'
  await server.send(kid, 'cancel', { task_kid, attempt: 1 })
  await server.report(task_kid, 'canceled')
  await server.task(kid, { type: 'message', payload: { title: 'No', text: '' } }, { task_kid, version: 5 })
  await until(() =>
    expect(server.of('task', kid).at(-1)).toMatchObject({ task_kid, state: 'canceled', expected_version: 5 }),
  )
  const done = await server.task(kid, { type: 'lock', payload: { password: '4711' } })
  await server.report(done.task_kid, 'completed')
  await server.send(kid, 'cancel', { task_kid: done.task_kid, attempt: 1 })
  await until(() => expect(server.states(done.task_kid)).toEqual([...walk, 'completed']))
  expect(body.performed).toEqual(['lock with password'])
})

test('a cancel stops a download and something that is executing', async () => {
  const { kid, body } = await online()
  let open = () => {}
  server.settings.gate = new Promise((resolve) => (open = resolve))
  const file = server.addFile('big.bin', randomBytes(50_000))
  const task = await server.task(kid, { type: 'file', payload: { files: [file] } })
  await server.report(task.task_kid, 'downloading')
  await server.send(kid, 'cancel', { task_kid: task.task_kid, attempt: 1 })
  await server.report(task.task_kid, 'canceled')
  open()
  const find = await server.task(kid, { type: 'find', payload: { seconds: 600 } })
  await server.report(find.task_kid, 'executing')
  await server.send(kid, 'cancel', { task_kid: find.task_kid, attempt: 1 })
  await server.report(find.task_kid, 'canceled')
  expect((body as ReturnType<typeof sim>).performed).toEqual([])
})

test('a download that is cut, again and again, resumes where it stopped, below the folder of the device', async () => {
  const data = await mkdtemp(join(folder, 'd'))
  const body = linuxBody({ data, sn: `T-${(count += 1)}` })
  const { kid } = await online({ body, store: fileStore(data) })
  const bytes = randomBytes(400_000)
  const cuts = [100_000, 100_000, 1]
  server.settings.cuts = [...cuts]
  const from = server.requests.length
  const task = await server.task(kid, { type: 'file', payload: { files: [server.addFile('a.bin', bytes)] } })
  await server.report(task.task_kid, 'completed')
  expect(server.states(task.task_kid)).toEqual(downloadWalk)
  const ranges = server.requests.slice(from).map(({ range }) => range)
  expect(ranges[0]).toBeUndefined()
  // What was on its way at a cut may or may not have come: it goes on behind what it has, wherever that ends.
  const begins = ranges.map((range) => Number(/^bytes=(\d+)-$/.exec(range ?? 'bytes=0-')?.[1]))
  expect(begins).toHaveLength(1 + cuts.length)
  for (const [at, cut] of cuts.entries()) {
    expect(begins[at + 1]).toBeGreaterThanOrEqual(begins[at]!)
    expect(begins[at + 1]).toBeLessThanOrEqual(begins[at]! + cut)
  }
  expect(begins.at(-1)).toBeGreaterThan(0)
  expect((await readFile(join(data, 'files/sdcard/Download/a.bin'))).equals(bytes)).toBe(true)
  expect(await readdir(join(data, 'parts'))).toEqual([])
  const versions = server.of('task', kid).map(({ expected_version }) => expected_version)
  expect(versions).toEqual(versions.map((_, at) => 3 + at))
})

test('an agent that is killed in a download goes on with the rest of it', async () => {
  const data = await mkdtemp(join(folder, 'k'))
  const sn = `T-${(count += 1)}`
  const { agent, kid } = await online({ body: linuxBody({ data, sn }), store: fileStore(data) })
  const bytes = randomBytes(300_000)
  server.settings.stalls = [120_000]
  const file = server.addFile('b.bin', bytes)
  const task = await server.task(kid, { type: 'file', payload: { files: [file] } })
  await vi.waitFor(async () => {
    const [part] = await readdir(join(data, 'parts'))
    expect((await stat(join(data, 'parts', part ?? ''))).size).toBe(120_000)
  })
  agent.kill()
  const from = server.requests.length
  start({ body: linuxBody({ data, sn }), store: fileStore(data) })
  await server.report(task.task_kid, 'completed')
  const ranges = server.requests.slice(from).filter(({ path }) => path.startsWith('/files/'))
  expect(ranges.map(({ range }) => range)).toEqual(['bytes=120000-'])
  expect((await readFile(join(data, 'files/sdcard/Download/b.bin'))).equals(bytes)).toBe(true)
  const texts = await readFile(join(data, 'credentials.json'), 'utf8')
  expect(JSON.parse(texts)).toMatchObject({ kid })
  expect((await stat(join(data, 'credentials.json'))).mode & 0o777).toBe(0o600)
})

test('two tasks that bring the same file at once do not mix their bytes', async () => {
  const data = await mkdtemp(join(folder, 's'))
  const { kid } = await online({ body: linuxBody({ data, sn: `T-${(count += 1)}` }), store: fileStore(data) })
  server.settings.cuts = [100_000, 50_000]
  const payload = { files: [server.addFile('same.bin', randomBytes(300_000))] }
  const tasks = [await server.task(kid, { type: 'file', payload }), await server.task(kid, { type: 'file', payload })]
  for (const { task_kid } of tasks) await server.report(task_kid, 'completed')
})

test('bytes that are not those announced fail the task and leave nothing behind', async () => {
  const data = await mkdtemp(join(folder, 'h'))
  const { kid } = await online({ body: linuxBody({ data, sn: `T-${(count += 1)}` }), store: fileStore(data) })
  const bytes = randomBytes(5000)
  server.settings.tamper = Buffer.concat([bytes.subarray(0, 4999), Buffer.from([(bytes.at(-1) as number) ^ 1])])
  const task = await server.task(kid, { type: 'file', payload: { files: [server.addFile('c.bin', bytes)] } })
  expect(await server.report(task.task_kid, 'failed')).toMatchObject({ code: 'hash_mismatch' })
  expect(await readdir(join(data, 'parts'))).toEqual([])
  expect(await readdir(join(data, 'files/sdcard/Download'))).toEqual([])
  const climbing = { ...server.addFile('d.bin', bytes), path: '/sdcard/../../../tmp' }
  const bad = await server.task(kid, { type: 'file', payload: { files: [climbing] } })
  expect(await server.report(bad.task_kid, 'failed')).toMatchObject({ code: 'bad_path' })
})

test('a file elsewhere is fetched without the credential', async () => {
  const elsewhere = await startTestServer()
  const { kid } = await online()
  const file = { ...elsewhere.addFile('e.bin', randomBytes(10)), url: `${elsewhere.url}/files/e.bin` }
  const task = await server.task(kid, { type: 'file', payload: { files: [file] } })
  expect(await server.report(task.task_kid, 'failed')).toMatchObject({ code: 'download_refused' })
  expect(elsewhere.requests).toEqual([{ path: '/files/e.bin', range: undefined, authorization: undefined }])
  await elsewhere.close()
})

test('a screenshot is a real picture in the slot of its task', async () => {
  const { kid } = await online()
  const task = await server.task(kid, { type: 'screenshot', payload: { upload_url: '/upload/slot' } })
  expect(await server.report(task.task_kid, 'completed')).toMatchObject({ result: { object: 'picture-1' } })
  expect(isPng(server.uploads[0] as Buffer)).toBe(true)
  server.settings.slot_is_full = true
  const again = await server.task(kid, { type: 'screenshot', payload: { upload_url: '/upload/slot' } })
  expect(await server.report(again.task_kid, 'completed')).not.toHaveProperty('result')
})

test('a restart is done once: completed by the next boot, with a fresh session', async () => {
  const body = sim()
  const { kid } = await online({ body })
  const { boot_id } = await body.boot()
  const task = await server.task(kid, { type: 'restart', payload: {} })
  await server.report(task.task_kid, 'completed')
  expect(server.states(task.task_kid)).toEqual(walk)
  expect(body.performed).toEqual(['restart'])
  await until(() => expect(server.of('hello', kid)).toHaveLength(2))
  expect(server.of('hello', kid)[1]?.boot_id).not.toBe(boot_id)
  await until(() => expect(server.of('gone', kid)).toHaveLength(1))
})

test('a shutdown is completed as the device goes down, and not shut down again when it is on', async () => {
  const body = sim({ off_ms: 300 })
  const { agent, kid } = await online({ body })
  const task = await server.task(kid, { type: 'shutdown', payload: {} })
  await server.report(task.task_kid, 'completed')
  await agent.reached('rebooting')
  await agent.reached('online')
  expect(server.states(task.task_kid)).toEqual(walk)
  expect(server.of('hello', kid).at(-1)?.tasks).toEqual([{ task_kid: task.task_kid, attempt: 1, state: 'completed' }])
  expect(body.performed).toEqual(['shutdown'])
})

test('a factory reset is done once: completed by the next boot of an empty device that is still the same one', async () => {
  const body = sim()
  const { agent, kid } = await online({ body })
  const task = await server.task(kid, { type: 'factory_reset', payload: {} })
  await server.report(task.task_kid, 'completed')
  await agent.reached('online')
  expect(server.states(task.task_kid)).toEqual(walk)
  expect(agent.kid).toBe(kid)
  expect(body.performed).toEqual(['factory reset'])
  expect((await body.files.list('/sdcard', undefined)).items).toEqual([])
  expect((await body.apps.list()).filter(({ is_system }) => !is_system)).toEqual([])
})

test('the log is that of the agent and of the system, in the slot of its task', async () => {
  const { kid } = await online()
  const task = await server.task(kid, { type: 'remote_log', payload: { upload_url: '/upload/slot' } })
  await server.report(task.task_kid, 'completed')
  const log = gunzipSync(server.uploads.at(-1) as Buffer).toString('utf8')
  expect(log).toContain(`task ${task.task_kid} executing`)
  expect(log).toContain('system: ')
})

test('hello says what tasks the device carries out', async () => {
  const { kid } = await online({
    body: linuxBody({ data: folder, sn: `T-${(count += 1)}`, commands: { lock: ['true'] }, has_bell: true }),
  })
  expect(server.of('hello', kid)[0]?.inventory.task_types).toEqual([
    'message',
    'file',
    'config_file',
    'app_install',
    'app_uninstall',
    'find',
    'remote_log',
    'lock',
  ])
  const task = await server.task(kid, { type: 'factory_reset', payload: {} })
  expect(await server.report(task.task_kid, 'failed')).toMatchObject({ code: 'not_supported' })
})

test('a kill between the marker and the end: what must not run twice fails as interrupted, the rest is done again', async () => {
  const body = sim({ faults: { slow_ms: 60_000 } })
  const { agent, kid, store } = await online({ body })
  const message = await server.task(kid, { type: 'message', payload: { title: 'Shown?', text: '' } })
  const restart = await server.task(kid, { type: 'restart', payload: {} })
  const lock = await server.task(kid, { type: 'lock', payload: {} })
  for (const { task_kid } of [message, restart, lock]) await server.report(task_kid, 'executing')
  agent.kill()
  body.faults = {}
  start({ body, store })
  expect(await server.report(message.task_kid, 'failed')).toMatchObject({ code: 'interrupted' })
  expect(await server.report(restart.task_kid, 'failed')).toMatchObject({ code: 'interrupted' })
  await server.report(lock.task_kid, 'completed')
  expect(body.performed).toEqual(['lock'])
})

test('reports made while the link is down arrive in order when it is back', async () => {
  const { agent, kid } = await online()
  const find = await server.task(kid, { type: 'find', payload: { seconds: 2 } })
  await server.report(find.task_kid, 'executing')
  agent.drop()
  await agent.reached('offline')
  await server.report(find.task_kid, 'completed')
  // What was not acknowledged when the link broke is said again, word by word.
  const said = server.of('task', kid).map((report) => JSON.stringify(report))
  const states = [...new Set(said)].map((text) => (JSON.parse(text) as { state: string }).state)
  expect(states).toEqual(walk)
  expect(server.of('hello', kid)).toHaveLength(2)
  await until(() => expect(server.of('gone', kid)).toHaveLength(1))
})

test('a task that cannot be done is refused with its reason', async () => {
  const { kid } = await online()
  const work = { type: 'message', payload: { title: 'x', text: '' } }
  const unknown = await server.task(kid, { type: 'levitate', payload: {} })
  expect(await server.report(unknown.task_kid, 'failed')).toMatchObject({ code: 'not_supported' })
  const bad = await server.task(kid, { type: 'find', payload: { seconds: 1e9 } })
  expect(await server.report(bad.task_kid, 'failed')).toMatchObject({ code: 'bad_task' })
  const old = await server.task(kid, work, { expires_at: '2020-01-01T00:00:00Z' })
  expect(await server.report(old.task_kid, 'failed')).toMatchObject({ code: 'expired' })
  const odd = await server.task(kid, work, { window: { from: 'noon', to: '25:00' } })
  expect(await server.report(odd.task_kid, 'failed')).toMatchObject({ code: 'bad_task' })
  await server.send(kid, 'task', { nonsense: true })
  const hours = (by: number) => new Date(Date.now() + by * 3_600_000).toTimeString().slice(0, 5)
  const later = await server.task(kid, work, { window: { from: hours(2), to: hours(3) } })
  await server.report(later.task_kid, 'wait_execute')
  await server.send(kid, 'cancel', { task_kid: later.task_kid, attempt: 1 })
  await server.report(later.task_kid, 'canceled')
  expect(server.states(later.task_kid)).toEqual(['receipt', 'wait_execute', 'canceled'])
})

test('requests are answered while somebody waits for them', async () => {
  const { kid } = await online()
  const ask = async (method: string, ms: number) => {
    const id = `0198c0de-0000-7000-8000-${String((count += 1)).padStart(12, '0')}`
    await server.send(kid, 'request', { id, method, params: {}, expires_at: new Date(Date.now() + ms).toISOString() })
    return id
  }
  const late = await ask('ping', -1000)
  const ping = await ask('ping', 60_000)
  const where = await ask('location_now', 60_000)
  const odd = await ask('constructor', 60_000)
  await until(() => expect(server.of('reply', kid)).toHaveLength(3))
  const replies = Object.fromEntries(server.of('reply', kid).map((reply) => [reply.id, reply]))
  expect(replies[late]).toBeUndefined()
  expect(replies[ping]?.ok).toBe(true)
  expect(replies[where]?.data).toMatchObject({ latitude: expect.any(Number) as number })
  expect(replies[odd]).toMatchObject({ ok: false, error: { code: 'not_supported' } })
})

test('a device that was cancelled announces itself again and comes back as another one', async () => {
  const body = sim()
  const { agent, kid } = await online({ body })
  const { sn } = await body.identity()
  server.cancelDevice(sn)
  await server.admit(agent)
  await agent.reached('online')
  expect(agent.kid).not.toBe(kid)
  expect(server.of('hello', agent.kid).at(-1)?.tasks).toEqual([])
})

test('refused but still registered: the device keeps its credential and gets in again', async () => {
  const body = sim()
  const { agent, kid } = await online({ body })
  const { sn } = await body.identity()
  const right = server.registered.get(sn) as { kid: string; secret: string }
  server.registered.set(sn, { ...right, secret: 'f'.repeat(64) })
  server.dropAll()
  await agent.reached('announcing')
  server.registered.set(sn, right)
  await agent.reached('online')
  expect(agent.kid).toBe(kid)
})

test('a fleet registers itself and works side by side', async () => {
  const fleet = startFleet({
    server: server.url,
    devices: 25,
    seed: 7,
    ramp: 500,
    reconnect: { base_ms: 5, cap_ms: 50 },
    faults: (index) => (index === 3 ? { refuses: true } : {}),
    register: registrar(server.url, 'operator', 'customer'),
  })
  await fleet.online(25)
  const work = { type: 'message', payload: { title: 'All', text: '' } }
  const tasks = await Promise.all(fleet.devices.map(({ agent }) => server.task(agent.kid as string, work)))
  const ends = tasks.map(({ task_kid }, at) => server.report(task_kid, at === 3 ? 'failed' : 'completed'))
  expect((await Promise.all(ends))[3]).toMatchObject({ code: 'refused' })
  expect(fleet.devices.filter(({ body }) => body.performed.length === 1)).toHaveLength(24)
  const models = await Promise.all(fleet.devices.map(async ({ body }) => (await body.identity()).model))
  expect(new Set(models).size).toBeGreaterThan(3)
  await fleet.stop()
  expect(fleet.counts().stopped).toBe(25)
})

test('an agent can be stopped while it waits to be registered', async () => {
  const agent = start()
  await agent.reached('waiting')
  await agent.stop()
  expect(agent.state).toBe('stopped')
})
