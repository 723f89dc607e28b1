import { WebSocket } from 'ws'
import type { RawData } from 'ws'
import { ticketProtocol, tunnel_frame_bytes, tunnel_protocol, tunnelCloses, TunnelNote } from '@mdm/device-link'
import { TaskFailure } from '../body/body.ts'
import type { Body } from '../body/body.ts'
import { bulkRequest } from '../bulk.ts'
import { wait } from '../clock.ts'
import type { Clock } from '../clock.ts'
import type { Credentials } from '../enrol.ts'
import type { Journal } from '../journal.ts'
import type { Turns } from '../turns.ts'
import { fileSource } from './file-source.ts'
import { kindsOf } from './source.ts'
import type { RemoteSource, TunnelParams } from './source.ts'

const at_once = 4
const answer_ms = 60_000
const handshake_ms = 10_000
/** Bytes that wait for the server before the source is not read any more. */
const high_water = 262_144
const most_frame_bytes = 4_194_304
const keep_alive_ms = 15_000
const questions = {
  desktop: 'see the screen of this device and control it',
  terminal: 'open a shell on this device',
  log: 'read the log of this device',
  files: 'transfer files of this device',
} as const

type Tunnel = {
  viewer: string
  is_open: boolean
  controller: AbortController
  opened: Promise<void>
  over: Promise<void>
}
type Options = {
  credentials: Credentials
  body: Body
  clock: Clock
  journal: Journal
  turns: Turns
  log: (line: string) => void
}

/** Screens, shells and logs of this device that people have open, each by a WebSocket that the device opened to the server. */
export function openTunnels({ credentials, body, clock, journal, turns, log }: Options) {
  const tunnels = new Map<string, Tunnel>()

  const showViewers = async () => {
    const names = [...tunnels.values()].filter(({ is_open }) => is_open).map(({ viewer }) => viewer)
    await body.remote?.show_viewers(names).catch((error: Error) => log(`viewers: ${error.message}`))
  }

  async function assertAgreed({ consent, viewer, kind, view_only }: TunnelParams, signal: AbortSignal): Promise<void> {
    const what = kind === 'desktop' && view_only ? 'see the screen of this device' : questions[kind]
    // They are told, and need not have read it by then.
    if (consent === 'notify')
      void body
        .show_message({ title: 'Remote session', text: `${viewer} is about to ${what}.` }, signal)
        .catch((error: Error) => log(`notice of ${viewer}: ${error.message}`))
    if (consent !== 'ask') return
    const patience = new AbortController()
    const either = AbortSignal.any([signal, patience.signal])
    wait(clock, answer_ms, either).then(
      () => patience.abort(new TaskFailure('no_consent', 'The person at the device has not answered')),
      () => undefined,
    )
    try {
      const answer = await body.ask(`${viewer} wants to ${what}. Do you agree?`, { may_put_off: false }, either)
      if (answer === 'nobody') throw new TaskFailure('no_consent', 'Nobody can be asked at this device')
      if (answer !== 'yes') throw new TaskFailure('no_consent', 'The person at the device did not agree')
    } finally {
      patience.abort(new Error('answered'))
    }
  }

  function start(params: TunnelParams): Tunnel {
    const controller = new AbortController()
    const { signal } = controller
    let finish = () => {}
    const over = new Promise<void>((resolve) => (finish = resolve))
    const tunnel: Tunnel = { viewer: params.viewer, is_open: false, controller, over, opened: Promise.resolve() }
    async function open() {
      let source: RemoteSource | undefined
      try {
        await assertAgreed(params, signal)
        source =
          params.kind === 'files'
            ? fileSource(body, { turns, may_change: !params.view_only })
            : await body.remote!.open({ ...params, kind: params.kind }, { clock, journal, signal })
        const socket = await connect(credentials, params, signal)
        tunnel.is_open = true
        log(`${params.kind} opened by ${params.viewer}`)
        void join(socket, source, signal).then(end)
        void showViewers()
      } catch (error) {
        source?.stream.on('error', () => {}).destroy()
        await end()
        throw error
      }
    }
    async function end(reason?: string) {
      tunnels.delete(params.tunnel_kid)
      if (tunnel.is_open) {
        log(`${params.kind} of ${params.viewer} ended${reason ? `: ${reason}` : ''}`)
        tunnel.is_open = false
        await showViewers()
      }
      finish()
    }
    tunnel.opened = open()
    return tunnel
  }

  return {
    /** Resolves when the viewer's end and the device's are joined. */
    async open(params: TunnelParams): Promise<void> {
      if (!kindsOf(body).includes(params.kind))
        throw new TaskFailure('not_supported', `This device opens no ${params.kind}`)
      // The broker may bring a request twice.
      const known = tunnels.get(params.tunnel_kid)
      if (known) return known.opened
      if (tunnels.size >= at_once) throw new TaskFailure('busy', `${at_once} tunnels are open already`)
      const tunnel = start(params)
      tunnels.set(params.tunnel_kid, tunnel)
      await tunnel.opened
    },
    /** Nobody looks at a device that has just begun, whatever the mark of an agent before it says. */
    begin: () => void showViewers(),
    async halt(): Promise<void> {
      const open = [...tunnels.values()]
      for (const { controller } of open) controller.abort(new TaskFailure('canceled', 'The connection has ended'))
      await Promise.all(open.map(async ({ over }) => over))
    },
  }
}
export type Tunnels = ReturnType<typeof openTunnels>

/** Opens the device's end. The credential goes to the server of this device alone. */
async function connect(
  credentials: Credentials,
  { url: address, ticket }: TunnelParams,
  signal: AbortSignal,
): Promise<WebSocket> {
  const { url, headers } = bulkRequest(credentials, address.replace(/^ws(?=s?:)/i, 'http'))
  url.protocol = url.protocol.replace('http', 'ws')
  if (!/^[\w-]+$/.test(ticket)) throw new TaskFailure('bad_params', 'The ticket cannot be a subprotocol')
  const socket = new WebSocket(url, [tunnel_protocol, ticketProtocol(ticket)], {
    headers,
    handshakeTimeout: handshake_ms,
    maxPayload: most_frame_bytes,
    perMessageDeflate: false,
  })
  await new Promise<void>((resolve, reject) => {
    const abort = () => {
      socket.on('error', () => {}).terminate()
      reject(signal.reason as Error)
    }
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    const settle = (run: () => void) => {
      signal.removeEventListener('abort', abort)
      run()
    }
    socket.once('open', () => {
      // Until somebody listens.
      socket.pause()
      settle(resolve)
    })
    socket.once('error', (error) =>
      settle(() => reject(new TaskFailure('no_tunnel', `${url.host}${url.pathname}: ${error.message}`))),
    )
    // A server that is gone for good is noticed by TCP itself: a viewer that does not read makes pings wait, and is none.
    socket.once('upgrade', ({ socket: tcp }) => tcp.setKeepAlive(true, keep_alive_ms).setNoDelay(true))
  })
  return socket
}

/** Carries bytes both ways, no faster than either side reads. Resolves, when both are over, with the reason if there was one. */
async function join(
  socket: WebSocket,
  { stream, take }: RemoteSource,
  signal: AbortSignal,
): Promise<string | undefined> {
  let reason: string | undefined
  const closed = new Promise<void>((resolve) =>
    socket.readyState === WebSocket.CLOSED ? resolve() : socket.once('close', () => resolve()),
  )
  const destroyed = new Promise<void>((resolve) => (stream.closed ? resolve() : stream.once('close', () => resolve())))
  const close = (why: 'ended' | 'failed') => {
    // The answer to a close frame may stand behind what nobody reads.
    if (socket.readyState === WebSocket.OPEN) socket.close(tunnelCloses[why], why)
    socket.resume()
    if (!stream.destroyed) stream.destroy()
  }
  const abort = () => {
    socket.terminate()
    stream.destroy()
  }
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })

  stream.on('data', (bytes: Buffer) => {
    if (socket.readyState !== WebSocket.OPEN) return
    for (let at = 0; at < bytes.length; at += tunnel_frame_bytes.usual)
      socket.send(bytes.subarray(at, at + tunnel_frame_bytes.usual), { binary: true }, () => {
        if (socket.bufferedAmount < high_water && stream.isPaused()) stream.resume()
      })
    if (socket.bufferedAmount >= high_water) stream.pause()
  })
  stream.once('end', () => close('ended'))
  stream.once('error', (error) => {
    reason = error.message
    close('failed')
  })
  stream.on('drain', () => socket.resume())
  socket.on('message', (data: RawData, is_binary: boolean) => {
    if (stream.destroyed || !stream.writable) return
    if (is_binary) return void (stream.write(data as Buffer) || socket.pause())
    const note = noteIn(data as Buffer)
    if (note) take?.(note)
  })
  socket.on('error', (error) => (reason ??= error.message))
  socket.once('close', (_code, said) => {
    reason ??= said.toString('utf8')
    stream.destroy()
  })
  socket.resume()
  if (socket.readyState === WebSocket.CLOSED) stream.destroy()
  if (stream.destroyed) close('failed')
  await Promise.all([closed, destroyed])
  signal.removeEventListener('abort', abort)
  return reason
}

function noteIn(data: Buffer): TunnelNote | undefined {
  try {
    return TunnelNote.safeParse(JSON.parse(data.toString('utf8'))).data
  } catch {
    return undefined
  }
}
