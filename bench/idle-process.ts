// The devices of P11: they connect, subscribe to what is theirs and say nothing more.
import { once } from 'node:events'
import { connect } from 'node:net'
import { downFilter } from '@mdm/device-link'
import { generate } from 'mqtt-packet'

export type IdleOrder = { port: number; kids: string[]; secret: string }

async function device(port: number, kid: string, secret: string): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  const answer = async (packet: Parameters<typeof generate>[0], first: number) => {
    socket.write(generate(packet))
    const [data] = (await once(socket, 'data')) as [Buffer]
    if (data[0] !== first || data.at(-1)! > 1) throw new Error(`refused: ${data.toString('hex')}`)
  }
  await answer(
    {
      ...{ cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clean: true, clientId: kid, keepalive: 300 },
      ...{ username: kid, password: Buffer.from(secret) },
    },
    0x20,
  )
  await answer({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: downFilter(kid), qos: 1 }] } as never, 0x90)
  socket.on('close', () => fail(new Error('a connection was closed')))
  socket.resume()
}

function fail(error: unknown): void {
  console.error(error)
  process.exit(1)
}
process.on('message', ({ port, kids, secret }: IdleOrder) => {
  Promise.all(kids.map((kid) => device(port, kid, secret))).then(() => process.send!('connected'), fail)
})
