import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Duplex } from 'node:stream'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { createWebSocketStream } from 'ws'
import { tunnel_frame_bytes } from '@mdm/device-link'
import { startAgent } from '../agent.ts'
import type { Agent } from '../agent.ts'
import type { Body } from '../body/body.ts'
import { linuxBody } from '../body/linux.ts'
import { simulatedBody } from '../body/simulated.ts'
import { realClock } from '../clock.ts'
import { openJournal } from '../journal.ts'
import { memoryStore } from '../store.ts'
import { rfbClient } from '../testing/rfb-client.ts'
import { startTestServer } from '../testing/server.ts'
import type { TestServer } from '../testing/server.ts'
import { tunnelServer } from '../testing/tunnel-server.ts'
import type { TunnelEnd } from '../testing/tunnel-server.ts'
import { openTurns } from '../turns.ts'
import type { RemoteBody, TunnelParams } from './source.ts'
import { openTunnels } from './tunnel.ts'
import type { Tunnels } from './tunnel.ts'

let server: TestServer
let far: ReturnType<typeof tunnelServer>
let folder: string
let count = 0
const agents: Agent[] = []
const devices: Tunnels[] = []
beforeAll(async () => {
  server = await startTestServer()
  far = tunnelServer(server.http)
  folder = await mkdtemp(join(tmpdir(), 'mdm-tunnel-'))
})
afterEach(async () => {
  for (const agent of agents.splice(0)) agent.kill()
  for (const tunnels of devices.splice(0)) await tunnels.halt()
  for (const { socket } of far.arrived.splice(0)) socket.terminate()
  far.settings.is_refusing = false
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

const sim = (more = {}) => simulatedBody({ sn: `T-${(count += 1)}`, seed: count, down_ms: 50, ...more })
const credentials = () => ({ server: `${server.url}/`, kid: randomUUID(), secret: 'ab'.repeat(32), mqtt: ['mqtt://x'] })

/** The device's side alone, without its link. */
function device(body: Body = sim(), own = credentials()) {
  const tunnels = openTunnels({
    credentials: own,
    body,
    clock: realClock,
    journal: openJournal(realClock),
    turns: openTurns(),
    log: () => {},
  })
  devices.push(tunnels)
  return tunnels
}
async function opened(tunnels: Tunnels, params: TunnelParams): Promise<TunnelEnd> {
  await tunnels.open(params)
  return far.end(params.tunnel_kid)
}
/** All that has come through it, as text. */
function heard({ socket }: TunnelEnd) {
  let text = ''
  socket.on('message', (data: Buffer, is_binary) => (text += is_binary ? data.toString() : '(text)'))
  return { until: async (words: RegExp) => vi.waitFor(() => expect(text).toMatch(words)) }
}

test('a device that is asked over its link opens a shell, and ends it with its connection', async () => {
  const body = sim()
  const agent = startAgent({ server: server.url, body, store: memoryStore(), reconnect: { base_ms: 5, cap_ms: 50 } })
  agents.push(agent)
  await server.admit(agent)
  await agent.reached('online')
  const kid = agent.kid!
  expect(server.of('hello', kid)[0]?.inventory.tunnels).toEqual(['desktop', 'terminal', 'log', 'files'])
  const ask = async (params: TunnelParams) => {
    const id = randomUUID()
    const expires_at = new Date(Date.now() + 60_000).toISOString()
    await server.send(kid, 'request', { id, method: 'tunnel_open', params, expires_at })
    return vi.waitFor(() => {
      const reply = server.of('reply', kid).find((each) => each.id === id)
      expect(reply).toBeDefined()
      return reply!
    })
  }
  const params = far.params('terminal')
  expect(await ask(params)).toMatchObject({ ok: true, data: {} })
  const end = far.end(params.tunnel_kid)
  const { secret } = [...server.registered.values()].find((each) => each.kid === kid)!
  expect(end.headers.authorization).toBe(`Bearer ${kid}:${secret}`)
  expect(end.offered).toEqual(['mdm-tunnel', `ticket.${params.ticket}`])
  const shell = heard(end)
  end.socket.send(Buffer.from('echo from afar\r'))
  await shell.until(/\r\nfrom afar\r\n/)
  // Another end of the same device, which the broker brings twice.
  const log = far.params('log')
  const [first, second] = await Promise.all([ask(log), ask(log)])
  expect([first.ok, second.ok]).toEqual([true, true])
  expect(far.arrived.filter((each) => each.kid === log.tunnel_kid)).toHaveLength(1)
  expect(body.remote.screen.viewers).toEqual(['Avery Example', 'Avery Example'])

  agent.drop()
  await Promise.all([end.closed, far.end(log.tunnel_kid).closed])
  await vi.waitFor(() => expect(body.remote.screen.viewers).toEqual([]))
  await agent.reached('online')
  const again = far.params('terminal')
  expect(await ask(again)).toMatchObject({ ok: true })
  await agent.stop()
  await far.end(again.tunnel_kid).closed
})

test('a picture is carried, and the notes beside it', async () => {
  const body = sim()
  const end = await opened(device(body), far.params('desktop'))
  const stream = createWebSocketStream(end.socket)
  stream.on('error', () => {})
  const viewer = await rfbClient(stream)
  viewer.request(false)
  await viewer.update()
  viewer.type('hello')
  end.socket.send(JSON.stringify({ key: 'menu' }))
  end.socket.send(JSON.stringify({ key: 'no such key' }))
  end.socket.send('{')
  await vi.waitFor(() => expect(body.remote.screen).toMatchObject({ typed: 'hello', app: 'MENU' }))
  end.socket.close(4000, 'ended')
  await vi.waitFor(() => expect(body.remote.screen.viewers).toEqual([]))
})

test('a shell that is left ends its tunnel, and what a viewer must not say ends it as failed', async () => {
  const tunnels = device()
  const shell = await opened(tunnels, far.params('terminal'))
  shell.socket.send(Buffer.from('exit\r'))
  expect(await shell.closed).toEqual({ code: 4000, reason: 'ended' })
  const screen = await opened(tunnels, far.params('desktop'))
  screen.socket.send(Buffer.from('GET / HTTP/1.1\r\n\r\n'))
  expect(await screen.closed).toEqual({ code: 4007, reason: 'failed' })
})

test('the person at the device is asked, told or neither', async () => {
  const body = sim()
  const tunnels = device(body)
  await opened(tunnels, far.params('desktop', { consent: 'ask' }))
  expect(body.performed).toEqual([
    'ask Avery Example wants to see the screen of this device and control it. Do you agree?',
  ])
  await opened(tunnels, far.params('log', { consent: 'notify' }))
  await vi.waitFor(() => expect(body.performed.at(-1)).toBe('message Remote session'))
  body.faults = { refuses: true }
  const refused = far.params('terminal', { consent: 'ask' })
  await expect(tunnels.open(refused)).rejects.toMatchObject({ code: 'no_consent' })
  expect(far.arrived.some(({ kid }) => kid === refused.tunnel_kid)).toBe(false)

  const linux = (commands: Parameters<typeof linuxBody>[0]['commands']) =>
    device(linuxBody({ data: folder, commands: commands! }))
  const asked = far.params('log', { consent: 'ask' })
  await expect(linux({}).open(asked)).rejects.toMatchObject({
    code: 'no_consent',
    message: 'Nobody can be asked at this device',
  })
  const question = ['sh', '-c', 'echo "$MDM_QUESTION" > "$0"', join(folder, 'question')]
  await opened(linux({ ask: question }), far.params('log', { consent: 'ask' }))
  expect(await readFile(join(folder, 'question'), 'utf8')).toBe(
    'Avery Example wants to read the log of this device. Do you agree?\n',
  )
})

test('a question is withdrawn with the connection', async () => {
  const tunnels = device(sim({ faults: { slow_ms: 600_000 } }))
  const opening = tunnels.open(far.params('desktop', { consent: 'ask' }))
  opening.catch(() => {})
  await tunnels.halt()
  await expect(opening).rejects.toMatchObject({ code: 'canceled' })
})

test('a mark at the device says how many look and who, from the first to the last', async () => {
  const path = join(folder, 'marks')
  const remote = ['sh', '-c', 'echo "$MDM_VIEWERS $MDM_VIEWER" >> "$0"', path]
  const tunnels = device(linuxBody({ data: folder, commands: { remote } }))
  const marks = async (text: string) => vi.waitFor(async () => expect(await readFile(path, 'utf8')).toBe(text))
  tunnels.begin()
  await marks('0 \n')
  const first = await opened(tunnels, far.params('log'))
  await marks('0 \n1 Avery Example\n')
  await opened(tunnels, far.params('log', { viewer: 'Bao Example' }))
  await marks('0 \n1 Avery Example\n2 Avery Example, Bao Example\n')
  first.socket.terminate()
  await marks('0 \n1 Avery Example\n2 Avery Example, Bao Example\n1 Bao Example\n')
  await tunnels.halt()
  expect(await readFile(path, 'utf8')).toMatch(/\n0 \n$/)
})

test('four tunnels at once, and a place is free again when one has ended', async () => {
  const tunnels = device()
  const ends = await Promise.all([0, 1, 2, 3].map(async () => opened(tunnels, far.params('log'))))
  await expect(tunnels.open(far.params('log'))).rejects.toMatchObject({ code: 'busy' })
  ends[0]!.socket.close(4001, 'expired')
  await vi.waitFor(async () => expect(await opened(tunnels, far.params('log'))).toBeDefined())
})

test('what cannot be opened says why, in words of the link', async () => {
  const body = sim()
  const tunnels = device(body)
  for (const remote of ['asleep', 'permission_missing', 'no_source'] as const) {
    body.faults = { remote }
    await expect(tunnels.open(far.params('desktop'))).rejects.toMatchObject({ code: remote })
  }
  const linux = device(linuxBody({ data: folder }))
  for (const kind of ['desktop', 'terminal'] as const)
    await expect(linux.open(far.params(kind))).rejects.toMatchObject({ code: 'not_supported' })
})

test('a server that refuses leaves nothing open behind', async () => {
  const destroyed: boolean[] = []
  const stream = () =>
    new Duplex({
      read: () => {},
      destroy(_error, done) {
        destroyed.push(true)
        done(null)
      },
    })
  const tunnels = device({ ...sim(), remote: counted(stream) })
  far.settings.is_refusing = true
  await expect(tunnels.open(far.params('log'))).rejects.toMatchObject({ code: 'no_tunnel', message: /401/ })
  await expect(tunnels.open(far.params('log', { url: 'ftp://x.example/' }))).rejects.toMatchObject({ code: 'bad_url' })
  await expect(tunnels.open(far.params('log', { ticket: 'a, b' }))).rejects.toMatchObject({ code: 'bad_params' })
  expect(destroyed).toEqual([true, true, true])
})

test('what a source says at once goes in frames that the server takes', async () => {
  const said = randomBytes(300_000)
  const source = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() })
  const tunnels = device({ ...sim(), remote: counted(() => source) })
  const { socket } = await opened(tunnels, far.params('log'))
  const frames: Buffer[] = []
  socket.on('message', (data: Buffer) => frames.push(data))
  source.push(said)
  await vi.waitFor(() => expect(Buffer.concat(frames).equals(said)).toBe(true))
  expect(Math.max(...frames.map(({ length }) => length))).toBe(tunnel_frame_bytes.usual)
})

test('the credential goes to the server of the device and to nobody else', async () => {
  const http = createServer()
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const other = tunnelServer(http)
  try {
    const params = other.params('log')
    await device().open({ ...params, url: `ws://127.0.0.1:${(http.address() as AddressInfo).port}${params.url}` })
    expect(other.end(params.tunnel_kid).headers.authorization).toBeUndefined()
    other.end(params.tunnel_kid).socket.terminate()
    const own = far.params('log')
    await device().open({ ...own, url: `${server.url.replace('http', 'ws')}${own.url}` })
    expect(far.end(own.tunnel_kid).headers.authorization).toMatch(/^Bearer /)
  } finally {
    await new Promise((resolve) => http.close(resolve))
  }
})

/** A body of which a stream of the test is opened. */
const counted = (stream: () => Duplex): RemoteBody => ({
  kinds: ['log'],
  open: async () => ({ stream: stream() }),
  show_viewers: async () => {},
})

test('a server that does not read stops the source, and goes on where it stopped', async () => {
  const piece = Buffer.alloc(65_536, 1)
  let made = 0
  const stream = new Duplex({
    read() {
      made += piece.length
      this.push(piece)
    },
    write: (_chunk, _encoding, done) => done(),
  })
  const end = await opened(device({ ...sim(), remote: counted(() => stream) }), far.params('log'))
  let got = 0
  end.socket.on('message', (data: Buffer) => (got += data.length))
  await vi.waitFor(() => expect(got).toBeGreaterThan(8_388_608))
  end.socket.pause()
  await vi.waitFor(() => expect(stream.isPaused()).toBe(true))
  const [stood_at, was_got] = [made, got]
  // What the sockets of both ends take, and no more.
  expect(stood_at - was_got).toBeLessThan(16_777_216)
  for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  expect(made - was_got).toBeLessThan(16_777_216)
  end.socket.resume()
  await vi.waitFor(() => expect(got).toBeGreaterThan(stood_at))
})

test('a source that does not read stops the server', async () => {
  let release = () => {}
  let taken = 0
  const stream = new Duplex({
    read: () => {},
    write(chunk: Buffer, _encoding, done) {
      taken += chunk.length
      release = done
    },
  })
  const end = await opened(device({ ...sim(), remote: counted(() => stream) }), far.params('log'))
  const piece = Buffer.alloc(65_536)
  for (let sent = 0; sent < 33_554_432; sent += piece.length) end.socket.send(piece)
  await vi.waitFor(() => expect(taken).toBeGreaterThan(0))
  expect(stream.writableLength).toBeLessThan(1_048_576)
  expect(end.socket.bufferedAmount).toBeGreaterThan(8_388_608)
  // It takes one piece after the other from then on.
  stream._write = (chunk: Buffer, _encoding, done) => {
    taken += chunk.length
    done()
  }
  release()
  await vi.waitFor(() => expect(taken).toBe(33_554_432))
})
