import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { SectionOutcome } from './body/body.ts'
import { runCommand } from './body/command.ts'
import { configureLinux } from './body/linux-config.ts'
import { defaultPolicy, openConfig } from './config.ts'
import { moveBack, moveTo, openMove, provenMove } from './server-move.ts'
import { storedCredentials } from './enrol.ts'
import { memoryStore } from './store.ts'

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
const open = (store: ReturnType<typeof memoryStore>, given: ReturnType<typeof body>) =>
  openConfig({
    store,
    body: given,
    on_applied: () => {},
    log: () => {},
    authorise: async () => {},
    move: () => Promise.resolve({ outcome: 'failed', reason: 'test_failed' }),
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
