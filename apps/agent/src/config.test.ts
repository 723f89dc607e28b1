import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { TaskFailure } from './body/body.ts'
import type { SectionOutcome } from './body/body.ts'
import { runCommand } from './body/command.ts'
import { configureLinux } from './body/linux-config.ts'
import { realClock } from './clock.ts'
import type { Clock } from './clock.ts'
import { defaultPolicy, openConfig } from './config.ts'
import { moveBack, moveTo, openMove, provenMove } from './server-move.ts'
import { storedCredentials } from './enrol.ts'
import { memoryStore } from './store.ts'
import { jumpingClock } from './testing/clock.ts'

const signal = new AbortController().signal

function body(outcomes: Record<string, SectionOutcome> = {}) {
  const asked: string[] = []
  return {
    asked,
    judges_fence: true,
    configure: (section: string) => {
      asked.push(section)
      return Promise.resolve(outcomes[section] ?? { outcome: 'applied' as const })
    },
  }
}
const open = (
  store: ReturnType<typeof memoryStore>,
  given: ReturnType<typeof body>,
  more: { clock?: Clock; authorise?: () => Promise<void> } = {},
) =>
  openConfig({
    store,
    body: given,
    clock: realClock,
    on_applied: () => {},
    log: () => {},
    authorise: async () => {},
    move: () => Promise.resolve({ outcome: 'failed', reason: 'test_failed' }),
    ...more,
  })
const url_lists = (whitelist: string[]) => ({ whitelist, blacklist: [] })

test('the agent says of each section of a configuration what became of it, and does again only what has changed', async () => {
  const store = memoryStore()
  const device = body({ kiosk: { outcome: 'not_supported', reason: 'no_command' } })
  const config = await open(store, device)
  await config.take({
    version: 4,
    config: {
      collection: defaultPolicy,
      url_lists: url_lists(['a.example']),
      kiosk: { mode: 'off' },
      server_address: { url: 'http://a.example:1' },
    },
  })
  await config.settled()
  expect([config.version, config.results]).toEqual([
    4,
    [
      { section: 'collection', outcome: 'applied' },
      { section: 'url_lists', outcome: 'applied' },
      { section: 'kiosk', outcome: 'not_supported', reason: 'no_command' },
      { section: 'server_address', outcome: 'failed', reason: 'test_failed' },
    ],
  ])
  device.asked.length = 0
  const next = { collection: defaultPolicy, url_lists: url_lists(['a.example']), ntp: { server: 'b.example' } }
  await config.take({ version: 5, config: next })
  await config.settled()
  expect(device.asked).toEqual(['ntp'])
  // The same with a new version has been asked for.
  await config.take({ version: 6, config: next })
  await config.settled()
  expect(device.asked).toEqual(['ntp', 'url_lists', 'ntp'])
  // An older one, and the same again, do nothing.
  await config.take({ version: 2, config: {} })
  await config.take({ version: 6, config: next })
  expect([config.version, device.asked.length]).toEqual([6, 3])
})

test('killed between stored and applied: it is not said to go by it, and applied at the next start', async () => {
  const store = memoryStore()
  const stuck = { ...body(), configure: () => new Promise<SectionOutcome>(() => {}) }
  const first = await open(store, stuck)
  await first.take({ version: 3, config: { url_lists: url_lists(['a.example']) } })
  first.halt()
  const device = body()
  const second = await open(store, device)
  expect(second.version).toBeUndefined()
  second.resume()
  await second.settled()
  expect([second.version, device.asked]).toEqual([3, ['url_lists']])
  expect((await open(store, body())).version).toBe(3)
})

const list = (version: number) => ({ api_authorisation: { version, sha256: 'ab'.repeat(32) } })
/** A device whose list of calls cannot be had, looked at every 15 seconds. */
async function withoutList(error: Error) {
  const clock = jumpingClock()
  const tries = { count: 0, error: error as Error | undefined }
  const config = await open(memoryStore(), body(), {
    clock,
    async authorise() {
      tries.count += 1
      if (tries.error) throw tries.error
    },
  })
  await config.take({ version: 1, config: list(1) })
  await config.settled()
  const goOn = async (hours: number) => {
    for (let looks = hours * 240; looks > 0; looks -= 1) {
      clock.jump(15_000)
      await config.again('api_authorisation')
    }
  }
  return { config, tries, goOn }
}

test('a list of calls that cannot be had is fetched again soon, then ever more seldom', async () => {
  const { config, tries, goOn } = await withoutList(new TaskFailure('download_failed', 'HTTP 503'))
  await goOn(1 / 60)
  expect(tries.count).toBeGreaterThanOrEqual(2)
  await goOn(24)
  expect(tries.count).toBeGreaterThan(24)
  expect(tries.count).toBeLessThan(60)
  // A new version is tried at once, and as often as the first was.
  const before = tries.count
  await config.take({ version: 2, config: list(2) })
  await config.settled()
  expect(tries.count).toBe(before + 1)
  await goOn(1 / 60)
  expect(tries.count).toBeGreaterThanOrEqual(before + 2)
  tries.error = undefined
  await goOn(1 / 6)
  expect(config.results).toEqual([{ section: 'api_authorisation', outcome: 'applied' }])
})

test('a list of calls that came and is wrong is not fetched again soon', async () => {
  const { tries, goOn } = await withoutList(new TaskFailure('other_uid', 'It is for others'))
  await goOn(1 / 3)
  expect(tries.count).toBe(1)
  await goOn(23)
  expect(tries.count).toBeGreaterThan(20)
  expect(tries.count).toBeLessThan(50)
})

test('what is tried again is not done twice at once, and a configuration that comes meanwhile follows it', async () => {
  const clock = jumpingClock()
  const started: ((error?: Error) => void)[] = []
  let [running, most] = [0, 0]
  const config = await open(memoryStore(), body(), {
    clock,
    async authorise() {
      most = Math.max(most, (running += 1))
      await new Promise<void>((resolve, reject) => {
        started.push((error) => (error ? reject(error) : resolve()))
      }).finally(() => (running -= 1))
    },
  })
  const end = async (nth: number, error?: Error) => {
    await vi.waitFor(() => expect(started).toHaveLength(nth))
    started[nth - 1]!(error)
  }
  await config.take({ version: 1, config: list(1) })
  await end(1, new TaskFailure('download_failed', 'HTTP 503'))
  await config.settled()
  clock.jump(15_000)
  const tried = config.again('api_authorisation')
  clock.jump(3_600_000)
  void config.again('api_authorisation')
  await config.take({ version: 2, config: list(2) })
  await end(2)
  await end(3)
  await tried
  expect([most, config.version, config.results?.[0]?.outcome]).toEqual([1, 2, 'applied'])
})

test('a terminal without rights keeps settings of programs, and gives the rest to its command', async () => {
  const data = await mkdtemp(join(tmpdir(), 'mdm-config-'))
  try {
    const run = (section: string, value: unknown, command?: string[]) =>
      configureLinux({ data, run: command && ((how) => runCommand(command, how)), section, value, signal })
    const entries = [
      { package: 'com.example.scan', key: 'beep', kind: 'yes_no', value: 'true' },
      { package: '../escape', key: 'x', kind: 'text', value: 'y' },
    ]
    expect(await run('managed_apps', { entries })).toEqual({ outcome: 'applied' })
    const kept = await readFile(join(data, 'managed-apps/com.example.scan.json'), 'utf8')
    expect(JSON.parse(kept)).toEqual({ beep: true })
    const staged = { name: 'Depot', type: 'network', version: '3.0.3' }
    const istage = (content: object) => run('istage', { ...staged, private_content: JSON.stringify(content) })
    const wifi = [{ ssid: 'depot' }]
    expect(await istage({ wifi, old: [] })).toEqual({ outcome: 'applied', message: 'wifi: applied, old: applied' })
    expect(await istage({ wifi, '../x': [] })).toEqual({
      outcome: 'failed',
      reason: 'command_failed',
      message: 'wifi: applied, ../x: not the name of a module',
    })
    expect(await readdir(join(data, 'istage/modules'))).toEqual(['wifi.json'])
    expect(JSON.parse(await readFile(join(data, 'istage/modules/wifi.json'), 'utf8'))).toEqual(wifi)
    expect(JSON.parse(await readFile(join(data, 'istage/configuration.json'), 'utf8'))).toEqual({
      ...staged,
      modules: ['wifi'],
    })
    expect(await run('ntp', {})).toEqual({ outcome: 'not_supported', reason: 'no_command' })
    expect(await run('holograms', {}, ['true'])).toEqual({ outcome: 'not_supported', reason: 'unknown_section' })
    expect(await run('url_lists', url_lists([]))).toEqual({ outcome: 'applied' })
    expect(await run('ntp', {}, ['true'])).toEqual({ outcome: 'applied' })
    const script = (text: string) => ['sh', '-c', text]
    const said = script('test "$MDM_SECTION" = kiosk && grep -q s3cret')
    expect(await run('kiosk', { exit_password: 's3cret' }, said)).toEqual({ outcome: 'applied' })
    expect(await run('ntp', {}, script('exit 77'))).toMatchObject({ outcome: 'not_supported', reason: 'no_root' })
    expect(await run('ntp', {}, script('echo no route >&2; exit 3'))).toEqual({
      outcome: 'failed',
      reason: 'command_failed',
      message: 'exit 3 no route',
    })
  } finally {
    await rm(data, { recursive: true })
  }
})

test('moves only to a server that knows the device, and comes back from one that does not take it in', async () => {
  const replies: Record<string, unknown> = {}
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(replies[request.url ?? ''] ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  try {
    const store = memoryStore()
    const first = 'http://old.example:8081/'
    const credentials = {
      server: first,
      kid: '0198c0de-1111-7abc-8def-0123456789ab',
      secret: 'ab'.repeat(32),
      mqtt: ['mqtt://old.example:1883'],
    }
    await store.write('credentials', credentials)
    await store.write('config', {
      version: 1,
      config: {},
      results: [{ section: 'server_address', outcome: 'applied' }],
    })
    const go = (url: string) => moveTo(store, credentials, url, { now: new Date(), signal, first })
    const url = `http://127.0.0.1:${port}`
    replies['/device/standing'] = { state: 'unknown', retry_after: 30 }
    expect(await go(url)).toMatchObject({ outcome: { outcome: 'failed', reason: 'test_failed' } })
    expect(await go('http://127.0.0.1:1')).toMatchObject({ outcome: { outcome: 'failed', reason: 'test_failed' } })
    expect(await storedCredentials(store, first)).toEqual(credentials)
    replies['/device/standing'] = { state: 'registered', retry_after: 0, mqtt: ['mqtt://new.example:1883'] }
    const { outcome, moved } = await go(url)
    expect([outcome, moved?.mqtt]).toEqual([{ outcome: 'applied' }, ['mqtt://new.example:1883']])
    // It is started with the old address still.
    expect(await storedCredentials(store, first)).toEqual(moved)
    expect(await moveBack(store, (await openMove(store))!.from)).toEqual(credentials)
    expect(await storedCredentials(store, first)).toEqual(credentials)
    expect(await store.read('config')).toMatchObject({
      results: [{ section: 'server_address', outcome: 'failed', reason: 'test_failed' }],
    })
    await go(url)
    await provenMove(store)
    expect(await openMove(store)).toBeUndefined()
  } finally {
    server.close()
  }
})

test('what a device loses by a reset is applied again, by its next start or at once where it was not reset', async () => {
  const store = memoryStore()
  const device = body()
  const lost = { is_lost: true, message: 'Please call us', phone: '' }
  const config = await open(store, device)
  await config.take({ version: 2, config: { lost } })
  await config.settled()
  expect([device.asked, config.version]).toEqual([['lost'], 2])
  const { keep } = await config.undone()
  // It does not hold what it was told, and does not say so either.
  expect([config.version, config.results]).toEqual([undefined, undefined])
  const next = await open(store, device)
  next.resume()
  await next.settled()
  expect([device.asked, next.version]).toEqual([['lost', 'lost'], 2])
  keep()
  await config.settled()
  expect([device.asked.length, config.version]).toEqual([3, 2])
})
