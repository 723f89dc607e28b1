// The devices of P7: all of them connect over TLS at once, and those that are turned away come again a little later.
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { connect } from 'node:tls'
import type { TLSSocket } from 'node:tls'
import { downFilter, upTopic } from '@mdm/device-link'
import { generate } from 'mqtt-packet'

/** `secret`: devices say who they are, subscribe and say hello; without it the handshake is all. */
export type P7Order = { connect: { port: number; kids: string[]; secret?: string | undefined } } | { leave: true }
export type P7Report = { seconds: number; turned_away: number; cpu_seconds: number }

/** As an agent waits after it was turned away: each for another time, and longer from try to try. */
const again_ms = (attempt: number) => Math.min(5_000, 250 * 2 ** attempt) * (0.5 + Math.random())
const most_tries = 40
const sockets: TLSSocket[] = []
let turned_away = 0

async function handshake(port: number): Promise<TLSSocket> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
  socket.on('error', () => {})
  await Promise.race([
    once(socket, 'secureConnect'),
    once(socket, 'close').then(() => Promise.reject(new Error('closed'))),
  ])
  socket.setNoDelay(true)
  return socket
}

/** Online: its hello is in the database. */
async function online(port: number, kid: string, secret: string): Promise<TLSSocket> {
  const socket = await handshake(port)
  const ended = once(socket, 'close').then(() => Promise.reject(new Error('closed')))
  ended.catch(() => {})
  const ask = async (packet: Parameters<typeof generate>[0], first: number) => {
    socket.write(generate(packet))
    const [data] = (await Promise.race([once(socket, 'data'), ended])) as [Buffer]
    if (data[0] !== first || (first === 0x20 && data[3] !== 0)) throw new Error(`refused: ${data.toString('hex')}`)
  }
  try {
    const who = { clientId: kid, username: kid, password: Buffer.from(secret) }
    await ask({ cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clean: true, keepalive: 300, ...who }, 0x20)
    await ask({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: downFilter(kid), qos: 1 }] } as never, 0x90)
    const hello = { epoch: crypto.randomUUID(), boot_id: 'boot', device_time: new Date().toISOString(), inventory: {} }
    const said = { topic: upTopic(kid, 'hello'), payload: JSON.stringify(hello), messageId: 2 }
    socket.write(generate({ cmd: 'publish', qos: 1, dup: false, retain: false, ...said }))
    // What it is owed may come before the acknowledgement.
    for (;;) {
      const [data] = (await Promise.race([once(socket, 'data'), ended])) as [Buffer]
      if (data.includes(Buffer.from([0x40, 2, 0, 2]))) return socket
    }
  } catch (error) {
    socket.destroy()
    throw error
  }
}

async function device(port: number, kid: string, secret: string | undefined): Promise<void> {
  for (let attempt = 0; attempt < most_tries; attempt++) {
    try {
      const socket = secret === undefined ? await handshake(port) : await online(port, kid, secret)
      socket.resume()
      sockets.push(socket)
      return
    } catch {
      turned_away += 1
      await delay(again_ms(attempt))
    }
  }
  throw new Error(`${kid} was turned away ${most_tries} times`)
}

async function perform(order: P7Order): Promise<P7Report | 'left'> {
  if ('leave' in order) {
    await Promise.all(sockets.splice(0).map((socket) => (socket.destroy(), once(socket, 'close'))))
    return 'left'
  }
  const { port, kids, secret } = order.connect
  turned_away = 0
  const begun = performance.now()
  const cpu = process.cpuUsage()
  await Promise.all(kids.map((kid) => device(port, kid, secret)))
  const { user, system } = process.cpuUsage(cpu)
  return { seconds: (performance.now() - begun) / 1_000, turned_away, cpu_seconds: (user + system) / 1e6 }
}

process.on('message', (order: P7Order) => {
  perform(order).then(
    (report) => process.send!(report),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
