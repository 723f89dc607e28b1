// The devices of P6: they connect, subscribe to what is theirs, and say 'receipt' to the one task that comes, where they are told to.
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { downFilter, upTopic } from '@mdm/device-link'
import { generate, parser } from 'mqtt-packet'
import type { Packet } from 'mqtt-packet'

export type P6Order = { connect: { port: number; kids: string[]; secret: string } } | { expect: { receipts: boolean } }
/** Moments of the machine's clock, in milliseconds. */
export type P6Report = { delivered_at: number; receipted_at: number; cpu_seconds: number }

const sockets: Socket[] = []
let is_answering = false
/** A task that is sent again to a device that has it does not count. */
const served = new Set<string>()
let [delivered, receipted] = [0, 0]
let [delivered_at, receipted_at] = [0, 0]
let done = () => {}

const now = () => performance.timeOrigin + performance.now()
const everybody = () => sockets.length

async function device(port: number, kid: string, secret: string): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  const ask = async (packet: Parameters<typeof generate>[0], first: number) => {
    socket.write(generate(packet))
    const [data] = (await once(socket, 'data')) as [Buffer]
    if (data[0] !== first || data.at(-1)! > 1) throw new Error(`refused: ${data.toString('hex')}`)
  }
  await ask(
    {
      ...{ cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clean: true, clientId: kid, keepalive: 300 },
      ...{ username: kid, password: Buffer.from(secret) },
    },
    0x20,
  )
  await ask({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: downFilter(kid), qos: 1 }] } as never, 0x90)
  const read = parser()
  read.on('packet', (packet) => take(socket, kid, packet))
  socket.on('data', (data: Buffer) => void read.parse(data))
  socket.on('close', () => fail(new Error('a connection was closed')))
  sockets.push(socket)
}

function take(socket: Socket, kid: string, packet: Packet): void {
  if (packet.cmd === 'puback') {
    receipted += 1
    if (receipted === everybody()) {
      receipted_at = now()
      done()
    }
  } else if (packet.cmd === 'publish') {
    const puback = generate({ cmd: 'puback', messageId: packet.messageId! })
    if (served.has(kid)) return void socket.write(puback)
    served.add(kid)
    delivered += 1
    if (delivered === everybody()) delivered_at = now()
    if (!is_answering) {
      socket.write(puback)
      if (delivered === everybody()) done()
      return
    }
    const { task_kid, attempt, version } = JSON.parse(packet.payload.toString()) as Record<string, unknown>
    const payload = JSON.stringify({ task_kid, attempt, state: 'receipt', expected_version: version })
    const said = generate({
      ...{ cmd: 'publish', topic: upTopic(kid, 'task'), payload, messageId: 2 },
      ...{ qos: 1, dup: false, retain: false },
    })
    socket.write(Buffer.concat([puback, said]))
  }
}

async function perform(order: P6Order): Promise<'connected' | P6Report> {
  if ('connect' in order) {
    const { port, kids, secret } = order.connect
    await Promise.all(kids.map((kid) => device(port, kid, secret)))
    return 'connected'
  }
  is_answering = order.expect.receipts
  served.clear()
  delivered = receipted = delivered_at = receipted_at = 0
  const cpu = process.cpuUsage()
  await new Promise<void>((resolve) => (done = resolve))
  const { user, system } = process.cpuUsage(cpu)
  return { delivered_at, receipted_at, cpu_seconds: (user + system) / 1e6 }
}

function fail(error: unknown): void {
  console.error(error)
  process.exit(1)
}
process.on('message', (order: P6Order) => {
  perform(order).then((report) => process.send!(report), fail)
})
