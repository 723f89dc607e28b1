import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname } from 'node:path'
import { createWebSocketStream } from 'ws'
import type { WebSocket } from 'ws'
import type { Broker, Delivery, LinkCallbacks } from '../peer.ts'
import { packForBroker, unpackUps } from './batches.ts'
import type { SentToServer } from './batches.ts'
import { forkBroker } from './fork.ts'
import { defaultLimits, gather } from './broker-messages.ts'
import { count } from '../stats.ts'
import type { Certificate } from '../../lib/certificate.ts'
import type { BrokerRefusal, BrokerStats, Limits, TlsListener, ToBroker, ToServer } from './broker-messages.ts'

type Log = Record<'info' | 'warn' | 'error', (details: object, message: string) => void>
export type EmbeddedBroker = Broker & {
  port: number
  /** Over TLS. */
  tls_port: number | undefined
  /** Takes another certificate for connections that come from then on. */
  use(certificate: Certificate): void
  /** Serves MQTT over this WebSocket; `address` is the peer's, as the HTTP server knows it. */
  attachWebSocket(socket: WebSocket, address: string): void
  stats(): Promise<BrokerStats>
  /** Of the process, for measurements. */
  pid(): number | undefined
}
export type BrokerOptions = {
  host: string
  /** 0 takes a free one, and keeps it across restarts of the process. */
  port: number
  /** Listens over TLS as well. */
  tls?: TlsListener | undefined
  callbacks: LinkCallbacks
  log: Log
  /** One that forkBroker made earlier; it becomes the first. */
  process?: ChildProcess | undefined
  limits?: Partial<Limits>
}

const backoff_ms = { first: 100, most: 5_000 }
const start_ms = 20_000
/** A process that lived this long did not end because of how it was started. */
const settled_ms = 30_000

/** Starts the broker in a process of its own and keeps one running. Throws when it cannot listen. */
export async function startBroker(options: BrokerOptions): Promise<EmbeddedBroker> {
  const { callbacks, log, host } = options
  const limits = { ...defaultLimits, ...options.limits }
  const online = new Map<string, string>()
  const deliveries = new Map<number, (outcome: Delivery) => void>()
  const statistics = new Map<number, (stats: BrokerStats) => void>()
  let { port, tls } = options
  let stream = ''
  let child: ChildProcess | undefined
  let is_closing = false
  let asked = 0
  let backoff = backoff_ms.first
  let started_at = 0
  let spare = options.process
  let say: (item: ToBroker) => void = () => {}

  const start = async (): Promise<void> => {
    const process = spare?.connected ? spare : forkBroker()
    spare = undefined
    child = process
    started_at = performance.now()
    say = gather<ToBroker>((batch) => process.connected && process.send(packForBroker(batch), () => {}))
    const listening = new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error('the broker did not start in time')), start_ms)
      process.on('message', (batch) => {
        for (const item of batch as SentToServer[]) {
          if (item.t === 'listening') {
            clearTimeout(late)
            ;({ port, stream } = item)
            if (tls && item.tls_port !== undefined) tls = { ...tls, port: item.tls_port }
            resolve()
          } else perform(item)
        }
      })
      process.once('exit', () => {
        clearTimeout(late)
        reject(new Error(`the broker could not start on ${host}:${port}`))
      })
    })
    process.once('exit', (code, signal) => ended(process, code, signal))
    say({ t: 'listen', host, port, limits, tls })
    try {
      await listening
    } catch (error) {
      process.kill('SIGKILL')
      throw error
    }
  }

  const perform = (item: SentToServer): void => {
    if (item.t === 'ups') for (const up of unpackUps(item.bytes)) void commit(up)
    else if (item.t === 'connect') void admit(item)
    else if (item.t === 'opened') {
      online.set(item.kid, item.epoch)
      callbacks.connected({ kid: item.kid, epoch: item.epoch, address: item.address, transport: item.transport })
    } else if (item.t === 'closed') {
      if (online.get(item.kid) === item.epoch) online.delete(item.kid)
      callbacks.disconnected(item.kid, item.epoch)
    } else if (item.t === 'subscribed') callbacks.subscribed?.(item.kid, item.epoch)
    else if (item.t === 'delivered') settle(deliveries, item.id, item.outcome)
    else if (item.t === 'stats') settle(statistics, item.id, item.stats)
    else if (item.t === 'refused')
      for (const [name, by] of Object.entries(item.counts)) count(name as BrokerRefusal, by)
    else if (item.t === 'log') log[item.level](item.details, item.message)
  }

  const commit = async ({ id, kid, name, payload }: Omit<Extract<ToServer, { t: 'up' }>, 't'>): Promise<void> => {
    const tell = say
    try {
      await callbacks.inbound(kid, name, payload)
      tell({ t: 'committed', id, is_committed: true })
    } catch {
      // Without a PUBACK the device sends it again; the link has logged why.
      tell({ t: 'committed', id, is_committed: false })
    }
  }
  const admit = async ({ id, kid, secret }: Extract<ToServer, { t: 'connect' }>): Promise<void> => {
    const tell = say
    const is_admitted = await callbacks.authenticate(kid, secret).catch(() => undefined)
    tell({ t: 'admit', id, is_admitted })
  }

  /** Every connection of a dead process is gone, and whatever was on its way to a device may not have arrived. */
  const ended = (process: ChildProcess, code: number | null, signal: string | null): void => {
    if (child !== process) return
    child = undefined
    for (const id of deliveries.keys()) settle(deliveries, id, 'offline')
    for (const id of statistics.keys()) settle(statistics, id, noStats)
    if (stream) rmSync(dirname(stream), { recursive: true, force: true })
    for (const [kid, epoch] of online) callbacks.disconnected(kid, epoch)
    online.clear()
    if (is_closing) return
    log.error({ code, signal }, 'the broker process ended; starting another')
    if (performance.now() - started_at > settled_ms) backoff = backoff_ms.first
    setTimeout(() => void restart(), backoff)
    backoff = Math.min(backoff_ms.most, backoff * 2)
  }
  const restart = async (): Promise<void> => {
    if (is_closing) return
    try {
      await start()
    } catch (error) {
      log.error({ err: error }, 'the broker process did not start')
    }
  }

  try {
    await start()
  } catch (error) {
    is_closing = true
    throw error
  }
  return {
    get port() {
      return port
    },
    get tls_port() {
      return tls?.port
    },
    use(certificate) {
      if (!tls) return
      tls = { ...tls, certificate }
      say({ t: 'certificate', certificate })
    },
    isUp: () => child?.connected === true && stream !== '',
    deliver: (kid, topic, payload) =>
      new Promise((resolve) => {
        if (!child || !online.has(kid)) return resolve('offline')
        const id = ++asked
        deliveries.set(id, resolve)
        say({ t: 'deliver', id, kid, topic, payload })
      }),
    async kick(kid, reason) {
      log.info({ terminal_kid: kid, reason }, 'connection ended by the server')
      say({ t: 'kick', kid, reason })
    },
    attachWebSocket(socket, address) {
      const outer = createWebSocketStream(socket)
      const inner = connect(stream)
      const end = () => {
        outer.destroy()
        inner.destroy()
      }
      for (const side of [outer, inner]) side.on('error', end).on('close', end)
      inner.write(`${address.replaceAll(/[^\w.:%-]/g, '')}\n`)
      outer.pipe(inner).pipe(outer)
    },
    stats: () =>
      new Promise((resolve) => {
        if (!child) return resolve(noStats)
        const id = ++asked
        statistics.set(id, resolve)
        say({ t: 'stats', id })
      }),
    pid: () => child?.pid,
    async close() {
      is_closing = true
      const process = child
      if (!process) return
      const gone = once(process, 'exit')
      say({ t: 'close' })
      const late = setTimeout(() => process.kill('SIGKILL'), 3_000)
      await gone
      clearTimeout(late)
    },
  }
}

function settle<T>(waiting: Map<number, (value: T) => void>, id: number, value: T): void {
  const resolve = waiting.get(id)
  waiting.delete(id)
  resolve?.(value)
}

const noStats: BrokerStats = { connections: 0, refused: 0, waiting_up: 0, waiting_down: 0, memory: 0 }
