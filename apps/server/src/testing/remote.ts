import { setTimeout as wait } from 'node:timers/promises'
import { contract, errors } from '@mdm/contract'
import type { Call, Envelope, RemoteSession, RemoteTicket } from '@mdm/contract'
import { ticketProtocol, tunnel_protocol } from '@mdm/device-link'
import { WebSocket } from 'ws'
import type { Deps } from '../deps.ts'
import { newKid } from '../lib/ids.ts'
import { RequestError } from '../link/requests.ts'
import type { TestHttpServer } from './http-server.ts'

/** An end of a tunnel, with what it was told. */
export type End = {
  socket: WebSocket
  texts: unknown[]
  bytes(): Buffer
  closed: Promise<{ code: number; reason: string }>
  /** Resolves once so many bytes came. */
  got(length: number): Promise<Buffer>
  heard(is: (note: Record<string, unknown>) => boolean): Promise<void>
}

export function endOf(socket: WebSocket): End {
  const chunks: Buffer[] = []
  const texts: unknown[] = []
  let length = 0
  socket.on('message', (data, is_binary) => {
    if (!is_binary) return void texts.push(JSON.parse((data as Buffer).toString()))
    chunks.push(data as Buffer)
    length += (data as Buffer).length
  })
  socket.on('error', () => {})
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() })),
  )
  const when = async (is: () => boolean, what: string) => {
    const until = performance.now() + 60_000
    while (!is()) {
      if (performance.now() > until) throw new Error(`${what}, within a minute`)
      await wait(5)
    }
  }
  return {
    socket,
    texts,
    bytes: () => Buffer.concat(chunks),
    closed,
    got: async (wanted) => {
      await when(() => length >= wanted, `${length} bytes came of ${wanted}`)
      return Buffer.concat(chunks)
    },
    heard: (is) => when(() => texts.some((text) => is(text as Record<string, unknown>)), 'no such note came'),
  }
}

/** Opens an end; the status where it was refused. */
export function dialTunnel(
  url: string,
  path: string,
  ticket: string,
  headers: Record<string, string> = {},
): Promise<WebSocket | number> {
  const socket = new WebSocket(url.replace('http', 'ws') + path, [tunnel_protocol, ticketProtocol(ticket)], {
    headers,
    perMessageDeflate: false,
  })
  // What comes in the same moment is not missed.
  socket.once('open', () => socket.pause())
  return new Promise((resolve) => {
    socket.once('open', () => resolve(socket))
    socket.once('unexpected-response', (_, response) => {
      response.resume()
      resolve(response.statusCode!)
    })
    socket.once('error', () => resolve(0))
  })
}

export type AskedTunnel = {
  tunnel_kid: string
  url: string
  ticket: string
  kind: string
  consent: string
  view_only: boolean
}
export type RemoteDevice = {
  kid: string
  secret: string
  asked: AskedTunnel[]
  /** Its ends, newest last. */
  ends: End[]
  /** What it does instead of bringing its end. */
  refuses?: string | undefined
  /** Its answers are lost on their way. */
  is_mute?: boolean
}

/** A device by hand: it answers `tunnel_open` with an end at `server`, and says nothing by itself. */
export function remoteDevice(deps: Deps, device: { kid: string; secret: string }, server: () => string): RemoteDevice {
  const made: RemoteDevice = { ...device, asked: [], ends: [] }
  const before = deps.link.request.bind(deps.link)
  deps.link.request = async (kid, method, params, ...rest) => {
    if (kid !== device.kid || method !== 'tunnel_open') return before(kid, method, params, ...rest)
    const asked = params as AskedTunnel
    made.asked.push(asked)
    if (made.refuses !== undefined) throw new RequestError(made.refuses, made.refuses, true)
    const socket = await dialTunnel(server(), asked.url, asked.ticket, {
      authorization: `Bearer ${device.kid}:${device.secret}`,
    })
    if (typeof socket === 'number') throw new RequestError('failed', `refused with ${socket}`, true)
    made.ends.push(endOf(socket))
    socket.resume()
    return made.is_mute ? new Promise(() => {}) : {}
  }
  return made
}

/** Makes a registered device one that is online and opens tunnels. */
export async function openTunnelsOf(deps: Deps, account_kid: string, kid: string): Promise<void> {
  await deps.db
    .updateTable('terminal')
    .set({ tunnels: ['desktop', 'terminal', 'log', 'files'] })
    .where('kid', '=', kid)
    .execute()
  await deps.db.insertInto('terminal_state').values({ terminal_kid: kid, account_kid, is_online: true }).execute()
}

export type Calls = typeof contract.terminalRemote.calls
/** Calls `terminal_remote` on a server; throws the name of the refusal. */
export const remoteCaller =
  (url: () => string, token: string) =>
  async <T = RemoteTicket & RemoteSession>(key: keyof Calls, input: Record<string, unknown>): Promise<T> => {
    const call: Call = contract.terminalRemote.calls[key]
    const is_get = call.method === 'GET'
    const query = is_get
      ? `?${new URLSearchParams(Object.entries(input).map(([k, v]) => [k, String(v)] as [string, string]))}`
      : ''
    const response = await fetch(`${url()}/api/${call.path}${query}`, {
      method: call.method,
      headers: { authorization: `Bearer ${token}`, ...(is_get ? {} : { 'content-type': 'application/json' }) },
      ...(is_get ? {} : { body: JSON.stringify(input) }),
    })
    const reply = (await response.json()) as Envelope & { data: T }
    if (reply.result !== 1)
      throw new Error(Object.entries(errors).find(([, { result }]) => result === reply.result)?.[0] ?? reply.message)
    return reply.data
  }

/** The browser's end of what was opened. */
export async function viewerEnd(url: string, { url: path, ticket }: RemoteTicket): Promise<End> {
  const socket = await dialTunnel(url, path, ticket, { origin: url })
  if (typeof socket === 'number') throw new Error(`refused with ${socket}`)
  const end = endOf(socket)
  socket.resume()
  return end
}

/** Grants a policy for a device's SN; its kid. */
export async function addPolicy(deps: Deps, sn: string, starts_at: Date, ends_at: Date): Promise<string> {
  const policy_kid = newKid()
  const kid = newKid()
  const now = deps.clock.now()
  await deps.db
    .insertInto('policy')
    .values({ kid: policy_kid, name: policy_kid, days: 30, created_at: now, updated_at: now })
    .execute()
  await deps.db
    .insertInto('terminal_policy')
    .values({
      kid,
      policy_kid,
      sn,
      work_order: 'W1',
      source: 'sheet',
      starts_at,
      ends_at,
      created_by: 'Ann',
      created_at: now,
    })
    .execute()
  return kid
}

/** Somebody who may do everything with remote sessions, unless permissions are given. */
export async function remotePerson(
  w: TestHttpServer,
  permissions: string[] = ['deviceDetailRemote*', 'deviceDetailFileManager*', 'remoteSessionList*'],
  more: { account_kid?: string; groups?: string[] } = {},
) {
  const made = await w.person(permissions, more)
  return { ...made, call: remoteCaller(() => w.url, made.token) }
}

/** A device by hand that is online. */
export async function onlineDevice(w: TestHttpServer, account_kid: string): Promise<RemoteDevice> {
  const made = await w.device(account_kid)
  await openTunnelsOf(w.deps, account_kid, made.kid)
  return remoteDevice(w.deps, made, () => w.url)
}

export const remoteSettings = (deps: Deps, account_kid: string, given: object = {}) =>
  deps.db
    .insertInto('remote_settings')
    .values({
      account_kid,
      consent: 'ask',
      clipboard: true,
      terminal: true,
      record_desktop: false,
      recording_days: 30,
      recording_bytes: 2 ** 30,
      ...given,
    })
    .execute()

/** The name of the refusal. */
export const refused = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'not refused',
    (error: Error) => error.message,
  )
