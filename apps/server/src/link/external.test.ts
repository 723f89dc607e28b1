import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Aedes } from 'aedes'
import { downFilter, downTopic, upTopic } from '@mdm/device-link'
import { connect, connectAsync } from 'mqtt'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { ensurePartitions } from '../jobs/partitions.ts'
import { newKid } from '../lib/ids.ts'
import { newMemory } from '../memory.ts'
import { testDeps } from '../testing/deps.ts'
import type { TestDeps } from '../testing/deps.ts'
import { openDeps } from '../testing/devices.ts'
import { postgres_missing } from '../testing/postgres.ts'
import { startLink } from './link.ts'
import type { Link } from './link.ts'
import { cuttingProxy } from '../testing/cutting-proxy.ts'
import { hello, seedDevices } from '../testing/fleet.ts'
import { freePort } from '../testing/free-port.ts'
import { has_mosquitto, killMosquitto, secret, startMosquitto, withOpenBroker } from '../testing/mosquitto.ts'
import type { Mosquitto } from '../testing/mosquitto.ts'

describe('a broker that cannot be used is refused', () => {
  let deps: TestDeps
  beforeAll(async () => void (deps = await testDeps()))
  afterAll(() => deps.close())

  it('because nobody answers', async () => {
    const url = `mqtt://user:geheim@127.0.0.1:${await freePort()}`
    const failure = await startLink(deps, { url }).then(
      () => undefined,
      (error: Error) => error,
    )
    expect(failure?.message).toMatch(/^MQTT_URL: the broker mqtt:\/\/127\.0\.0\.1:\d+ cannot be used: /)
    expect(failure?.message).not.toContain('geheim')
  })

  it('because it accepts shared subscriptions and delivers nothing', async () => {
    const aedes = await Aedes.createBroker()
    const server = createServer(aedes.handle)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`
    const failed = startLink(deps, { url }).then(
      () => 'started',
      (error: Error) => error.message,
    )
    let failure: string | undefined
    void failed.then((message) => (failure = message))
    await expect.poll(async () => (await deps.clock.advance(1_000), failure)).toMatch(/delivers nothing .* Mosquitto/)
    await new Promise<void>((resolve) => aedes.close(() => resolve()))
    await new Promise((resolve) => server.close(resolve))
  })
})

// An external broker is one that somebody installed: Debian's package `mosquitto` is enough for these tests to run.
const title = has_mosquitto ? 'behind mosquitto' : 'behind mosquitto (skipped: the command mosquitto is not installed)'
describe.runIf(has_mosquitto)(title, () => {
  let deps: TestDeps
  let link: Link
  let started: Mosquitto
  let url: string
  let kid: string
  /** Nothing depends on it. */
  let neighbour: string
  let is_down = false

  beforeAll(async () => {
    started = await startMosquitto()
    url = started.url
    const real = withOpenBroker(await testDeps())
    // The database as it is while it cannot be reached: every transaction fails.
    deps = Object.assign(real, {
      isUnavailable: () => is_down,
      db: new Proxy(real.db, {
        get(target, key) {
          if (key === 'transaction' && is_down) throw new Error('the database is away')
          const value = Reflect.get(target, key) as unknown
          return typeof value === 'function' ? value.bind(target) : value
        },
      }),
    })
    await ensurePartitions(deps)
    ;[kid, neighbour] = (await seedDevices(deps, 2)).kids as [string, string]
    link = await startLink(deps, { url })
    deps.link = link
  })
  afterAll(async () => {
    started.broker.kill()
    await link?.close()
    await deps.close()
    await rm(started.folder, { recursive: true, force: true })
  })
  const state = () =>
    deps.db.selectFrom('terminal_state').selectAll().where('terminal_kid', '=', kid).executeTakeFirst()
  const now = () => deps.clock.now().toISOString()

  it('messages are stored, presence follows hello and will, and the device is reached', async () => {
    const device = await connectAsync(url, {
      clientId: kid,
      will: { topic: upTopic(kid, 'gone'), payload: Buffer.from('{"epoch":"e1"}'), qos: 1, retain: false },
    })
    const received: string[] = []
    device.on('message', (topic) => received.push(topic))
    await device.subscribeAsync(downFilter(kid), { qos: 1 })
    await device.publishAsync(upTopic(kid, 'hello'), JSON.stringify(hello(deps, { epoch: 'e1' })), { qos: 1 })
    await expect.poll(async () => (await state())?.is_online).toBe(true)
    await Promise.all(
      Array.from({ length: 50 }, (_, seq) =>
        device.publishAsync(
          upTopic(kid, 'state'),
          JSON.stringify({ seq, device_time: now(), foreground_app: `a${seq}` }),
          {
            qos: 1,
          },
        ),
      ),
    )
    await expect.poll(async () => (await state())?.foreground_app).toBe('a49')
    void link.request(kid, 'ping', {}, 60_000).catch(() => {})
    await expect.poll(() => received).toEqual([`mdm/v1/${kid}/down/request`])
    device.stream.destroy()
    device.end(true)
    await expect.poll(async () => (await deps.clock.advance(2_000), (await state())?.is_online)).toBe(false)
  })

  /** A device whose hello was acknowledged by the broker and never heard: it says it again when it is asked. */
  async function unheard(epoch: string) {
    const device = await connectAsync(url, { clientId: kid, reconnectPeriod: 0 })
    const asked: string[] = []
    device.on('message', (topic, payload) => {
      const { id, method } = JSON.parse(payload.toString()) as { id: string; method: string }
      if (topic !== downTopic(kid, 'request') || method !== 'hello') return
      asked.push(method)
      device.publish(upTopic(kid, 'hello'), JSON.stringify(hello(deps, { epoch })), { qos: 1 })
      device.publish(upTopic(kid, 'reply'), JSON.stringify({ id, ok: true, data: {} }), { qos: 1 })
    })
    await device.subscribeAsync(downFilter(kid), { qos: 1 })
    const report = (seq: number) =>
      device.publishAsync(upTopic(kid, 'state'), JSON.stringify({ seq, device_time: now() }), { qos: 1 })
    const leave = () =>
      device.publishAsync(upTopic(kid, 'gone'), JSON.stringify({ epoch }), { qos: 1 }).then(() => device.end(true))
    /** Whatever was sent to the device before this has arrived after it. */
    const echo = async () => {
      const echoed = JSON.stringify({ id: newKid(), method: 'echo' })
      const came = new Promise<void>((resolve) =>
        device.on('message', (_topic, payload) => payload.toString() === echoed && resolve()),
      )
      await device.publishAsync(downTopic(kid, 'request'), echoed, { qos: 1 })
      await came
    }
    return { asked, report, leave, echo }
  }
  const isOnline = async () => (await deps.clock.advance(2_000), (await state())?.is_online)
  const sessions = () =>
    deps.db
      .selectFrom('terminal_session')
      .select('epoch')
      .where('terminal_kid', '=', kid)
      .where('epoch', '=', 'e2')
      .execute()

  it('a device that reports and is said to be offline is asked for its hello, once a minute at most', async () => {
    expect(await isOnline()).toBe(false)
    const device = await unheard('e2')
    await device.report(1_001)
    await expect.poll(isOnline).toBe(true)
    await device.report(1_002)
    await deps.clock.advance(1_000)
    expect(device.asked).toEqual(['hello'])
    expect(await sessions()).toHaveLength(1)
    await device.leave()
    await expect.poll(isOnline).toBe(false)
  })

  async function killBroker() {
    await killMosquitto(started)
    await vi.waitFor(async () => (await connectAsync(url, {}, false)).endAsync())
  }

  it('a broker that was killed and kept nothing: whoever connected before the server is asked for its hello', async () => {
    await deps.clock.advance(60_000)
    await killBroker()
    const device = await unheard('e3')
    await expect.poll(isOnline).toBe(true)
    expect(device.asked).toEqual(['hello'])
    expect((await state())?.epoch).toBe('e3')
    await device.leave()
    await expect.poll(isOnline).toBe(false)
  })

  it('a broker that is killed within a minute of the question: the device is asked again after that minute', async () => {
    await deps.clock.advance(60_000)
    const before = await unheard('e4')
    await before.report(1_003)
    await expect.poll(() => before.asked).toEqual(['hello'])
    // It answers, and time goes by: whoever said hello since the server is back would not be asked.
    await expect.poll(async () => (await state())?.epoch).toBe('e4')
    await deps.clock.advance(1_000)
    await killBroker()
    const device = await unheard('e5')
    // The server is back, as the neighbour's report shows, and may not ask yet.
    const other = await connectAsync(url, { clientId: neighbour })
    const heard = async () => {
      await other.publishAsync(upTopic(neighbour, 'state'), JSON.stringify({ seq: 1, device_time: now() }), { qos: 1 })
      const rows = deps.db.selectFrom('terminal_state').select('last_seq').where('terminal_kid', '=', neighbour)
      return (await rows.executeTakeFirst())?.last_seq
    }
    await expect.poll(heard).toBe(1)
    await other.endAsync()
    await deps.clock.advance(10_000)
    await device.echo()
    expect(device.asked).toEqual([])
    await deps.clock.advance(50_000)
    await expect.poll(() => device.asked).toEqual(['hello'])
    await expect.poll(async () => (await state())?.epoch).toBe('e5')
    await device.leave()
    await expect.poll(isOnline).toBe(false)
  })

  /** A server that was killed: the broker keeps messages for it, as it has a part of what devices say. */
  async function killedServer() {
    const node_kid = newKid()
    await deps.db
      .insertInto('broker_session')
      .values({ kid: node_kid, worked_by: node_kid, opened_at: deps.clock.now() })
      .execute()
    const server = await connectAsync(url, { clientId: `mdm-server-${node_kid}`, clean: false, reconnectPeriod: 0 })
    await server.subscribeAsync('$share/mdm/mdm/v1/+/up/#', { qos: 1 })
    server.stream.destroy()
    await new Promise<void>((resolve) => void server.once('close', () => resolve()))
    return node_kid
  }
  const events = async () =>
    (await deps.db.selectFrom('terminal_event').select('kid').where('type', '=', 'told_once').execute()).length

  it('what the broker keeps for a server that was killed is taken over, and its session ended', async () => {
    const node_kid = await killedServer()
    const device = await connectAsync(url, { clientId: kid })
    const say = (seq: number) =>
      device.publishAsync(
        upTopic(kid, 'event'),
        JSON.stringify({ seq, device_time: now(), events: [{ type: 'told_once', at: now() }] }),
        { qos: 1 },
      )
    for (let seq = 0; seq < 20; seq += 1) await say(seq)
    await expect.poll(async () => (await deps.clock.advance(3_000), events())).toBe(20)
    const rows = () => deps.db.selectFrom('broker_session').select('kid').where('kid', '=', node_kid).execute()
    await expect.poll(rows).toEqual([])
    const again = connect(url, { clientId: `mdm-server-${node_kid}`, clean: false })
    const is_kept = new Promise((resolve) => void again.once('connect', (answer) => resolve(answer.sessionPresent)))
    expect(await is_kept).toBe(false)
    await again.endAsync()
    await device.endAsync()
  })

  it('a message that could not be committed is not acknowledged, and comes again', async () => {
    const device = await connectAsync(url, { clientId: newKid() })
    is_down = true
    await device.publishAsync(
      upTopic(kid, 'state'),
      JSON.stringify({ seq: 999, device_time: now(), foreground_app: 'late' }),
      { qos: 1 },
    )
    await expect.poll(() => link.stats()['messages_waiting']).toBe(0)
    await new Promise((resolve) => setImmediate(resolve))
    expect((await state())?.foreground_app).not.toBe('late')
    is_down = false
    await expect.poll(async () => (await state())?.foreground_app).toBe('late')
    await device.endAsync()
  })
})

const lacking = [!has_mosquitto && 'mosquitto', postgres_missing && 'PostgreSQL'].filter(Boolean).join(' and ')
const two = lacking ? `two servers (skipped: ${lacking} is not installed)` : 'two servers'
/** The row of a server that lives for as long as the test does. */
const living = ({ node_kid, clock }: Pick<TestDeps, 'node_kid' | 'clock'>) => ({
  kid: node_kid,
  started_at: clock.now(),
  seen_at: clock.now(),
  heard_at: new Date('2100-01-01'),
})

describe.runIf(!lacking)(two, () => {
  let deps: TestDeps
  let links: Link[]
  let started: Mosquitto
  beforeAll(async () => {
    started = await startMosquitto()
    deps = withOpenBroker(await openDeps('postgres'))
    await ensurePartitions(deps)
    const other = { ...deps, node_kid: newKid(), memory: newMemory() }
    await deps.db.insertInto('node').values([deps, other].map(living)).execute()
    links = await Promise.all([deps, other].map((each) => startLink(each, { url: started.url })))
  })
  afterAll(async () => {
    for (const link of links) await link.close()
    started.broker.kill()
    await deps.close()
    await rm(started.folder, { recursive: true, force: true })
  })

  it('an answer that reaches another server than the one that asked is its answer, however large', async () => {
    const kid = (await seedDevices(deps, 1)).kids[0]!
    const device = await connectAsync(started.url, { clientId: kid })
    const large = 'x'.repeat(20_000)
    device.on('message', (_topic, payload) => {
      const { id } = JSON.parse(payload.toString()) as { id: string }
      device.publish(upTopic(kid, 'reply'), JSON.stringify({ id, ok: true, data: { large } }), { qos: 1 })
    })
    await device.subscribeAsync(downFilter(kid), { qos: 1 })
    for (let turn = 0; turn < 10; turn += 1)
      expect(await links[turn < 5 ? 0 : 1]!.request(kid, 'ping', {}, 60_000)).toEqual({ large })
    expect(await deps.db.selectFrom('link_reply').select('kid').execute()).toEqual([])
    await device.endAsync()
  })

  it('what the broker keeps for a server that lost it is taken over, though that server lives', async () => {
    const way = await cuttingProxy(started.url)
    const cut = { ...deps, node_kid: newKid(), memory: newMemory() }
    await deps.db.insertInto('node').values(living(cut)).execute()
    const link = await startLink(cut, { url: way.url.replace('http', 'mqtt') })
    const device = await connectAsync(started.url)
    try {
      const [kid] = (await seedDevices(deps, 1)).kids as [string]
      await way.close()
      await expect.poll(() => link.broker.isUp()).toBe(false)
      const said = (seq: number) => ({
        seq,
        device_time: deps.clock.now(),
        events: [{ type: 'said', at: deps.clock.now() }],
      })
      // Both others hear it for the first time at once, too.
      for (let seq = 0; seq < 20; seq += 1)
        await device.publishAsync(upTopic(kid, 'event'), JSON.stringify(said(seq)), { qos: 1 })
      const heard = () => deps.db.selectFrom('terminal_event').select('type').where('terminal_kid', '=', kid).execute()
      // It keeps its share for a moment, as a connection that only broke is back by then.
      expect((await heard()).length).toBeLessThan(20)
      await expect.poll(async () => (await deps.clock.advance(3_000), (await heard()).length)).toBe(20)
      const session = deps.db.selectFrom('broker_session').select('kid').where('kid', '=', cut.node_kid)
      await expect.poll(() => session.execute()).toEqual([])
    } finally {
      await device.endAsync()
      await link.close()
    }
  })

  it('a device that only checks in and is away is said to be offline at once', async () => {
    const { account_kid, kids } = await seedDevices(deps, 1)
    const kid = kids[0]!
    await deps.db
      .insertInto('terminal_state')
      .values({ terminal_kid: kid, account_kid, transport: 'check_in', is_online: true })
      .execute()
    await expect(links[0]!.request(kid, 'ping', {}, 3_600_000)).rejects.toMatchObject({ code: 'offline' })
  })
})

describe.runIf(has_mosquitto)('a broker with the access list of deploy/mosquitto', () => {
  let deps: TestDeps
  let files: string
  let started: Mosquitto
  let [kid, other] = ['', '']
  beforeAll(async () => {
    deps = await testDeps()
    await ensurePartitions(deps)
    ;[kid, other] = (await seedDevices(deps, 2)).kids as [string, string]
    files = await mkdtemp(join(tmpdir(), 'mdm-access-'))
    const list = await readFile(new URL('../../../../deploy/mosquitto/access', import.meta.url), 'utf8')
    await writeFile(join(files, 'acl'), list, { mode: 0o600 })
    for (const [at, name] of ['mdm-server', kid, other].entries())
      spawnSync('mosquitto_passwd', ['-b', ...(at === 0 ? ['-c'] : []), join(files, 'passwords'), name, secret])
    const access = [`acl_file ${join(files, 'acl')}`, `password_file ${join(files, 'passwords')}`, 'user root']
    started = await startMosquitto(access, { username: kid, password: secret })
  })
  afterAll(async () => {
    started?.broker.kill()
    await deps.close()
    for (const folder of [files, started?.folder]) if (folder) await rm(folder, { recursive: true, force: true })
  })

  it('is enough for the server, which starts; a device speaks as itself alone', async () => {
    const url = started.url.replace('mqtt://', `mqtt://mdm-server:${secret}@`)
    const link = await startLink(deps, { url })
    const device = await connectAsync(started.url, { clientId: kid, username: kid, password: secret })
    const heard: string[] = []
    device.on('message', (topic) => heard.push(topic))
    await device.subscribeAsync(downFilter(kid), { qos: 1 })
    await device.subscribeAsync(upTopic(other, 'state'), { qos: 1 }).catch(() => {})
    const state = JSON.stringify({ seq: 1, device_time: deps.clock.now().toISOString() })
    for (const each of [other, kid]) await device.publishAsync(upTopic(each, 'state'), state, { qos: 1 })
    const seen = () => deps.db.selectFrom('terminal_state').select('terminal_kid').where('last_seq', '=', 1).execute()
    await expect.poll(seen).toEqual([{ terminal_kid: kid }])
    void link.request(kid, 'ping', {}, 60_000).catch(() => {})
    await expect.poll(() => [...new Set(heard)]).toEqual([downTopic(kid, 'request')])
    await device.endAsync()
    await link.close()
  })

  it('ends the connection of a device that is shut out, and takes nothing more from it', async () => {
    const link = await startLink(deps, { url: started.url.replace('mqtt://', `mqtt://mdm-server:${secret}@`) })
    const signIn = (name: string) =>
      connectAsync(started.url, { clientId: name, username: name, password: secret, reconnectPeriod: 0 })
    const device = await signIn(kid)
    const ended = new Promise<void>((resolve) => device.once('close', () => resolve()))
    const quarantined_until = new Date(deps.clock.now().getTime() + 3_600_000)
    await deps.db.updateTable('terminal').set({ quarantined_until }).where('kid', '=', kid).execute()
    await link.kick(kid, 'quarantined')
    await ended
    const [again, neighbour] = [await signIn(kid), await signIn(other)]
    const state = JSON.stringify({ seq: 2, device_time: deps.clock.now().toISOString() })
    await again.publishAsync(upTopic(kid, 'state'), state, { qos: 1 })
    await neighbour.publishAsync(upTopic(other, 'state'), state, { qos: 1 })
    const seen = () => deps.db.selectFrom('terminal_state').select('terminal_kid').where('last_seq', '=', 2).execute()
    await expect.poll(seen).toEqual([{ terminal_kid: other }])
    await Promise.all([again, neighbour].map((each) => each.endAsync()))
    await link.close()
  })
})

describe.runIf(has_mosquitto)('a broker that lets in strangers', () => {
  it.each([
    ['everything', [], 'read what devices say and speak as a device'],
    ['reading', ['topic read mdm/#'], 'read what devices say'],
    ['speaking', ['topic write mdm/#'], 'speak as a device'],
  ])('is refused where they may do %s', async (_what, of_strangers, may) => {
    const deps = await testDeps()
    const files = await mkdtemp(join(tmpdir(), 'mdm-access-'))
    await writeFile(join(files, 'acl'), [...of_strangers, 'user mdm-server', 'topic mdm/#', ''].join('\n'), {
      mode: 0o600,
    })
    spawnSync('mosquitto_passwd', ['-b', '-c', join(files, 'passwords'), 'mdm-server', secret])
    const listed = of_strangers.length > 0 ? [`acl_file ${join(files, 'acl')}`] : []
    const access = ['allow_anonymous true', `password_file ${join(files, 'passwords')}`, 'user root', ...listed]
    const { url, broker, folder } = await startMosquitto(access, { username: 'mdm-server', password: secret })
    const failure = startLink(deps, { url: url.replace('mqtt://', `mqtt://mdm-server:${secret}@`) }).then(
      () => 'started',
      (error: Error) => error.message,
    )
    let message: string | undefined
    void failure.then((said) => (message = said))
    await expect
      .poll(async () => (await deps.clock.advance(500), message))
      .toContain(`without name and password ${may}.`)
    expect(await deps.db.selectFrom('broker_session').select('kid').execute()).toEqual([])
    broker.kill()
    await deps.close()
    for (const each of [files, folder]) await rm(each, { recursive: true, force: true })
  })
})
