// The embedded broker's own process. Whatever hostile bytes do to it, the server stays; its parent starts it anew.
import { randomUUID } from 'node:crypto'
import type { EventEmitter } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { Aedes } from 'aedes'
import type { AuthenticateError, Client, ConnectPacket } from 'aedes'
import memory from 'aedes-persistence'
import type { UpName } from '@mdm/device-link'
import { whyNotConnect, whyNotPublish, whyNotSubscribe } from './access.ts'
import { admission, tokenBucket } from './admission.ts'
import { packForServer } from './batches.ts'
import type { SentToBroker } from './batches.ts'
import { acknowledged, acknowledgeInOrder, deliver, ended } from './connections.ts'
import type { Connection, Publish } from './connections.ts'
import { Intake } from './intake.ts'
import type { Rules } from './intake.ts'
import { gather } from './broker-messages.ts'
import { backlog } from '../../lib/backlog.ts'
import type { Certificate } from '../../lib/certificate.ts'
import type { BrokerRefusal, Limits, TlsListener, ToServer, Transport } from './broker-messages.ts'

const say = gather<ToServer>((batch) => process.send?.(packForServer(batch), () => {}))
const connections = new Map<string, Connection>()
/** By socket: all that is known of a peer, in one place because there are as many of them as connections. */
const intakes = new WeakMap<object, Intake<Peer>>()
const waiting = new Map<number, (answer: boolean | undefined) => void>()
let asked = 0
let refused = 0

type Peer = {
  socket: Socket
  address: string
  transport: Transport
  /** Once it was admitted. */
  connection: Connection | undefined
}
const connectionOf = (client: Client): Connection | undefined => intakes.get(client.conn)?.peer.connection

const ask = (item: (id: number) => ToServer, answered: (answer: boolean | undefined) => void): void => {
  const id = (asked = (asked + 1) >>> 0)
  waiting.set(id, answered)
  say(item(id))
}
const answer = (id: number, value: boolean | undefined): void => {
  const answered = waiting.get(id)
  waiting.delete(id)
  answered?.(value)
}
let counts: Partial<Record<BrokerRefusal, number>> = {}
const tellCounts = (): void => {
  say({ t: 'refused', counts })
  counts = {}
}
/** A device that is refused a thousand times a second shall not fill the log. */
const mayLog = tokenBucket(20, 200)
const warn = (name: BrokerRefusal, message: string, details: Record<string, unknown>): void => {
  refused++
  if (Object.keys(counts).length === 0) setTimeout(tellCounts, 200)
  counts[name] = (counts[name] ?? 0) + 1
  if (mayLog()) say({ t: 'log', level: 'warn', message, details })
}

/** 3 server unavailable, 4 bad user name or password, 5 not authorized. */
const refusal = (returnCode: 3 | 4 | 5, message: string): AuthenticateError =>
  Object.assign(new Error(message), { returnCode })

type Listen = Extract<SentToBroker, { t: 'listen' }>
async function listen({ host, port, limits, tls }: Listen): Promise<void> {
  const admitted = admission(limits)
  const connects = new WeakMap<Client, ConnectPacket>()
  const store = memory()
  // Acknowledgements of our own publishes: nothing is stored here, only the id is handed on to the 'ack' event.
  store.outgoingClearMessageId = (async (_client: unknown, packet: unknown) => packet) as never

  const broker = await Aedes.createBroker({
    persistence: store,
    connectTimeout: limits.connect_ms,
    keepaliveLimit: limits.keepalive_s,
    maxClientsIdLength: 36,
    queueLimit: 100,
    preConnect(client, packet, done) {
      connects.set(client, { ...packet })
      // The end of a connection is reported by its epoch, so a will has nothing to add; and no session outlives its connection.
      delete packet.will
      packet.clean = true
      done(null, true)
    },
    authenticate(client, username, password, done) {
      const connect = connects.get(client)!
      connects.delete(client)
      const origin = intakes.get(client.conn)!.peer
      const why = whyNotConnect({ ...connect, will: connect.will as never })
      if (why) {
        warn('connects_malformed', 'connect refused', {
          why,
          address: origin.address,
          client_id: connect.clientId.slice(0, 64),
        })
        return done(refusal(5, why), false)
      }
      const kid = username!
      const credential = { address: origin.address, kid, secret: password! }
      const tooMany = (why: string) => {
        warn('connects_too_many', 'connect refused', { why, address: origin.address, terminal_kid: kid })
        done(refusal(3, why), false)
      }
      const isWrong = () => {
        warn('connects_wrong_secret', 'connect refused', {
          why: 'wrong secret',
          address: origin.address,
          terminal_kid: kid,
        })
        done(refusal(4, 'bad user name or password'), false)
      }
      const verdict = admitted.judge(credential)
      if (verdict === 'wrong') return isWrong()
      if (connections.size >= limits.connections && !connections.has(kid)) return tooMany('too many connections')
      if (verdict === 'busy') return tooMany('too many connects')
      const late = setTimeout(() => client.conn.destroy(), limits.connect_ms)
      ask(
        (id) => ({ t: 'connect', id, kid, secret: password!.toString('latin1'), address: origin.address }),
        (is_admitted) => {
          clearTimeout(late)
          if (is_admitted === undefined) return done(refusal(3, 'server unavailable'), false)
          admitted.settle(credential, is_admitted)
          if (!is_admitted) return isWrong()
          open(client, kid)
          done(null, true)
        },
      )
    },
    authorizePublish(client, packet, done) {
      const connection = client && connectionOf(client)
      // A broken packet has ended it, and is not worth more than a connection that is gone.
      if (connection?.socket.destroyed) return done(new Error('closed'))
      const why = connection ? whyNotPublish(connection.kid, packet) : 'no connection'
      if (!connection || why) {
        warn('publishes_refused', 'publish refused', {
          why,
          terminal_kid: connection?.kid,
          topic: packet.topic.slice(0, 200),
        })
        return done(new Error(why))
      }
      // The topic is one of its own, so its last level is all that is left to say.
      const name = packet.topic.slice(packet.topic.lastIndexOf('/') + 1) as UpName
      const publish: Publish = { done, bytes: packet.payload.length, is_committed: undefined }
      connection.waiting_up.push(publish)
      connection.waiting_bytes += publish.bytes
      // aedes acknowledges as soon as this is done, so it is done when the server has committed.
      ask(
        (id) => ({ t: 'up', id, kid: connection.kid, name, payload: packet.payload as Uint8Array }),
        (is_committed) => {
          publish.is_committed = is_committed ?? false
          acknowledgeInOrder(connection)
        },
      )
    },
    authorizeSubscribe(client, subscription, done) {
      const connection = client && connectionOf(client)
      const why = connection ? whyNotSubscribe(connection.kid, subscription.topic) : 'no connection'
      if (connection && !why) say({ t: 'subscribed', kid: connection.kid, epoch: connection.epoch })
      else
        warn('subscribes_refused', 'subscribe refused', {
          why,
          terminal_kid: connection?.kid,
          topic: subscription.topic.slice(0, 200),
        })
      done(null, why ? null : subscription)
    },
  })
  // Nothing is ever routed between clients: what comes up is the server's, what goes down is written to one connection.
  broker.publish = ((...args: unknown[]) => {
    const done = args.at(-1)
    if (typeof done === 'function') setImmediate(done as () => void)
  }) as typeof broker.publish
  Object.assign(broker, {
    // So no table of subscriptions is kept either, which would be one more thing that each connection costs.
    subscribe: (_topic: string, _deliver: unknown, done?: () => void) => done?.(),
    unsubscribe: (_topic: string, _deliver: unknown, done?: () => void) => done?.(),
    // `open` keeps the one connection of each device; aedes' own list loses track of connections that race.
    registerClient: () => {},
  })

  broker.on('ack', (packet, client) => {
    const connection = connectionOf(client)
    if (connection && packet) acknowledged(connection, (packet as { messageId: number }).messageId)
  })
  broker.on('clientError', (client, error) => {
    const details = { terminal_kid: client.id, why: error.message }
    if (mayLog()) say({ t: 'log', level: 'info', message: 'connection ended', details })
  })
  broker.on('connectionError', () => refused++)

  const take = taker(broker, limits)
  const tcp = createServer({ noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 }, (socket) =>
    take(socket, withoutMapping(socket.remoteAddress ?? ''), 'mqtt'),
  )
  // Room for those who are not known yet: they get an answer, and a device can take over its own connection.
  tcp.maxConnections = limits.connections + 1_000
  tcp.on('error', (error) => fail(`cannot listen for MQTT on ${host}:${port}: ${error.message}`))
  const secure = tls && listenOverTls(host, tls, limits, take)
  tcp.listen({ port, host: tls?.device_ca === undefined ? host : '127.0.0.1', backlog }, async () => {
    const stream = listenForStreams(take)
    const tls_port = await secure?.listening
    say({ t: 'listening', port: (tcp.address() as AddressInfo).port, tls_port, stream })
  })
  handleServer(limits, admitted.forget, secure?.use, () => {
    tcp.close()
    secure?.server.close()
    broker.close(() => process.disconnect?.())
  })
}

/** The same over TLS. Who does not finish the handshake in time is cut off. */
function listenOverTls(host: string, { port, certificate, device_ca }: TlsListener, limits: Limits, take: Take) {
  const rules = { minVersion: 'TLSv1.2', ca: device_ca } as const
  const server = createTlsServer(
    {
      ...certificate,
      ...rules,
      requestCert: device_ca !== undefined,
      handshakeTimeout: limits.connect_ms,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: 60_000,
    },
    (socket) => take(socket, withoutMapping(socket.remoteAddress ?? ''), 'mqtt'),
  )
  server.maxConnections = limits.connections + 1_000
  server.on('error', (error) => fail(`cannot listen for MQTT over TLS on ${host}:${port}: ${error.message}`))
  server.on('tlsClientError', (error, socket) => {
    refused++
    socket.destroy()
    if (mayLog()) say({ t: 'log', level: 'info', message: 'TLS handshake failed', details: { why: error.message } })
  })
  const listening = new Promise<number>((resolve) => {
    server.listen({ port, host, backlog }, () => resolve((server.address() as AddressInfo).port))
  })
  const use = (renewed: Certificate) => server.setSecureContext({ ...renewed, ...rules })
  return { server, listening, use }
}

/** A socket that serves both families shows IPv4 peers as IPv6. */
const withoutMapping = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/, '')

type Take = (socket: Socket, address: string, transport: Transport) => void

/** Hands a new connection to aedes, behind its intake. */
function taker(broker: Aedes, limits: Limits): Take {
  const rules: Rules<Peer> = {
    most: ({ connection }) => (connection ? limits.packet_bytes : limits.connect_bytes),
    isOpen: ({ connection }) =>
      !connection ||
      (connection.waiting_up.length < limits.inflight_up && connection.waiting_bytes < limits.inflight_bytes),
    refuse({ socket, connection, address }, why) {
      warn('packets_refused', 'packet refused', { why, terminal_kid: connection?.kid, address })
      socket.destroy()
    },
  }
  return (socket, address, transport) => {
    intakes.set(socket, new Intake<Peer>(socket, { socket, address, transport, connection: undefined }, rules))
    // aedes has no hook for a packet as such; its parser says each before anything is done with it.
    const { _parser } = broker.handle(socket) as unknown as { _parser: EventEmitter }
    _parser.prependListener('packet', (packet: MqttPacket) => {
      if (isBroken(packet)) rules.refuse(intakes.get(socket)!.peer, `a broken ${packet.cmd}`)
    })
  }
}

type MqttPacket = { cmd: string; qos?: number; messageId?: number }
/** Ids are never 0 [MQTT-2.3.1-1]; what belongs to QoS 2 has no place here. */
const isBroken = ({ cmd, qos, messageId }: MqttPacket): boolean =>
  ['pubrec', 'pubrel', 'pubcomp'].includes(cmd) ||
  (messageId === 0 && (cmd !== 'publish' || Boolean(qos)) && cmd !== 'connect')

/**
 * Before the CONNACK, because a device may send its first packets without waiting for it. aedes' own takeover is not
 * enough: when the older connection is already closing, it forgets the newer one.
 */
function open(client: Client, kid: string): void {
  const socket = client.conn as Socket
  if (client.closed || socket.destroyed) return
  const intake = intakes.get(socket)!
  const { address, transport } = intake.peer
  const connection: Connection = {
    kid,
    epoch: randomUUID(),
    client,
    socket,
    intake,
    waiting_up: [],
    waiting_bytes: 0,
    waiting_down: new Map(),
    last_id: 0,
  }
  connections.get(kid)?.socket.destroy()
  intake.peer.connection = connection
  connections.set(kid, connection)
  say({ t: 'opened', kid, epoch: connection.epoch, address, transport })
  socket.once('close', () => {
    ended(connection)
    if (connections.get(kid) === connection) connections.delete(kid)
    say({ t: 'closed', kid, epoch: connection.epoch })
  })
}

/**
 * MQTT over WebSocket comes as raw bytes from the server's HTTP port, through a socket only this user can open. The first
 * line is the peer's address: nobody else can claim one.
 */
function listenForStreams(take: Take): string {
  const folder = mkdtempSync(join(tmpdir(), 'mdm-broker-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'stream')
  createServer((socket) => {
    let head = Buffer.alloc(0)
    socket.on('error', () => socket.destroy())
    const read = () => {
      const chunk = socket.read() as Buffer | null
      if (!chunk) return
      head = Buffer.concat([head, chunk])
      const end = head.indexOf(10)
      if (end < 0) return void (head.length > 200 && socket.destroy())
      socket.off('readable', read)
      socket.unshift(head.subarray(end + 1))
      take(socket, head.subarray(0, end).toString('latin1'), 'websocket')
    }
    socket.on('readable', read)
  }).listen({ path, backlog })
  return path
}

function handleServer(
  limits: Limits,
  forget: (kid: string) => void,
  useCertificate: ((certificate: Certificate) => void) | undefined,
  close: () => void,
): void {
  const perform = (item: SentToBroker): void => {
    if (item.t === 'admit') answer(item.id, item.is_admitted)
    else if (item.t === 'commits') for (const id of item.ids) answer(id, item.is_committed)
    else if (item.t === 'deliver') {
      const done = (outcome: Extract<ToServer, { t: 'delivered' }>['outcome']) =>
        say({ t: 'delivered', id: item.id, outcome })
      const connection = connections.get(item.kid)
      if (connection) deliver(connection, item.topic, item.payload, limits, done)
      else done('offline')
    } else if (item.t === 'kick') {
      forget(item.kid)
      connections.get(item.kid)?.socket.destroy()
    } else if (item.t === 'stats') say({ t: 'stats', id: item.id, stats: stats() })
    else if (item.t === 'certificate') useCertificate?.(item.certificate)
    else if (item.t === 'close') close()
  }
  process.on('message', (batch) => {
    for (const item of batch as SentToBroker[]) perform(item)
  })
}

const stats = () => {
  let waiting_up = 0
  let waiting_down = 0
  for (const connection of connections.values()) {
    waiting_up += connection.waiting_up.length
    waiting_down += connection.waiting_down.size
  }
  return { connections: connections.size, refused, waiting_up, waiting_down, memory: process.memoryUsage.rss() }
}

function fail(message: string): void {
  console.error(message)
  process.exit(1)
}

process.once('message', (batch) => {
  const first = (batch as SentToBroker[])[0]
  if (first?.t !== 'listen') return fail('the broker was not told where to listen')
  listen(first).catch((error: Error) => fail(error.message))
})
// Without its server a broker would acknowledge nothing and only keep devices from finding the next one.
process.on('disconnect', () => process.exit(0))
// Ctrl-C and service managers signal the whole group; the server decides when to close.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
