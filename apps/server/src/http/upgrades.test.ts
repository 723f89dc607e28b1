import { EventEmitter, once } from 'node:events'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { testHttpServer } from '../testing/http-server.ts'
import type { TestHttpServer } from '../testing/http-server.ts'
import { answerPings } from './upgrades.ts'

let w: TestHttpServer
let attached = 0
beforeAll(async () => {
  w = await testHttpServer({
    attachMqtt: (socket) => {
      attached += 1
      socket.on('message', (data) => socket.send(data))
    },
  })
})
afterAll(() => w.close())

/** `open`, or the status that refused it. */
function dial(path: string, options: { origin?: string; protocol?: string } = {}) {
  const { origin, protocol = 'mqtt' } = options
  return new Promise<string>((resolve) => {
    const ws = new WebSocket(w.url.replace('http', 'ws') + path, protocol, origin === undefined ? {} : { origin })
    ws.on('open', () => ws.send('x'))
    ws.on('message', () => {
      resolve(`open ${ws.protocol}`)
      ws.terminate()
    })
    ws.on('unexpected-response', (_request, response) => resolve(String(response.statusCode)))
    ws.on('error', (error) => resolve(error.message))
  })
}

test('devices and own pages may speak MQTT, foreign pages may not', async () => {
  expect(await dial('/mqtt')).toBe('open mqtt')
  expect(await dial('/mqtt?x=1', { origin: w.url })).toBe('open mqtt')
  expect(await dial('/mqtt', { origin: 'https://evil.example' })).toBe('403')
  expect(await dial('/mqtt', { origin: 'null' })).toBe('403')
  expect(await dial('/mqtt', { origin: `${w.url}.evil.example` })).toBe('403')
  expect(await dial('/mqtt', { origin: w.url.replace('127.0.0.1', 'localhost') })).toBe('403')
  expect(attached).toBe(2)
})

test.each(['/', '/mqtt/', '//mqtt', '/MQTT', '/%6dqtt', '/events'])('nothing is upgraded at %s', async (path) => {
  expect(['404', '400']).toContain(await dial(path))
})

test('pings are answered, but not to a peer that reads no answers', async () => {
  const ws = new WebSocket(`${w.url.replace('http', 'ws')}/mqtt`, 'mqtt')
  await once(ws, 'open')
  ws.ping('are you there')
  const [said] = (await once(ws, 'pong')) as [Buffer]
  expect(said.toString()).toBe('are you there')
  ws.terminate()

  const slow = Object.assign(new EventEmitter(), { bufferedAmount: 1024 * 1024, pong: vi.fn() })
  answerPings(slow as never)
  slow.emit('ping', Buffer.from('x'))
  expect(slow.pong).not.toHaveBeenCalled()
})
