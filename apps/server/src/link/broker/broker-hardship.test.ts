import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import mqtt from 'mqtt'
import { WebSocketServer } from 'ws'
import { expect, test, vi } from 'vitest'
import { downFilter, downTopic, upTopic } from '@mdm/device-link'
import { newKid } from '../../lib/ids.ts'
import { brokerForTests, secret } from '../../testing/broker.ts'
import type { BrokerForTests, RawDevice } from '../../testing/broker.ts'

const until = (claim: () => void | Promise<void>) => vi.waitFor(claim, { interval: 20 })

async function subscribed(b: BrokerForTests): Promise<RawDevice> {
  const device = b.raw()
  device.connect()
  device.subscribe(downFilter(device.kid), 1)
  await until(() => expect(device.got('suback')).toHaveLength(1))
  return device
}

test('200 busy devices dropped at once and one that stalls harm nobody', async () => {
  await using b = await brokerForTests()
  const pid = b.broker.pid()
  const busy = await Promise.all(Array.from({ length: 200 }, () => subscribed(b)))
  const stalled = await subscribed(b)
  const calm = await b.device()
  stalled.stall()
  const big = 'x'.repeat(200_000)
  const outcomes: Promise<string>[] = []
  for (const device of busy) {
    for (let id = 1; id <= 20; id++) device.publish(upTopic(device.kid, 'state'), `${id}`, id)
    for (let i = 0; i < 16; i++) outcomes.push(b.broker.deliver(device.kid, downTopic(device.kid, 'task'), `${i}`))
  }
  for (let i = 0; i < 40; i++) outcomes.push(b.broker.deliver(stalled.kid, downTopic(stalled.kid, 'task'), big))
  await until(() => expect(busy.some((device) => device.received.length > 2)).toBe(true))
  for (const { socket } of busy) socket.resetAndDestroy()
  for (let i = 0; i < 50; i++) {
    await calm.publishAsync(upTopic(calm.options.clientId!, 'state'), `calm ${i}`, { qos: 1 })
  }
  await until(async () => expect((await b.broker.stats()).connections).toBeLessThanOrEqual(2))
  stalled.socket.destroy()
  // None is left open: each was offline, or its window was full.
  expect(new Set(await Promise.all(outcomes))).not.toContain(undefined)
  await until(async () =>
    expect(await b.broker.stats()).toMatchObject({ connections: 1, waiting_up: 0, waiting_down: 0 }),
  )
  expect(b.broker.pid()).toBe(pid)
  await until(() => expect(b.edge.closed).toHaveLength(201))
})

test('a killed broker comes back on its port, and nothing acknowledged is missing', async () => {
  await using b = await brokerForTests()
  const { port } = b.broker
  b.edge.commit = () => new Promise((resolve) => setTimeout(resolve, 5))
  const devices = await Promise.all(
    Array.from({ length: 10 }, () => b.device(newKid(), { reconnectPeriod: 50, clean: false })),
  )
  const acknowledged = new Set<string>()
  const work = { is_done: false }
  const working = devices.map(async (device, d) => {
    for (let n = 0; !work.is_done; n++) {
      await device.publishAsync(upTopic(device.options.clientId!, 'event'), `${d}:${n}`, { qos: 1 })
      acknowledged.add(`${d}:${n}`)
    }
  })
  for (let round = 0; round < 3; round++) {
    const before = acknowledged.size
    await until(() => expect(acknowledged.size).toBeGreaterThan(before + 100))
    const pid = b.broker.pid()!
    const closed = b.edge.closed.length
    process.kill(pid, 'SIGKILL')
    await until(() => expect(b.broker.pid() ?? pid).not.toBe(pid))
    expect(b.edge.closed.length).toBe(closed + 10)
  }
  const before = acknowledged.size
  await until(() => expect(acknowledged.size).toBeGreaterThan(before + 100))
  work.is_done = true
  await Promise.all(working)
  expect(b.broker.port).toBe(port)
  const heard = new Set(b.edge.heard.map(({ payload }) => payload))
  expect([...acknowledged].filter((one) => !heard.has(one))).toEqual([])
})

test('a delivery that is under way when the broker dies is offline', async () => {
  await using b = await brokerForTests()
  const device = await subscribed(b)
  const outcome = b.broker.deliver(device.kid, downTopic(device.kid, 'task'), 'never acknowledged')
  const stats = b.broker.stats().catch(() => 'no broker')
  await until(() => expect(device.got('publish')).toHaveLength(1))
  const pid = b.broker.pid()!
  process.kill(pid, 'SIGKILL')
  const asked = b.broker.stats().catch(() => 'no broker')
  expect(await outcome).toBe('offline')
  expect(await b.broker.deliver(device.kid, downTopic(device.kid, 'task'), 'while it is away')).toBe('offline')
  await stats
  await asked
})

test('malformed packets, before and after a connect, close their connection and nothing else', async () => {
  await using b = await brokerForTests({ connect_rate: 100_000, connect_burst: 100_000, wrong_secrets: 1_000_000 })
  const pid = b.broker.pid()
  const calm = await b.device()
  let seed = 4711
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    return seed % below
  }
  const sample = b.raw()
  sample.connect()
  await until(() => expect(sample.got('connack')).toHaveLength(1))
  for (let round = 0; round < 30; round++) {
    const devices = Array.from({ length: 100 }, () => b.raw())
    devices.forEach((device, i) => {
      if (i % 2 === 0) device.connect()
      const bytes = Buffer.from(Array.from({ length: 1 + random(80) }, () => random(256)))
      // Half of them look like a packet of some kind with a plausible length.
      if (random(2)) bytes.set([(random(16) << 4) | random(16), Math.max(0, bytes.length - 2)].slice(0, bytes.length))
      device.socket.write(bytes)
      device.socket.end()
    })
    await Promise.all(devices.map((device) => device.closed))
    await calm.publishAsync(upTopic(calm.options.clientId!, 'state'), `round ${round}`, { qos: 1 })
  }
  expect(b.broker.pid()).toBe(pid)
  expect(new Set(b.edge.heard.map(({ kid }) => kid))).toEqual(new Set([calm.options.clientId]))
  await until(async () => expect((await b.broker.stats()).connections).toBe(2))
})

test.each([
  ['a stranger', false],
  ['a device', true],
])('%s who announces a huge packet is cut off before it is held in memory', async (_, is_connected) => {
  await using b = await brokerForTests()
  const device = b.raw()
  if (is_connected) {
    device.connect()
    await until(() => expect(device.got('connack')).toHaveLength(1))
  }
  const before = (await b.broker.stats()).memory
  // Remaining length 0xff 0xff 0xff 0x7f: 256 MiB.
  device.socket.write(Buffer.from([0x32, 0xff, 0xff, 0xff, 0x7f]))
  const chunk = Buffer.alloc(1_048_576, 'a')
  for (let i = 0; i < 100 && !device.socket.destroyed; i++) {
    await Promise.race([
      device.closed,
      new Promise<void>((resolve) => void device.socket.write(chunk, () => resolve())),
    ])
  }
  expect((await b.broker.stats()).memory - before).toBeLessThan(40 * 1_048_576)
  await device.closed
})

test('memory does not grow with what passes through', async () => {
  await using b = await brokerForTests()
  const device = await b.device()
  const push = async (n: number) => {
    const payload = Buffer.alloc(10_000, 'a')
    for (let i = 0; i < n; i += 100) {
      await Promise.all(
        Array.from({ length: 100 }, () =>
          device.publishAsync(upTopic(device.options.clientId!, 'event'), payload, { qos: 1 }),
        ),
      )
      b.edge.heard.length = 0
    }
  }
  await push(2_000)
  const before = (await b.broker.stats()).memory
  await push(10_000)
  // 100 MB went through.
  expect((await b.broker.stats()).memory - before).toBeLessThan(50 * 1_048_576)
})

test('MQTT over WebSocket is the same link, with the address of its own peer', async () => {
  await using b = await brokerForTests()
  const http = createServer()
  const sockets = new WebSocketServer({ server: http, handleProtocols: () => 'mqtt' })
  sockets.on('connection', (socket) => b.broker.attachWebSocket(socket, '203.0.113.9'))
  await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve))
  const kid = newKid()
  const client = mqtt.connect(`ws://127.0.0.1:${(http.address() as AddressInfo).port}/mqtt`, {
    clientId: kid,
    username: kid,
    password: secret,
    reconnectPeriod: 0,
  })
  try {
    await client.subscribeAsync(downFilter(kid), { qos: 1 })
    await client.publishAsync(upTopic(kid, 'state'), 'y'.repeat(200_000), { qos: 1 })
    expect(b.edge.heard.map(({ payload }) => payload.length)).toEqual([200_000])
    expect(b.edge.opened).toMatchObject([{ kid, address: '203.0.113.9', transport: 'websocket' }])
    expect(await b.broker.deliver(kid, downTopic(kid, 'task'), 'over the web')).toBe('acknowledged')
  } finally {
    await client.endAsync(true)
    await until(() => expect(b.edge.closed).toHaveLength(1))
    sockets.close()
    http.close()
  }
})

test('the broker goes when its server does', async () => {
  await using b = await brokerForTests()
  const pid = b.broker.pid()!
  await b.broker.close()
  expect(() => process.kill(pid, 0)).toThrow()
})
