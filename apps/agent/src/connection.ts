import { randomId } from '#platform'
import mqtt from 'mqtt'
import type { IClientOptions, MqttClient } from 'mqtt'
import { downFilter, downNames, downTopic, upTopic } from '@mdm/device-link'
import type { DownName, UpName } from '@mdm/device-link'
import { jitteredDelay } from './clock.ts'
import type { Clock } from './clock.ts'
import { inTime } from './lost-clock.ts'
import type { Credentials } from './enrol.ts'

/** One message to the server. `acked` is called when the server has committed it, `lost` when the connection ended first. */
export type Outgoing = { name: UpName; payload: unknown; acked(): void; lost(): void }
/** Somebody who has messages waiting, in the order they have to leave. */
export type Source = { take(): Outgoing | undefined }

export type ConnectionOptions = {
  credentials: Credentials
  /** What the device shows to a server that asks who comes; read for each connection, since it is renewed. */
  certificate?: (() => { cert: string; key: string }) | undefined
  clock: Clock
  reconnect: { base_ms: number; cap_ms: number }
  sources: Source[]
  may_connect: () => boolean
  /** First message of a session. */
  hello: (epoch: string) => Promise<unknown>
  /** Acknowledged to the broker when the promise settles: what has to survive a kill is on disk by then. */
  on_message: (name: DownName, text: string) => Promise<void>
  on_online: () => void
  on_offline: (reason: string) => void
  /** The server refused name and secret, `refusals` times in a row. It does not connect again before the promise settles. */
  on_unauthorized: (refusals: number) => Promise<void>
  log: (line: string) => void
}
export type Connection = ReturnType<typeof openConnection>

const window = 16
/** A connection that stood for so long has been of use. */
const lasting_ms = 60_000

/** Keeps one MQTT session to the server alive until it is closed, and sends what the sources have while it is up. */
export function openConnection(options: ConnectionOptions) {
  const { credentials, clock } = options
  let client: MqttClient | undefined
  let is_online = false
  let is_closed = false
  let failures = 0
  let refusals = 0
  let nextUrl = 0
  let cancelRetry = () => {}
  let held_until = 0
  /** Of the connection that stands: something was said over it and heard, beside hello. */
  let has_worked = false
  let in_flight = new Set<Outgoing>()
  let epoch = ''

  function connect() {
    if (is_closed) return
    if (!options.may_connect()) return retry()
    epoch = randomId()
    const url = credentials.mqtt[nextUrl % credentials.mqtt.length] as string
    const settings: IClientOptions = {
      clientId: credentials.kid,
      username: credentials.kid,
      password: credentials.secret,
      protocolVersion: 4,
      clean: true,
      keepalive: 60,
      connectTimeout: 30_000,
      reconnectPeriod: 0,
      resubscribe: false,
      will: {
        topic: upTopic(credentials.kid, 'gone'),
        payload: JSON.stringify({ epoch }),
        qos: 1,
        retain: false,
      },
    }
    let current: MqttClient
    try {
      current = mqtt.connect({ ...settings, ...partsOf(url), ...options.certificate?.() })
    } catch (error) {
      options.log(`${url}: ${(error as Error).message}`)
      failures += 1
      nextUrl += 1
      return retry()
    }
    client = current
    let reason = 'connection closed'
    let has_failed_here = false
    let answered = Promise.resolve()
    let online_at = Infinity
    has_worked = false
    current.handleMessage = (packet, done) => {
      const name = downNames.find((down) => packet.topic === downTopic(credentials.kid, down))
      if (!name) return done()
      options.on_message(name, textOf(packet.payload)).then(
        () => {
          has_worked = true
          done()
        },
        (error: Error) => {
          has_failed_here = true
          // Without the acknowledgement the server sends it again; a full disk may have room by then.
          options.log(`down/${name}: ${error.message}`)
          current.stream.destroy()
        },
      )
    }
    current.on(
      'connect',
      () =>
        void greet(current)
          .then(() => (online_at = clock.now().getTime()))
          .catch((error: Error) => {
            reason = error.message
            current.stream.destroy()
          }),
    )
    current.on('error', (error: Error & { code?: number | string }) => {
      reason = inTime(error).message || String(error.code)
      if (error.code === 4 || error.code === 5) {
        refusals += 1
        answered = options.on_unauthorized(refusals)
      }
    })
    current.on('close', () => {
      if (client !== current) return
      client = undefined
      const was_online = is_online
      is_online = false
      current.end(true)
      for (const outgoing of in_flight) outgoing.lost()
      in_flight = new Set()
      if (is_closed) return
      options.on_offline(reason)
      if (!was_online) nextUrl += 1
      // One that brought nothing, or that this end cannot cope with, is no reason to come back at once.
      const is_good = was_online && !has_failed_here && (has_worked || clock.now().getTime() - online_at >= lasting_ms)
      failures = is_good ? 0 : failures + 1
      void answered.then(retry)
    })
  }

  function retry() {
    cancelRetry()
    if (is_closed) return
    const held_ms = Math.max(0, held_until - clock.now().getTime())
    cancelRetry = clock.after(held_ms + jitteredDelay(failures, options.reconnect), connect)
  }

  const sayHello = async (current: MqttClient) =>
    current.publishAsync(upTopic(credentials.kid, 'hello'), JSON.stringify(await options.hello(epoch)), { qos: 1 })

  /** The subscription stands before hello goes out: hello makes the server send what waits. */
  async function greet(current: MqttClient) {
    const [granted] = await current.subscribeAsync(downFilter(credentials.kid), { qos: 1 })
    if (granted === undefined || granted.qos > 2) throw new Error('subscription refused')
    await sayHello(current)
    if (client !== current || is_closed) return
    is_online = true
    refusals = 0
    options.on_online()
    pump()
  }

  function pump() {
    const current = client
    if (!is_online || !current) return
    for (const source of options.sources) {
      while (in_flight.size < window) {
        const outgoing = source.take()
        if (!outgoing) break
        in_flight.add(outgoing)
        current.publish(
          upTopic(credentials.kid, outgoing.name),
          JSON.stringify(outgoing.payload),
          { qos: 1 },
          (error) => {
            // The set was emptied, and the message given back, when this connection ended.
            if (!in_flight.delete(outgoing)) return
            if (error) outgoing.lost()
            else {
              has_worked = true
              outgoing.acked()
            }
            pump()
          },
        )
      }
    }
  }

  connect()
  return {
    get is_online() {
      return is_online
    },
    get epoch() {
      return epoch
    },
    pump,
    /** Does not connect before that. Said while `on_unauthorized` is answered. */
    hold(ms: number): void {
      held_until = clock.now().getTime() + ms
    },
    /** Hello once more, for a server that did not hear it. */
    async greet(): Promise<void> {
      if (client && is_online) await sayHello(client)
    },
    /** Cuts the socket as a lost network does; the broker publishes the will. Reconnects by itself. */
    drop: () => void client?.stream.destroy(),
    /** Ends for good, as a killed process does. */
    kill() {
      is_closed = true
      cancelRetry()
      const current = client
      client = undefined
      is_online = false
      for (const outgoing of in_flight) outgoing.lost()
      in_flight = new Set()
      current?.on('error', () => {})
      current?.stream.destroy()
      current?.end(true)
    },
    /** Says goodbye, then ends for good: of its own accord, or because the machine is put to sleep. */
    async close({ is_asleep = false } = {}) {
      const current = client
      is_closed = true
      cancelRetry()
      if (current && is_online) {
        const said = { epoch, ...(is_asleep && { is_asleep }) }
        const goodbye = current.publishAsync(upTopic(credentials.kid, 'gone'), JSON.stringify(said), { qos: 1 })
        // A page that is frozen runs nothing after this turn: the client would write with the next one.
        if (is_asleep) current.stream.uncork()
        let cancel = () => {}
        await Promise.race([
          goodbye.catch(() => undefined),
          new Promise<void>((resolve) => (cancel = clock.after(2000, resolve))),
        ])
        cancel()
      }
      client = undefined
      is_online = false
      in_flight = new Set()
      await current?.endAsync(!current.connected).catch(() => undefined)
    },
  }
}

const textOf = (payload: string | Uint8Array): string =>
  typeof payload === 'string' ? payload : new TextDecoder().decode(payload)

/** The parts of a broker's address, as the client wants them: it would take a text apart by what Node deprecates. */
function partsOf(address: string): IClientOptions {
  const { protocol, hostname, port, pathname, search } = new URL(address)
  const host = hostname.replace(/^\[|\]$/g, '')
  const is_web = /^wss?:$/.test(protocol)
  return {
    protocol: protocol.slice(0, -1) as NonNullable<IClientOptions['protocol']>,
    // An address of a WebSocket is put together again, so it keeps the brackets of IPv6.
    hostname: is_web ? hostname : host,
    host: is_web ? hostname : host,
    ...(port !== '' && { port: Number(port) }),
    ...(is_web && { path: pathname + search }),
  }
}
