import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test, vi } from 'vitest'
import { downFilter, downTopic, upTopic } from '@mdm/device-link'
import { brokerForTests } from '../../testing/broker.ts'

const until = (claim: () => void | Promise<void>) => vi.waitFor(claim, { interval: 10 })
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

test('acknowledgements leave in the order of the publishes, whatever the order of their commits', async () => {
  await using b = await brokerForTests()
  const release = new Map<string, () => void>()
  b.edge.commit = ({ payload }) => new Promise((resolve) => release.set(payload, resolve))
  const device = b.raw()
  device.connect()
  await until(() => expect(device.got('connack')).toHaveLength(1))
  device.together(() => {
    for (const id of [1, 2, 3]) device.publish(upTopic(device.kid, 'event'), `${id}`, id)
  })
  await until(() => expect(release.size).toBe(3))
  release.get('3')!()
  release.get('2')!()
  // Asked after both answers, so answered after both: all three still wait.
  expect(await b.broker.stats()).toMatchObject({ waiting_up: 3 })
  expect(device.got('puback')).toEqual([])
  release.get('1')!()
  await until(() => expect(device.got('puback').map((p) => p.messageId)).toEqual([1, 2, 3]))
  expect(await b.broker.stats()).toMatchObject({ waiting_up: 0 })
})

test('when one message of many is not committed, none after it is acknowledged, and the log has one line', async () => {
  await using b = await brokerForTests()
  let decide = () => {}
  const decided = new Promise<void>((resolve) => (decide = resolve))
  b.edge.commit = async ({ payload }) => {
    await decided
    if (payload === '3') throw new Error('no disk')
  }
  const device = b.raw()
  device.connect()
  await until(() => expect(device.got('connack')).toHaveLength(1))
  device.together(() => {
    for (let id = 1; id <= 50; id++) device.publish(upTopic(device.kid, 'event'), `${id}`, id)
  })
  decide()
  await device.closed
  // What was still on its way to the device may be lost with the connection.
  expect([[], [1], [1, 2]]).toContainEqual(device.got('puback').map((p) => p.messageId))
  await until(() => expect(b.edge.closed).toHaveLength(1))
  expect(b.edge.logged.filter(({ message }) => message === 'connection ended')).toHaveLength(1)
})

test('a message that was not committed comes again from a real client after it reconnected', async () => {
  await using b = await brokerForTests()
  let is_broken = true
  b.edge.commit = async () => {
    if (is_broken) throw new Error('no disk')
  }
  const device = await b.device(undefined, { reconnectPeriod: 50, clean: false })
  const kid = device.options.clientId!
  device.once('close', () => (is_broken = false))
  await device.publishAsync(upTopic(kid, 'event'), 'must arrive', { qos: 1 })
  expect(b.edge.heard).toEqual([{ kid, name: 'event', payload: 'must arrive' }])
  expect(b.edge.opened.length).toBeGreaterThan(1)
})

test('a device that goes while its publish waits is only gone', async () => {
  await using b = await brokerForTests()
  let release = () => {}
  b.edge.commit = () => new Promise((resolve) => (release = resolve))
  const device = b.raw()
  device.connect()
  device.publish(upTopic(device.kid, 'event'), 'on its way', 1)
  await until(() => expect(b.edge.opened).toHaveLength(1))
  await until(async () => expect((await b.broker.stats()).waiting_up).toBe(1))
  device.socket.destroy()
  await until(() => expect(b.edge.closed).toHaveLength(1))
  release()
  await until(() => expect(b.edge.heard).toHaveLength(1))
  expect(await b.broker.stats()).toMatchObject({ connections: 0, waiting_up: 0 })
})

test('QoS 0 is taken in and never answered', async () => {
  await using b = await brokerForTests()
  const device = b.raw()
  device.connect()
  await until(() => expect(device.got('connack')).toHaveLength(1))
  device.publish(upTopic(device.kid, 'event'), 'unasked', 0, { qos: 0 })
  await until(() => expect(b.edge.heard.map(({ payload }) => payload)).toEqual(['unasked']))
  device.send({ cmd: 'pingreq' })
  await until(() => expect(device.got('pingresp')).toHaveLength(1))
  expect(device.received.map(({ cmd }) => cmd)).toEqual(['connack', 'pingresp'])
})

test('acknowledgements of ids that were never sent change nothing', async () => {
  await using b = await brokerForTests()
  const device = b.raw()
  const { kid } = device
  device.connect()
  device.subscribe(downFilter(kid), 1)
  await until(() => expect(device.got('suback')).toHaveLength(1))
  const outcome = b.broker.deliver(kid, downTopic(kid, 'task'), 'the only one')
  await until(() => expect(device.got('publish')).toHaveLength(1))
  const { messageId } = device.got('publish')[0]!
  for (let id = 1; id <= 200; id++) if (id !== messageId) device.send({ cmd: 'puback', messageId: id })
  device.send({ cmd: 'pingreq' })
  await until(() => expect(device.got('pingresp')).toHaveLength(1))
  expect(await b.broker.stats()).toMatchObject({ waiting_down: 1 })
  device.send({ cmd: 'puback', messageId: messageId! })
  expect(await outcome).toBe('acknowledged')
})

test('while its port is taken the broker keeps trying, and comes back when it is free', async () => {
  await using b = await brokerForTests()
  const { port } = b.broker
  const other = createServer()
  // Whoever is first: the port is tried again until it is ours.
  const taken = new Promise<void>((resolve) => {
    other.on('error', () => setImmediate(() => other.listen(port, '127.0.0.1')))
    other.once('listening', resolve)
  })
  other.listen(port, '127.0.0.1')
  process.kill(b.broker.pid()!, 'SIGKILL')
  await taken
  const failures = () => b.edge.logged.filter(({ message }) => message === 'the broker process did not start').length
  await until(() => expect(failures()).toBeGreaterThan(1))
  other.close()
  await until(async () => {
    const device = await b.device()
    await device.publishAsync(upTopic(device.options.clientId!, 'state'), 'back', { qos: 1 })
  })
  expect(b.broker.port).toBe(port)
})

test('signals that a terminal or a service manager sends to everybody are for the server to obey', async () => {
  await using b = await brokerForTests()
  const pid = b.broker.pid()!
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.kill(pid, signal)
  const device = await b.device()
  await device.publishAsync(upTopic(device.options.clientId!, 'state'), 'still here', { qos: 1 })
  expect(b.broker.pid()).toBe(pid)
})

test('a broker whose server was killed ends at once and leaves no folder', async () => {
  const source = `
    import { startBroker } from ${JSON.stringify(fileURLToPath(new URL('./broker.ts', import.meta.url)))}
    const log = { info() {}, warn() {}, error() {} }
    const callbacks = { authenticate: async () => true, connected() {}, disconnected() {}, async inbound() {} }
    const broker = await startBroker({ host: '127.0.0.1', port: 0, log, callbacks })
    console.log(broker.pid())`
  const home = mkdtempSync(join(tmpdir(), 'mdm-test-'))
  const folders = () => readdirSync(home).filter((name) => name.startsWith('mdm-broker-'))
  const server = spawn(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), '--input-type=module', '-e', source],
    {
      env: { ...process.env, TMPDIR: home },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const [line] = (await once(server.stdout, 'data')) as [Buffer]
  const pid = Number(line)
  expect(isAlive(pid)).toBe(true)
  expect(folders()).toHaveLength(1)
  server.kill('SIGKILL')
  await until(() => expect(isAlive(pid)).toBe(false))
  expect(folders()).toEqual([])
  rmSync(home, { recursive: true })
})
