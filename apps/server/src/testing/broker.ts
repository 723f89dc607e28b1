import { connect as connectSocket } from 'node:net'
import type { Socket } from 'node:net'
import mqtt from 'mqtt'
import type { IClientOptions, MqttClient } from 'mqtt'
import { generate, parser } from 'mqtt-packet'
import type { IConnectPacket, Packet } from 'mqtt-packet'
import type { UpName } from '@mdm/device-link'
import { newKid } from '../lib/ids.ts'
import type { Peer } from '../link/peer.ts'
import { startBroker } from '../link/broker/broker.ts'
import type { EmbeddedBroker } from '../link/broker/broker.ts'
import type { Limits } from '../link/broker/broker-messages.ts'

export const secret = 's'.repeat(64)
export type Heard = { kid: string; name: UpName; payload: string }

/** A real broker process; what it says to the server is kept, what the server answers can be set. */
export async function brokerForTests(limits: Partial<Limits> = {}, options: { port?: number } = {}) {
  const edge = {
    heard: [] as Heard[],
    opened: [] as Peer[],
    closed: [] as { kid: string; epoch: string }[],
    asked: 0,
    logged: [] as { message: string; details: Record<string, unknown> }[],
    authenticate: async (_kid: string, given: string): Promise<boolean> => given === secret,
    commit: async (_message: Heard): Promise<void> => {},
  }
  const log = (details: object, message: string) =>
    void edge.logged.push({ message, details: details as Record<string, unknown> })
  const broker: EmbeddedBroker = await startBroker({
    host: '127.0.0.1',
    port: options.port ?? 0,
    limits,
    log: { info: log, warn: log, error: log },
    callbacks: {
      authenticate(kid, given) {
        edge.asked++
        return edge.authenticate(kid, given)
      },
      connected: (peer) => void edge.opened.push(peer),
      disconnected: (kid, epoch) => void edge.closed.push({ kid, epoch }),
      async inbound(kid, name, payload) {
        const message = { kid, name, payload: Buffer.from(payload).toString() }
        await edge.commit(message)
        edge.heard.push(message)
      },
    },
  })
  const clients: MqttClient[] = []
  const raws: RawDevice[] = []
  return {
    broker,
    edge,
    /** A device on the real client; resolves once it is connected, rejects when it is refused. */
    async device(kid = newKid(), more: IClientOptions = {}): Promise<MqttClient> {
      const client = mqtt.connect(`mqtt://127.0.0.1:${broker.port}`, {
        clientId: kid,
        username: kid,
        password: secret,
        reconnectPeriod: 0,
        connectTimeout: 10_000,
        ...more,
      })
      clients.push(client)
      await new Promise<void>((resolve, reject) => {
        client.once('connect', () => resolve())
        client.once('error', reject)
        client.once('close', () => reject(new Error('closed')))
      })
      client.on('error', () => {})
      return client
    },
    /** A device that writes its own bytes. */
    raw(kid = newKid()): RawDevice {
      const device = rawDevice(broker.port, kid)
      raws.push(device)
      return device
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.end(true)
      for (const { socket } of raws) socket.destroy()
      await broker.close()
    },
  }
}
export type BrokerForTests = Awaited<ReturnType<typeof brokerForTests>>

export const connectPacket = (kid: string, more: Partial<IConnectPacket> = {}): IConnectPacket => ({
  cmd: 'connect',
  protocolId: 'MQTT',
  protocolVersion: 4,
  clean: true,
  clientId: kid,
  keepalive: 60,
  username: kid,
  password: Buffer.from(secret),
  ...more,
})

export type RawDevice = ReturnType<typeof rawDevice>
function rawDevice(port: number, kid: string) {
  const socket: Socket = connectSocket({ port, host: '127.0.0.1', noDelay: true })
  const received: Packet[] = []
  const reader = parser()
  reader.on('packet', (packet) => received.push(packet))
  socket.on('error', () => {})
  const onData = (bytes: Buffer) => void reader.parse(bytes)
  socket.on('data', onData)
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()))
  const device = {
    kid,
    socket,
    received,
    closed,
    send: (packet: Packet) => void socket.write(generate(packet)),
    connect: (more: Partial<IConnectPacket> = {}) => device.send(connectPacket(kid, more)),
    publish: (
      topic: string,
      payload: string | Buffer,
      messageId: number,
      more: { qos?: 0 | 1 | 2; retain?: boolean } = {},
    ) => device.send({ cmd: 'publish', topic, payload, qos: 1, dup: false, retain: false, messageId, ...more }),
    subscribe: (topic: string, messageId: number, qos: 0 | 1 | 2 = 1) =>
      device.send({ cmd: 'subscribe', messageId, subscriptions: [{ topic, qos }] } as Packet),
    got: <C extends Packet['cmd']>(cmd: C) =>
      received.filter((packet): packet is Extract<Packet, { cmd: C }> => packet.cmd === cmd),
    /** Writes all that `run` sends at once, so that it is read at once. */
    together(run: () => void) {
      socket.cork()
      run()
      socket.uncork()
    },
    /** Reads no more: its window of the network fills. */
    stall: () => void socket.pause(),
  }
  return device
}
