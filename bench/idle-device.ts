import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { downFilter } from '@mdm/device-link'
import { generate } from 'mqtt-packet'

/** A connection of a device that has subscribed to what is its own. */
export async function idleDevice(
  port: number,
  kid: string,
  secret: string,
  fail: (error: unknown) => void,
): Promise<Socket> {
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
  return socket
}
