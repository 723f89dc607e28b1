import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { downFilter, upTopic } from '@mdm/device-link'
import { Aedes } from 'aedes'
import type { Client } from 'aedes'
import { connectAsync } from 'mqtt'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { newKid } from '../lib/ids.ts'
import { forgetDevice } from '../link/credentials.ts'
import { testHttpServer } from '../testing/http-server.ts'
import type { TestHttpServer } from '../testing/http-server.ts'

const broker_secret = 'known-to-the-broker'
let w: TestHttpServer
let device: { kid: string; secret: string }
beforeAll(async () => {
  w = await testHttpServer()
  w.deps.config.broker_secret = broker_secret
  device = await w.device((await w.person([])).account_kid)
})
afterEach(() => expect(w.internal_errors).toEqual([]))
afterAll(() => w.close())

const asked = (path: string, body: unknown, secret = broker_secret) =>
  w.call(`/broker/${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { authorization: `Bearer ${secret}` },
  })
const resultOf = async (path: string, body: unknown) =>
  ((await asked(path, body)).body as unknown as { result: string }).result

it('lets in a device by its secret, nobody else, and says nothing of names that are no device', async () => {
  const { kid, secret } = device
  const connect = { clientid: kid, username: kid, password: secret, peerhost: '10.0.0.7' }
  expect(await resultOf('authenticate', connect)).toBe('allow')
  expect(await resultOf('authenticate', { ...connect, password: `${secret.slice(1)}0` })).toBe('deny')
  expect(await resultOf('authenticate', { ...connect, password: null })).toBe('deny')
  // A device may not take the place of another one.
  expect(await resultOf('authenticate', { ...connect, clientid: newKid() })).toBe('deny')
  expect(await resultOf('authenticate', { ...connect, username: newKid() })).toBe('deny')
  expect(await resultOf('authenticate', { ...connect, username: 'mdm-server' })).toBe('ignore')
  expect(await resultOf('authenticate', { clientid: 'stranger' })).toBe('ignore')
})

it('allows a device its own topics, and no more than the embedded broker does', async () => {
  const { kid } = device
  const other = newKid()
  const may = (action: string, topic: string, more = {}) =>
    resultOf('authorize', { clientid: kid, username: kid, action, topic, qos: 1, retain: false, ...more })
  expect(await may('publish', upTopic(kid, 'state'))).toBe('allow')
  expect(await may('subscribe', downFilter(kid))).toBe('allow')
  for (const [action, topic, more] of [
    ['publish', upTopic(other, 'state')],
    ['publish', `mdm/v1/${kid}/down/task`],
    ['publish', upTopic(kid, 'state'), { retain: 'true' }],
    ['publish', upTopic(kid, 'state'), { qos: '2' }],
    ['publish', upTopic(kid, 'state'), { clientid: other }],
    ['subscribe', downFilter(other)],
    ['subscribe', '#'],
    ['subscribe', `$share/mdm/mdm/v1/+/up/#`],
  ] as const)
    expect(`${topic} ${await may(action, topic, more)}`).toBe(`${topic} deny`)
  expect(await may('publish', 'x', { username: 'mdm-server', clientid: 'mdm-server' })).toBe('ignore')
})

it('answers only who knows the secret, and nobody where there is none', async () => {
  expect((await asked('authenticate', {}, 'another-secret')).status).toBe(401)
  expect((await asked('authorize', { action: 'publish' })).body.result).not.toBe(1)
  w.deps.config.broker_secret = undefined
  expect((await asked('authenticate', {}, '')).status).toBe(404)
  w.deps.config.broker_secret = broker_secret
})

it('serves a broker that asks for each connection and message', async () => {
  const { kid, secret } = device
  const nameOf = (client: Client) => (client as Client & { username?: string }).username
  const broker = await Aedes.createBroker({
    authenticate(client, username, password, done) {
      Object.assign(client, { username })
      void resultOf('authenticate', { clientid: client.id, username, password: password?.toString() }).then((result) =>
        done(null, result === 'allow'),
      )
    },
    authorizePublish(client, { topic, qos, retain }, done) {
      const said = { clientid: client!.id, username: nameOf(client!), action: 'publish', topic, qos, retain }
      void resultOf('authorize', said).then((result) => done(result === 'allow' ? null : new Error('denied')))
    },
    authorizeSubscribe(client, subscription, done) {
      const said = { clientid: client.id, username: nameOf(client), action: 'subscribe', topic: subscription.topic }
      void resultOf('authorize', said).then((result) => done(null, result === 'allow' ? subscription : null))
    },
  })
  const server = createServer(broker.handle)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`
  const options = { clientId: kid, username: kid, protocolVersion: 4 as const, reconnectPeriod: 0 }
  try {
    await expect(connectAsync(url, { ...options, password: 'wrong' }, false)).rejects.toThrow(/[Nn]ot authori/)
    const client = await connectAsync(url, { ...options, password: secret }, false)
    expect(await client.subscribeAsync(downFilter(kid), { qos: 1 })).toMatchObject([{ qos: 1 }])
    await expect(client.subscribeAsync('#', { qos: 1 })).rejects.toThrow()
    await client.publishAsync(upTopic(kid, 'state'), '{}', { qos: 1 })
    const ended = new Promise<void>((resolve) => client.once('close', () => resolve()))
    client.publish(upTopic(newKid(), 'state'), '{}', { qos: 1 })
    await ended
    // Its secret is withdrawn: from the next connection on it is a stranger.
    await w.deps.db.updateTable('terminal').set({ secret_hash: null }).where('kid', '=', kid).execute()
    forgetDevice(w.deps, kid)
    await expect(connectAsync(url, { ...options, password: secret }, false)).rejects.toThrow(/[Nn]ot authori/)
  } finally {
    await new Promise<void>((resolve) => broker.close(() => resolve()))
    await new Promise((resolve) => server.close(resolve))
  }
})
