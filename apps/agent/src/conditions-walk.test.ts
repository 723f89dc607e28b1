import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Down, Waits } from '@mdm/device-link'
import { startAgent } from './agent.ts'
import type { Agent } from './agent.ts'
import { simulatedBody } from './body/simulated.ts'
import type { SimulatedBody } from './body/simulated.ts'
import type { Answer } from './conditions.ts'
import { memoryStore } from './store.ts'
import type { Store } from './store.ts'
import type { TaskType } from './tasks/kind.ts'
import { jumpingClock } from './testing/clock.ts'
import type { JumpingClock } from './testing/clock.ts'
import { startTestServer } from './testing/server.ts'
import type { TestServer } from './testing/server.ts'

const minute = 60_000
let server: TestServer
let clock: JumpingClock
let count = 0
const running: Agent[] = []
beforeAll(async () => void (server = await startTestServer()))
beforeEach(() => void (clock = jumpingClock()))
afterEach(() => {
  for (const agent of running.splice(0)) agent.kill()
  server.settings.gate = undefined
  expect(server.faults.splice(0)).toEqual([])
})
afterAll(() => server.close())

type Device = { agent: Agent; kid: string; body: SimulatedBody; store: Store }
function start(body: SimulatedBody, store: Store): Agent {
  const agent = startAgent({ server: server.url, body, store, clock, reconnect: { base_ms: 5, cap_ms: 50 } })
  running.push(agent)
  return agent
}
async function online(): Promise<Device> {
  const sn = `W-${(count += 1)}`
  const body = simulatedBody({ sn, seed: count, clock, down_ms: 20, off_ms: 20, zone: 'Etc/UTC' })
  const store = memoryStore()
  const agent = start(body, store)
  await server.admit(agent)
  await agent.reached('online')
  return { agent, kid: agent.kid as string, body, store }
}
/** Ends the process of a device and starts it again. */
async function killed({ agent, body, store }: Device) {
  agent.kill()
  await start(body, store).reached('online')
}

const expires_at = () => new Date(clock.now().getTime() + 86_400_000).toISOString()
/** HH:MM so many minutes from now. */
const wallAt = (minutes: number) => new Date(clock.now().getTime() + minutes * minute).toISOString().slice(11, 16)
/** Each once: what was not acknowledged is sent again, word by word. */
const waitsOf = (task_kid: string): Waits[] => {
  const said = server.of('task').filter((report) => report.task_kid === task_kid)
  const once = new Map(said.map((report) => [report.expected_version, report.waits]))
  return [...once.values()].filter((waits) => waits !== undefined)
}
const saysWaits = (task_kid: string, waits: Partial<Waits>) =>
  vi.waitFor(() => expect(waitsOf(task_kid).at(-1)).toMatchObject(waits), { interval: 10 })
/** Each state once, in their order; a restart of the agent may say one again. */
const walkOf = (task_kid: string) => [...new Set(server.states(task_kid))]
const walk = ['receipt', 'wait_execute', 'executing', 'completed']
const downloadWalk = ['receipt', 'wait_download', 'downloading', 'downloaded', ...walk.slice(1)]

const appOf = ({ path: _, ...file }: ReturnType<TestServer['addFile']>) => ({
  package: 'com.acme.scan',
  title: 'Scan',
  version: '1.4',
  version_code: 14,
  kind: 'apk',
  file,
})
const slot = { upload_url: '/upload/slot' }
/** An OS has a walk of its own (os-update.test.ts). */
type Walked = Exclude<TaskType, 'os'>
/** What each kind is given, and what the body has done then, once. */
const kinds: Record<Walked, { payload: () => unknown; performed: string }> = {
  message: { payload: () => ({ title: 'Hi', text: '' }), performed: 'message Hi' },
  file: {
    payload: () => ({ files: [server.addFile(`f-${count}.bin`, randomBytes(2000))] }),
    performed: 'file /sdcard/Download/',
  },
  config_file: {
    payload: () => ({ file: server.addFile(`c-${count}.xml`, randomBytes(200)) }),
    performed: 'configuration file /sdcard/Download/',
  },
  app_install: {
    payload: () => ({ apps: [appOf(server.addFile(`a-${count}.apk`, randomBytes(2000)))] }),
    performed: 'install com.acme.scan',
  },
  app_uninstall: { payload: () => ({ packages: ['com.example.scan'] }), performed: 'uninstall com.example.scan' },
  lock: { payload: () => ({}), performed: 'lock' },
  find: { payload: () => ({ seconds: 2 }), performed: 'find 2' },
  restart: { payload: () => ({}), performed: 'restart' },
  shutdown: { payload: () => ({}), performed: 'shutdown' },
  factory_reset: { payload: () => ({}), performed: 'factory reset' },
  screenshot: { payload: () => slot, performed: 'screenshot' },
  remote_log: { payload: () => slot, performed: 'log' },
}

const fetches = (type: string): boolean => type === 'file' || type === 'config_file' || type === 'app_install'

/** An `ask` that answers one after the other; undefined is a question that stays on the screen. */
function answers(body: SimulatedBody, list: (Answer | undefined)[]): string[] {
  const asked: string[] = []
  body.ask = (question, _options, signal) =>
    new Promise((resolve, reject) => {
      const answer = list[asked.length]
      asked.push(question)
      signal.addEventListener('abort', () => reject(signal.reason as Error))
      if (answer) resolve(answer)
    })
  return asked
}

type Waiting = {
  task: () => Partial<Down['task']>
  before?: (body: SimulatedBody) => void
  says: Partial<Waits>
  /** What it waited for comes. */
  comes: (body: SimulatedBody) => void
}
const waiting: Record<string, Waiting> = {
  'the window': {
    task: () => ({ window: { from: wallAt(120), to: wallAt(180) } }),
    says: { for: 'window' },
    comes: () => clock.jump(121 * minute),
  },
  'an answer': {
    task: () => ({ install_prompt: true }),
    before: (body) => void answers(body, [undefined, 'yes']),
    says: { for: 'install_prompt', put_off: 0, put_off_max: 3 },
    comes: () => undefined,
  },
  'a prompt that was put off': {
    task: () => ({ install_prompt: true }),
    before: (body) => void answers(body, ['later', 'yes']),
    says: { for: 'install_prompt', put_off: 1, put_off_max: 3 },
    comes: () => clock.jump(10 * minute),
  },
  'the end of its warning': {
    task: () => ({ force_install: true }),
    says: { for: 'warning' },
    comes: () => clock.jump(minute),
  },
}
const waitingForDownload: Record<string, Waiting> = {
  'the network': {
    task: () => ({ network: 'wifi' }),
    before: (body) => void (body.connected_by = 'mobile'),
    says: { for: 'network' },
    comes(body) {
      body.connected_by = 'ethernet'
      clock.jump(minute)
    },
  },
  'an answer before the download': {
    ...waiting['an answer']!,
    task: () => ({ download_prompt: true }),
    says: { for: 'download_prompt', put_off: 0 },
  },
  'a download that was put off': {
    ...waiting['a prompt that was put off']!,
    task: () => ({ download_prompt: true }),
    says: { for: 'download_prompt', put_off: 1 },
  },
}
const cases = (Object.keys(kinds) as Walked[]).flatMap((type) =>
  Object.entries({ ...waiting, ...(fetches(type) ? waitingForDownload : {}) }).map(
    ([what, how]) => [type, what, how] as const,
  ),
)

describe('killed while it waits, a device goes on waiting and does it once', () => {
  test.each(cases)('%s, for %s', async (type, _, { task, before, says, comes }) => {
    const device = await online()
    const { body, kid } = device
    before?.(body)
    const { payload, performed } = kinds[type]
    const { task_kid } = await server.task(kid, { type, payload: payload() }, { expires_at: expires_at(), ...task() })
    await saysWaits(task_kid, says)
    await killed(device)
    expect(server.of('hello', kid).at(-1)?.tasks).toMatchObject([{ task_kid }])
    comes(body)
    if (type === 'find') {
      await server.report(task_kid, 'executing')
      clock.jump(2000)
    }
    await server.report(task_kid, 'completed')
    expect(walkOf(task_kid)).toEqual(fetches(type) ? downloadWalk : walk)
    expect(body.performed.filter((what) => what.startsWith(performed))).toHaveLength(1)
    expect(body.performed.filter((what) => what.startsWith('warn'))).toHaveLength(says.for === 'warning' ? 1 : 0)
    // Once it waits again it says nothing that it has said.
    const said = waitsOf(task_kid).map((waits) => JSON.stringify(waits))
    expect(said).toEqual([...new Set(said)])
  })
})

/** Whether a kind is begun again that was cut off before its deed. */
const repeated: readonly Walked[] = ['app_uninstall', 'lock', 'find', 'screenshot', 'remote_log']
const unfinished = (Object.keys(kinds) as Walked[]).filter((type) => !fetches(type))
test.each(unfinished)('%s, killed before its deed: done once or interrupted, in a final state', async (type) => {
  const device = await online()
  const { body, kid } = device
  body.faults = { slow_ms: 60 * minute }
  const { payload, performed } = kinds[type]
  const { task_kid } = await server.task(kid, { type, payload: payload() }, { expires_at: expires_at() })
  await server.report(task_kid, 'executing')
  body.faults = {}
  await killed(device)
  if (type === 'find') clock.jump(2000)
  const will_repeat = repeated.includes(type)
  await server.report(task_kid, will_repeat ? 'completed' : 'failed')
  expect(body.performed.filter((what) => what === performed)).toHaveLength(will_repeat ? 1 : 0)
})

test.each(['restart', 'shutdown', 'factory_reset'] as const)(
  '%s, killed between its deed and its report: completed by the next boot, and not done again',
  async (type) => {
    const device = await online()
    const { body, kid } = device
    const method = ({ restart: 'restart', shutdown: 'shut_down', factory_reset: 'factory_reset' } as const)[type]
    const deed = body[method]
    let is_done = false
    body[method] = async (signal) => {
      await deed(signal)
      is_done = true
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
    }
    const { task_kid } = await server.task(kid, { type, payload: {} }, { expires_at: expires_at() })
    await vi.waitFor(() => expect(is_done).toBe(true))
    await killed(device)
    await server.report(task_kid, 'completed')
    expect(body.performed).toEqual([kinds[type].performed])
  },
)

test('with too little charge it waits and says so, and goes on by itself on a charger, also after a kill', async () => {
  const device = await online()
  const { body, kid } = device
  const { state } = body
  const charge = (level: number, charging: 'discharging' | 'charging') =>
    void (body.state = async () => ({ ...(await state()), battery: { level, charging } }))
  charge(20, 'discharging')
  const lock = { type: 'lock', payload: {} }
  const { task_kid } = await server.task(kid, lock, { expires_at: expires_at(), min_battery: 50 })
  await saysWaits(task_kid, { for: 'battery' })
  await killed(device)
  charge(21, 'charging')
  clock.jump(minute)
  await server.report(task_kid, 'completed')
  expect(walkOf(task_kid)).toEqual(walk)
  expect(body.performed).toEqual(['lock'])
})

test('while offline it obeys and executes all the same, and tells afterwards', async () => {
  const { agent, kid, body } = await online()
  let reachable = true
  body.is_reachable = () => reachable
  const window = { from: wallAt(60), to: wallAt(90) }
  const work = { type: 'lock', payload: {} }
  const { task_kid } = await server.task(kid, work, { expires_at: expires_at(), window, install_prompt: true })
  const asked = answers(body, ['later', 'yes'])
  await saysWaits(task_kid, { for: 'window' })
  reachable = false
  agent.drop()
  await agent.reached('offline')
  clock.jump(61 * minute)
  await vi.waitFor(() => expect(asked).toHaveLength(1))
  expect(body.performed).toEqual([])
  clock.jump(10 * minute)
  await vi.waitFor(() => expect(body.performed).toEqual(['lock']))
  reachable = true
  clock.jump(1000)
  await server.report(task_kid, 'completed')
  expect(walkOf(task_kid)).toEqual(walk)
  // What it waited for in between, nobody has to be told any more.
  expect(waitsOf(task_kid).length).toBeLessThanOrEqual(2)
})

test('a reminder that falls outside of the window waits for the next one, and the end comes before both', async () => {
  const { kid, body } = await online()
  const asked = answers(body, ['later'])
  const window = { from: wallAt(-60), to: wallAt(5) }
  const work = { type: 'lock', payload: {} }
  const { task_kid } = await server.task(kid, work, { expires_at: expires_at(), window, install_prompt: true })
  await saysWaits(task_kid, { for: 'install_prompt', put_off: 1, until: expect.any(String) as string })
  clock.jump(10 * minute)
  await saysWaits(task_kid, { for: 'window' })
  const late = { ...work, expires_at: new Date(clock.now().getTime() + 30 * minute).toISOString() }
  const { task_kid: second } = await server.task(kid, late, { window, expires_at: late.expires_at })
  await saysWaits(second, { for: 'window' })
  clock.jump(31 * minute)
  expect(await server.report(second, 'failed')).toMatchObject({ code: 'expired' })
  expect(asked).toHaveLength(1)
  expect(body.performed).toEqual([])
})

test('an update that was put off three times is asked once more without a later, and a no is the end of it', async () => {
  const { kid, body } = await online()
  const asked = answers(body, ['later', 'later', 'later', 'no'])
  const work = { type: 'lock', payload: {} }
  const { task_kid } = await server.task(kid, work, { expires_at: expires_at(), install_prompt: true })
  for (const [at, minutes] of [10, 30, 60].entries()) {
    await saysWaits(task_kid, { for: 'install_prompt', put_off: at + 1, until: expect.any(String) as string })
    clock.jump(minutes * minute)
  }
  expect(await server.report(task_kid, 'failed')).toMatchObject({ code: 'refused' })
  expect(asked).toEqual(Array(4).fill('Your administrator wants to lock the screen. Now?'))
  expect(waitsOf(task_kid).map(({ put_off }) => put_off)).toEqual([0, 1, 1, 2, 2, 3, 3])
})

test('a download stops when the Wi-Fi goes and goes on with the rest when it is back, also after a kill', async () => {
  const device = await online()
  const { kid, body } = device
  body.connected_by = 'wifi'
  server.settings.stalls = [40_000]
  const work = { type: 'file', payload: { files: [server.addFile('wifi.bin', randomBytes(100_000))] } }
  const from = server.requests.length
  const { task_kid } = await server.task(kid, work, { expires_at: expires_at(), network: 'wifi' })
  await vi.waitFor(() => expect(server.requests.length).toBe(from + 1))
  await new Promise((resolve) => setTimeout(resolve, 100))
  body.connected_by = 'mobile'
  clock.jump(10_000)
  await saysWaits(task_kid, { for: 'network' })
  expect(server.of('task').at(-1)).toMatchObject({ state: 'downloading' })
  await killed(device)
  body.connected_by = 'wifi'
  clock.jump(10_000)
  await server.report(task_kid, 'completed')
  const ranges = server.requests.slice(from).filter(({ path }) => path === '/files/wifi.bin')
  expect(ranges.map(({ range }) => range)).toEqual([undefined, 'bytes=40000-'])
  expect(walkOf(task_kid)).toEqual(downloadWalk)
})

describe('a restart afterwards', () => {
  const after_install = 'restart' as const
  const lock = { type: 'lock', payload: {} }

  test('comes once, when the task has been reported completed', async () => {
    const { agent, kid, body } = await online()
    const { boot_id } = await body.boot()
    const tasks = await Promise.all(
      [1, 2].map(() => server.task(kid, lock, { expires_at: expires_at(), after_install })),
    )
    for (const { task_kid } of tasks) await server.report(task_kid, 'completed')
    await vi.waitFor(() => expect(server.of('hello', kid)).toHaveLength(2))
    await agent.reached('online')
    expect(body.performed.toSorted()).toEqual(['lock', 'lock', 'restart'])
    expect(server.of('hello', kid)[1]?.boot_id).not.toBe(boot_id)
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(body.performed).toHaveLength(3)
  })

  test('is not forgotten by a kill before it, nor repeated by one after it', async () => {
    const device = await online()
    const { kid, body } = device
    const { restart } = body
    let begun = 0
    // The first is cut off before it has happened, the second when the machine is down already.
    body.restart = async (signal) => {
      begun += 1
      if (begun === 2) await restart(signal)
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
    }
    const { task_kid } = await server.task(kid, lock, { expires_at: expires_at(), after_install })
    await server.report(task_kid, 'completed')
    for (const times of [1, 2]) {
      await vi.waitFor(() => expect(begun).toBe(times))
      await killed({ ...device, agent: running.at(-1)! })
    }
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(begun).toBe(2)
    expect(body.performed).toEqual(['lock', 'restart'])
    expect(server.states(task_kid).filter((state) => state === 'completed')).toHaveLength(1)
  })

  test('an app to start is said to be missing where the kind brings none', async () => {
    const { kid } = await online()
    const { task_kid } = await server.task(kid, lock, { expires_at: expires_at(), after_install: 'start_app' })
    expect(await server.report(task_kid, 'completed')).toMatchObject({
      result: { text: 'Nothing was started: lock brings no app' },
    })
  })
})
