import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { generate } from 'mqtt-packet'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { downFilter, downTopic, upNames, upTopic } from '@mdm/device-link'
import { newKid } from '../../lib/ids.ts'
import { linkStats } from '../stats.ts'
import { brokerForTests, connectPacket, secret } from '../../testing/broker.ts'
import type { BrokerForTests } from '../../testing/broker.ts'

const until = (claim: () => void | Promise<void>) => vi.waitFor(claim, { interval: 10 })

describe('what a device may do', () => {
  let b: BrokerForTests
  const other = newKid()
  beforeAll(async () => {
    b = await brokerForTests()
  })
  afterAll(() => b[Symbol.asyncDispose]())

  test.each(upNames)('publishes to its own up/%s', async (name) => {
    const device = await b.device()
    await device.publishAsync(upTopic(device.options.clientId!, name), `says ${name}`, { qos: 1 })
    expect(b.edge.heard).toContainEqual({ kid: device.options.clientId, name, payload: `says ${name}` })
  })

  const topics = (kid: string): [string, string][] => [
    ['another device', upTopic(other, 'state')],
    ['its own down', downTopic(kid, 'task')],
    ['an unknown name', `mdm/v1/${kid}/up/secret`],
    ['a deeper topic', `${upTopic(kid, 'state')}/x`],
    ['a many-level wildcard', `mdm/v1/${kid}/up/#`],
    ['a one-level wildcard', `mdm/v1/${kid}/up/+`],
    ['$SYS', '$SYS/broker/x'],
    ['a shared topic', `$share/mdm/${upTopic(kid, 'state')}`],
    ['NUL', `mdm/v1/${kid}/up/state\0`],
    ['upper case', upTopic(kid, 'state').toUpperCase()],
    ['another version', `mdm/v2/${kid}/up/state`],
    ['200 levels', '/'.repeat(200)],
  ]
  const names = topics('').map(([name]) => name)
  const topicOf = (kid: string, name: string) => topics(kid).find(([n]) => n === name)![1]
  /** The packet as bytes: the client library would itself refuse some of these topics. */
  const publishBytes = (topic: string, { qos, retain }: { qos: number; retain: boolean }) => {
    const t = Buffer.from(topic)
    const body = Buffer.concat([
      Buffer.from([t.length >> 8, t.length & 255]),
      t,
      qos > 0 ? Buffer.from([0, 9]) : Buffer.alloc(0),
      Buffer.from('must not arrive'),
    ])
    const head = [0x30 | (qos << 1) | (retain ? 1 : 0), (body.length & 127) | (body.length > 127 ? 128 : 0)]
    if (body.length > 127) head.push(body.length >> 7)
    return Buffer.concat([Buffer.from(head), body])
  }
  const isRefusedPublish = async (bytes: (kid: string) => Buffer) => {
    const device = b.raw()
    device.connect()
    await until(() => expect(device.got('connack')).toHaveLength(1))
    device.socket.write(bytes(device.kid))
    await device.closed
    expect(device.got('puback')).toEqual([])
    expect(device.got('pubrec')).toEqual([])
    expect(b.edge.heard.filter(({ payload }) => payload === 'must not arrive')).toEqual([])
  }
  describe.each([0, 1, 2])('QoS %i', (qos) => {
    test.each(names)('is cut off when it publishes to %s', (name) =>
      isRefusedPublish((kid) => publishBytes(topicOf(kid, name), { qos, retain: false })),
    )
    test('is cut off when it retains', () =>
      isRefusedPublish((kid) => publishBytes(upTopic(kid, 'state'), { qos, retain: true })))
  })
  test('is cut off when it publishes with QoS 2', () =>
    isRefusedPublish((kid) => publishBytes(upTopic(kid, 'state'), { qos: 2, retain: false })))

  test.each(names)('is refused a will at %s, and a retained one', async (name) => {
    for (const kid of [newKid()]) {
      const wills = [
        { topic: topicOf(kid, name), retain: false },
        { topic: upTopic(kid, 'gone'), retain: true },
        { topic: upTopic(kid, 'state'), retain: false },
      ]
      for (const will of wills) {
        const device = b.raw(kid)
        device.connect({ will: { ...will, payload: Buffer.from('must not arrive'), qos: 1 } as never })
        await device.closed
        expect(
          device
            .got('connack')
            .map((c) => c.returnCode)
            .filter((code) => code === 0),
        ).toEqual([])
      }
      expect(b.edge.opened.filter((peer) => peer.kid === kid)).toEqual([])
    }
  })

  test('subscribes to all of its down/ or a child of it, and to nothing else', async () => {
    const device = b.raw()
    const { kid } = device
    device.connect()
    await until(() => expect(device.got('connack')).toHaveLength(1))
    const allowed = [downFilter(kid), downTopic(kid, 'task'), downTopic(kid, 'request')]
    const refused = [
      '#',
      '+/#',
      'mdm/#',
      'mdm/v1/+/down/#',
      `mdm/v1/${kid}/#`,
      `mdm/v1/${kid}/down/+`,
      upTopic(kid, 'state'),
      '$SYS/#',
      '$SYS/+/new/clients',
      `$share/mdm/${downFilter(kid)}`,
      downFilter(other),
      downTopic(other, 'task'),
      `mdm/v1/${kid}/down/task\0`,
      `mdm/v1/${kid}/up/#`,
    ]
    device.send({
      cmd: 'subscribe',
      messageId: 1,
      subscriptions: [...allowed, ...refused].map((topic) => ({ topic, qos: 1 })),
    } as never)
    await until(() => expect(device.got('suback')).toHaveLength(1))
    expect(device.got('suback')[0]!.granted).toEqual([...allowed.map(() => 1), ...refused.map(() => 128)])
    const said = () =>
      b.edge.logged.filter((l) => l.message === 'subscribe refused' && l.details['terminal_kid'] === kid)
    await until(() => expect(said().map((l) => l.details['topic'])).toEqual(refused))
  })

  test.each([
    ['anonymous', { username: undefined, password: undefined }],
    ['without a password', { password: undefined }],
    ['with a client id of its own', { clientId: 'me' }],
    ['with the client id of another', { clientId: other }],
    ['with a user name that is no id', { clientId: '#', username: '#' }],
  ])('is refused %s before the server is asked', async (_, more) => {
    const device = b.raw()
    const before = b.edge.asked
    device.connect(more)
    await device.closed
    expect(device.got('connack').map((c) => c.returnCode)).not.toContain(0)
    expect(b.edge.asked).toBe(before)
  })
  test('is refused with a wrong secret', async () => {
    const device = b.raw()
    device.connect({ password: Buffer.from('wrong') })
    await device.closed
    expect(device.got('connack').map((c) => c.returnCode)).toEqual([4])
  })
  test.each([0, 301, 65_535])('is refused with a keepalive of %i s', async (keepalive) => {
    const device = b.raw()
    device.connect({ keepalive })
    await device.closed
    expect(device.got('connack').map((c) => c.returnCode)).not.toContain(0)
  })
  test('publishes 256 KiB and no more', async () => {
    const device = await b.device()
    const topic = upTopic(device.options.clientId!, 'event')
    await device.publishAsync(topic, Buffer.alloc(262_144, 'a'), { qos: 1 })
    const raw = b.raw()
    raw.connect()
    await until(() => expect(raw.got('connack')).toHaveLength(1))
    raw.publish(upTopic(raw.kid, 'event'), Buffer.alloc(262_145, 'a'), 1)
    await raw.closed
    expect(raw.got('puback')).toEqual([])
  })
})

const type = { puback: 0x40, pubrec: 0x50, pubrel: 0x62, subscribe: 0x82, unsubscribe: 0xa2 }
const filter = (kid: string) => [0, downFilter(kid).length, ...Buffer.from(downFilter(kid))]
test.each([
  ['a publish with id 0', (kid: string) => publishBytes(upTopic(kid, 'state'), [0, 0])],
  ['an acknowledgement of id 0', () => [type.puback, 2, 0, 0]],
  ['a subscription with id 0', (kid: string) => packet(type.subscribe, [0, 0, ...filter(kid), 1])],
  ['an end of a subscription with id 0', (kid: string) => packet(type.unsubscribe, [0, 0, ...filter(kid)])],
  ['a PUBREC', () => [type.pubrec, 2, 0, 1]],
  ['a PUBREL', () => [type.pubrel, 2, 0, 1]],
  ['a packet of type 0', () => [0, 0]],
  ['a length of five bytes', () => [0x30, 255, 255, 255, 255, 1]],
  ['a length above 256 KiB', () => [0x32, 255, 255, 127]],
  ['a second CONNECT', (kid: string) => [...generate(connectPacket(kid))]],
])('%s ends the connection', async (_what, bytes) => {
  await using b = await brokerForTests()
  const device = b.raw()
  device.connect()
  await until(() => expect(device.got('connack')).toHaveLength(1))
  device.socket.write(Buffer.from(bytes(device.kid)))
  await device.closed
  expect(device.received.map(({ cmd }) => cmd)).toEqual(['connack'])
  expect(b.edge.heard).toEqual([])
})
const packet = (first: number, body: number[]) => [first, body.length, ...body]
const publishBytes = (topic: string, id: number[]) =>
  packet(0x32, [0, topic.length, ...Buffer.from(topic), ...id, ...Buffer.from('{}')])

test('a commit comes before its PUBACK, and what is not committed is not acknowledged', async () => {
  await using b = await brokerForTests()
  let release: (() => void) | undefined
  b.edge.commit = () => new Promise((resolve) => (release = resolve))
  const device = b.raw()
  device.connect()
  await until(() => expect(device.got('connack')).toHaveLength(1))
  device.publish(upTopic(device.kid, 'state'), '1', 1)
  device.send({ cmd: 'pingreq' })
  await until(() => expect(device.got('pingresp')).toHaveLength(1))
  expect(device.got('puback')).toEqual([])
  await until(() => expect(release).toBeDefined())
  release!()
  await until(() => expect(device.got('puback').map((p) => p.messageId)).toEqual([1]))
  b.edge.commit = () => Promise.reject(new Error('no disk'))
  device.publish(upTopic(device.kid, 'state'), '2', 2)
  await device.closed
  expect(device.got('puback').map((p) => p.messageId)).toEqual([1])
})

test('a message that a device sends before it knows that it is connected counts', async () => {
  await using b = await brokerForTests()
  let admit = () => {}
  b.edge.authenticate = () => new Promise((resolve) => (admit = () => resolve(true)))
  const device = b.raw()
  device.connect()
  await until(() => expect(b.edge.asked).toBe(1))
  device.subscribe(downFilter(device.kid), 1)
  device.publish(upTopic(device.kid, 'hello'), 'early', 2)
  // The broker has these bytes when a connection that began later has been answered.
  const later = b.raw()
  later.connect({ keepalive: 0 })
  await later.closed
  admit()
  await until(() => expect(device.got('puback')).toHaveLength(1))
  expect(device.got('suback').map((p) => p.granted)).toEqual([[1]])
})

test('a second connection takes over, and every end carries its own epoch', async () => {
  await using b = await brokerForTests()
  const kid = newKid()
  const all = Array.from({ length: 6 }, () => b.raw(kid))
  for (const device of all) {
    device.connect()
    await until(() => expect(device.got('connack')).toHaveLength(1))
    device.subscribe(downFilter(kid), 1)
    await until(() => expect(device.got('suback')).toHaveLength(1))
  }
  const last = all.at(-1)!
  await Promise.all(all.slice(0, -1).map((device) => device.closed))
  await until(() => expect(b.edge.closed).toHaveLength(5))
  const epochs = b.edge.opened.map(({ epoch }) => epoch)
  expect(new Set(epochs).size).toBe(6)
  expect(b.edge.closed.map(({ epoch }) => epoch).sort()).toEqual(epochs.slice(0, 5).sort())
  const delivered = b.broker.deliver(kid, downTopic(kid, 'task'), 'for the last')
  await until(() => expect(last.got('publish')).toHaveLength(1))
  last.send({ cmd: 'puback', messageId: last.got('publish')[0]!.messageId! })
  expect(await delivered).toBe('acknowledged')
  expect((await b.broker.stats()).connections).toBe(1)
})

test('of many connections that race for one device, one is left', async () => {
  await using b = await brokerForTests({ device_connects: 1_000 })
  const kid = newKid()
  for (let round = 0; round < 10; round++) {
    const all = Array.from({ length: 10 }, () => b.raw(kid))
    for (const device of all) {
      device.connect()
      device.subscribe(downFilter(kid), 1)
      if (Math.random() < 0.3) device.socket.end()
    }
    await until(() => expect(b.edge.opened.length - b.edge.closed.length).toBeLessThanOrEqual(1))
  }
  const open = new Set(b.edge.opened.map(({ epoch }) => epoch))
  await until(() => {
    for (const { epoch } of b.edge.closed) open.delete(epoch)
    expect(open.size).toBeLessThanOrEqual(1)
  })
  const winner = b.raw(kid)
  winner.connect()
  await until(() => expect(winner.got('connack')).toHaveLength(1))
  await until(() => expect(b.edge.opened.length - b.edge.closed.length).toBe(1))
})

test('at most 16 publishes wait for a device, an acknowledgement makes room', async () => {
  await using b = await brokerForTests()
  const device = b.raw()
  const { kid } = device
  const topic = downTopic(kid, 'task')
  expect(await b.broker.deliver(kid, topic, 'nobody is there')).toBe('offline')
  device.connect()
  await until(() => expect(b.edge.opened).toHaveLength(1))
  expect(await b.broker.deliver(kid, topic, 'not subscribed')).toBe('offline')
  device.subscribe(downFilter(kid), 1)
  await until(() => expect(device.got('suback')).toHaveLength(1))
  const outcomes = Array.from({ length: 20 }, (_, i) => b.broker.deliver(kid, topic, `${i}`))
  expect(await Promise.all(outcomes.slice(16))).toEqual(Array(4).fill('window_full'))
  await until(() => expect(device.got('publish')).toHaveLength(16))
  expect(device.got('publish').map((p) => p.payload.toString())).toEqual(Array.from({ length: 16 }, (_, i) => `${i}`))
  device.send({ cmd: 'puback', messageId: device.got('publish')[3]!.messageId! })
  expect(await outcomes[3]).toBe('acknowledged')
  void b.broker.deliver(kid, topic, 'fits again')
  await until(() => expect(device.got('publish')).toHaveLength(17))
  device.socket.destroy()
  expect(await outcomes[0]).toBe('offline')
  await until(async () => expect(await b.broker.stats()).toMatchObject({ connections: 0, waiting_down: 0 }))
})

test('thousands of small messages at once are all acknowledged, in order, however slow the commit', async () => {
  await using b = await brokerForTests()
  b.edge.commit = () => new Promise((resolve) => setTimeout(resolve, 20))
  const device = b.raw()
  device.connect()
  await until(() => expect(device.got('connack')).toHaveLength(1))
  device.socket.cork()
  for (let id = 1; id <= 5_000; id++) device.publish(upTopic(device.kid, 'state'), '{}', id)
  device.socket.uncork()
  await until(() => expect(device.got('puback')).toHaveLength(5_000))
  expect(device.got('puback').map((p) => p.messageId)).toEqual(Array.from({ length: 5_000 }, (_, i) => i + 1))
})

test('a storm of connects is turned away before the server is asked', async () => {
  await using b = await brokerForTests({ connect_rate: 1, connect_burst: 20 })
  const all = Array.from({ length: 60 }, () => b.raw())
  for (const device of all) device.connect()
  await until(() => expect(all.filter((d) => d.got('connack').length > 0)).toHaveLength(60))
  const codes = all.map((d) => d.got('connack')[0]!.returnCode)
  expect(codes.filter((code) => code === 0).length).toBe(b.edge.asked)
  expect(b.edge.asked).toBeLessThan(30)
  expect(new Set(codes)).toEqual(new Set([0, 3]))
})

const refusedWith = async (b: BrokerForTests, kid: string, password: string) => {
  const device = b.raw(kid)
  device.connect({ password: Buffer.from(password) })
  await until(() => expect(device.got('connack')).toHaveLength(1))
  return device.got('connack')[0]!.returnCode
}

test('wrong secrets of one address refuse no right one behind it', async () => {
  await using b = await brokerForTests({ connect_rate: 1, connect_burst: 12, wrong_secrets: 5 })
  const known = newKid()
  expect(await refusedWith(b, known, secret)).toBe(0)
  const hostile = newKid()
  for (let i = 0; i < 30; i++) expect([3, 4]).toContain(await refusedWith(b, hostile, `wrong ${i}`))
  for (let i = 0; i < 30; i++) expect(await refusedWith(b, newKid(), 'wrong')).toBe(4)
  expect(await refusedWith(b, known, secret)).toBe(0)
  expect(await refusedWith(b, newKid(), secret)).toBe(0)
})

test('a secret that was wrong is refused again without being asked for, and every refusal is logged and counted', async () => {
  await using b = await brokerForTests()
  const { connects_wrong_secret: before = 0 } = linkStats()
  const canceled = newKid()
  for (let i = 0; i < 8; i++) expect(await refusedWith(b, canceled, 'of another life')).toBe(4)
  expect(b.edge.asked).toBe(1)
  expect(await refusedWith(b, canceled, secret)).toBe(0)
  await until(() => expect(linkStats()['connects_wrong_secret']).toBe(before + 8))
  expect(b.edge.logged).toContainEqual({
    message: 'connect refused',
    details: { why: 'wrong secret', address: '127.0.0.1', terminal_kid: canceled },
  })
})

test('a device that connects again and again is told to come later, and nobody else', async () => {
  await using b = await brokerForTests({ device_connects: 3 })
  const restless = newKid()
  const codes = []
  for (let i = 0; i < 6; i++) codes.push(await refusedWith(b, restless, secret))
  // The first one is that of a device not known yet.
  expect(codes).toEqual([0, 0, 0, 0, 3, 3])
  expect(await refusedWith(b, newKid(), secret)).toBe(0)
})

test('a connection beyond the limit is answered and closed', async () => {
  await using b = await brokerForTests({ connections: 3 })
  await Promise.all([b.device(), b.device(), b.device()])
  const fourth = b.raw()
  fourth.connect()
  await fourth.closed
  expect(fourth.got('connack').map((c) => c.returnCode)).toEqual([3])
  expect(b.edge.opened).toHaveLength(3)
})

test('who does not speak in time is cut off', async () => {
  await using b = await brokerForTests({ connect_ms: 200 })
  const silent = b.raw()
  const half = b.raw()
  half.socket.write(Buffer.from([0x10, 0x40, 0x00, 0x04]))
  await Promise.all([silent.closed, half.closed])
})

test('a kick ends the connection of that device alone', async () => {
  await using b = await brokerForTests()
  const [a, c] = [await b.device(), await b.device()]
  const gone = new Promise<void>((resolve) => void a.once('close', () => resolve()))
  await b.broker.kick(a.options.clientId!, 'test')
  await gone
  await c.publishAsync(upTopic(c.options.clientId!, 'state'), 'still here', { qos: 1 })
  await until(() => expect(b.edge.closed.map(({ kid }) => kid)).toEqual([a.options.clientId]))
})

test('a port that is taken is a clear error and leaves nothing running', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  await expect(brokerForTests({}, { port })).rejects.toThrow(String(port))
  taken.close()
  await once(taken, 'close')
  // Nothing may come back for the port later.
  for (let i = 0; i < 10; i++) {
    const probe = createServer().listen(port, '127.0.0.1')
    await once(probe, 'listening')
    probe.close()
    await once(probe, 'close')
    await new Promise((resolve) => setTimeout(resolve, 150))
  }
})

test('the secret of a device is asked of the server as it is', async () => {
  await using b = await brokerForTests()
  const asked: string[] = []
  b.edge.authenticate = async (_kid, given) => asked.push(given) > 0
  await b.device()
  expect(asked).toEqual([secret])
})
