// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { errors } from '@mdm/contract'
import type { RemoteSession, RemoteTicket } from '@mdm/contract'
import { tunnelCloses } from '@mdm/contract/tunnel.ts'
import { CallFailed } from '../../../core/call-failed.ts'
import { TunnelChannel } from './channel.ts'
import { RemoteConnection } from './connection.ts'

/** The browser's WebSocket, as far as a channel uses it, with the server's hand in it. */
class Socket {
  static readonly all: Socket[] = []
  binaryType = ''
  protocol = 'mdm-tunnel'
  readyState: number = WebSocket.CONNECTING
  readonly sent: unknown[] = []
  onopen: ((event: Event) => void) | null = null
  onmessage: ((event: MessageEvent) => void) | null = null
  onerror: ((event: Event) => void) | null = null
  onclose: ((event: CloseEvent) => void) | null = null
  constructor(
    readonly url: string,
    readonly protocols: string[],
  ) {
    Socket.all.push(this)
  }
  send(data: unknown): void {
    this.sent.push(data)
  }
  close(): void {
    this.readyState = WebSocket.CLOSING
  }
  open(): void {
    this.readyState = WebSocket.OPEN
    this.onopen?.(new Event('open'))
  }
  say(data: string | ArrayBuffer): void {
    this.onmessage?.(new MessageEvent('message', { data }))
  }
  drop(code: number): void {
    this.readyState = WebSocket.CLOSED
    this.onclose?.(new CloseEvent('close', { code }))
  }
}
const last = () => Socket.all.at(-1)!

const at = '2026-11-27T08:00:00.000Z'
const viewer = (kid: string) => ({
  ...{ kid, user_kid: 'user', username: 'an.nguyen', has_control: true },
  ...{ joined_at: at, left_at: null },
})
const ticketOf = (viewer_kid: string): RemoteTicket => ({
  session: {
    ...{
      kid: 'session',
      terminal_kid: 'device',
      sn: 'A-01',
      kind: 'desktop',
      consent: 'notify',
      created_by: 'an.nguyen',
    },
    ...{
      created_by_kid: 'user',
      created_at: at,
      ends_at: '2026-11-27T10:00:00.000Z',
      ended_at: null,
      end_reason: null,
    },
    ...{ terminal_policy_kid: null, renewals: 0, viewers: [viewer(viewer_kid)], recordings: [] },
  } satisfies RemoteSession,
  viewer_kid,
  url: `/tunnel/${viewer_kid}`,
  ticket: 'once',
})

beforeEach(() => {
  vi.useFakeTimers()
  Socket.all.length = 0
})
afterEach(() => void vi.useRealTimers())

function connected(has_pictures = true) {
  const open = vi.fn(() => Promise.resolve(ticketOf('first')))
  const join = vi.fn((_kid: string) => Promise.resolve(ticketOf('again')))
  const connection = new RemoteConnection(
    {
      open,
      join,
      channel: ({ url, ticket }, ends) => new TunnelChannel(url, ticket, ends, Socket as unknown as typeof WebSocket),
    },
    { asks_consent: false, has_pictures },
  )
  connection.start()
  return { connection, open, join, status: () => connection.current().status }
}
const turn = (ms = 0) => vi.advanceTimersByTimeAsync(ms)

test('a channel carries the ticket as a subprotocol, keeps notes apart from bytes, and hands over what came early', async () => {
  const { connection } = connected()
  await turn()
  const { channel } = connection.current()
  expect([last().url, last().protocols]).toEqual(['/tunnel/first', ['mdm-tunnel', 'ticket.once']])
  last().open()
  last().say(new Uint8Array([1]).buffer)
  last().say(JSON.stringify({ has_control: false, viewers: 3 }))
  last().say('no JSON')
  last().say('{"of_a_newer_server":1}')
  const heard: number[] = []
  channel!.onmessage = ({ data }) => void heard.push(...new Uint8Array(data))
  channel!.begin()
  last().say(new Uint8Array([2]).buffer)
  expect(heard).toEqual([1, 2])
  expect(connection.current()).toMatchObject({ has_control: false, viewers: 3 })
  channel!.note({ key: 'home' })
  channel!.send(new Uint8Array([3]))
  expect(last().sent).toEqual(['{"key":"home"}', new Uint8Array([3])])
  connection.leave()
})

test('it is connected with its first picture, stale without one, and reconnects where the connection is dead', async () => {
  const { connection, join, status } = connected()
  await turn()
  last().open()
  expect(status()).toEqual({ name: 'connecting', is_open: true })
  connection.seen()
  expect(status().name).toBe('connected')
  await turn(5_000)
  expect(status().name).toBe('connected')
  await turn(2_000)
  expect(status().name).toBe('stale')
  connection.seen()
  expect(status().name).toBe('connected')
  await turn(30_000)
  expect(status().name).toBe('reconnecting')
  expect(connection.current().channel).toBeNull()
  await turn(500)
  expect(join).toHaveBeenCalledExactlyOnceWith('session')
  connection.leave()
})

test('a dropped connection is back within five seconds, though the first tries are refused', async () => {
  const { connection, open, join, status } = connected()
  await turn()
  last().open()
  connection.seen()
  join.mockRejectedValueOnce(new CallFailed(errors.device_not_online.result, 'not online'))
  join.mockRejectedValueOnce(new CallFailed(-1, 'no network'))
  last().drop(tunnelCloses.device_gone)
  expect(status()).toMatchObject({ name: 'reconnecting', attempt: 0, disabled_reason: 'device_gone' })
  await turn(499)
  expect(join).not.toHaveBeenCalled()
  await turn(4_000)
  expect(join).toHaveBeenCalledTimes(3)
  last().open()
  connection.seen()
  expect(status().name).toBe('connected')
  expect(open).toHaveBeenCalledOnce()
  connection.leave()
})

test('nobody waits for his turn when the device is back, and what an earlier try brings is not heard', async () => {
  const { connection, join, status } = connected()
  await turn()
  const first = last()
  first.open()
  connection.seen()
  first.drop(tunnelCloses.device_gone)
  connection.retryNow()
  await turn()
  expect(join).toHaveBeenCalledOnce()
  last().open()
  connection.seen()
  first.drop(tunnelCloses.ended)
  expect(status().name).toBe('connected')
  connection.leave()
})

test.each(['ended', 'expired', 'signed_out', 'not_allowed'] as const)('%s is the end', async (disabled_reason) => {
  const { join, status } = connected()
  await turn()
  last().open()
  last().drop(tunnelCloses[disabled_reason])
  expect(status()).toEqual({ name: 'ended', disabled_reason })
  await turn(60_000)
  expect(join).not.toHaveBeenCalled()
})

test('whoever leaves closes the channel, and an answer that comes later opens nothing', async () => {
  const { connection, open } = connected()
  connection.leave()
  await turn()
  expect(open).toHaveBeenCalledOnce()
  expect(Socket.all).toEqual([])
  expect(connection.current().status).toEqual({ name: 'ended', disabled_reason: 'left' })
})

test('a terminal is connected as soon as it is open, and may be silent for hours', async () => {
  const { connection, status } = connected(false)
  await turn()
  last().open()
  await turn(3_600_000)
  expect(status().name).toBe('connected')
  connection.leave()
  expect(last().readyState).toBe(WebSocket.CLOSING)
})

test('the end is counted by the clock of the server, whatever this computer says it is', async () => {
  vi.setSystemTime(new Date('2031-01-01T00:00:00Z'))
  const { connection } = connected()
  await turn()
  const left = () => (connection.current().ends_at! - performance.now()) / 1_000
  expect(left()).toBeCloseTo(7_200, 0)
  last().open()
  last().say(JSON.stringify({ ends_at: '2026-11-27T12:00:00.000Z' }))
  expect(left()).toBeCloseTo(14_400, 0)
  connection.leave()
})
