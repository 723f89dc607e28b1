import { connect } from 'node:net'

const text = (value: string | Buffer): Buffer => {
  const bytes = Buffer.from(value as string)
  return Buffer.concat([number(bytes.length), bytes])
}
const number = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff])
function packet(head: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  const length: number[] = []
  for (let left = body.length; length.length === 0 || left > 0; left >>= 7)
    length.push((left & 0x7f) | (left > 0x7f ? 0x80 : 0))
  return Buffer.concat([Buffer.from([head, ...length]), body])
}

export type PlainDevice = {
  /** Resolves with the PUBACK. */
  say(name: string, payload: unknown): Promise<void>
  /** The next message that has come, acknowledged. */
  hear(): Promise<{ name: string; payload: unknown }>
  end(): void
}

/**
 * A device made from docs/device-link/ alone: MQTT 3.1.1 written byte by byte on a socket, no code of the agent and no
 * library. Connects, subscribes and says hello.
 */
export async function plainDevice(
  address: string,
  { kid, secret, hello = {} }: { kid: string; secret: string; hello?: object },
): Promise<PlainDevice> {
  const { hostname, port } = new URL(address)
  const socket = connect(Number(port), hostname)
  const waiting = new Map<string, () => void>()
  const heard: { name: string; payload: unknown }[] = []
  let listener = () => {}
  let ids = 0
  let rest = Buffer.alloc(0)

  function take(head: number, body: Buffer) {
    if (head === 0x20 && body[1] !== 0) socket.destroy(new Error(`CONNACK ${body[1]}`))
    if (head === 0x20) waiting.get('connack')?.()
    if (head === 0x40 || head === 0x90) waiting.get(`ack ${body.readUInt16BE(0)}`)?.()
    if (head >> 4 !== 3) return
    const end = 2 + body.readUInt16BE(0)
    socket.write(packet(0x40, body.subarray(end, end + 2)))
    const name = body.subarray(2, end).toString().split('/').at(-1)!
    heard.push({ name, payload: JSON.parse(body.subarray(end + 2).toString()) as unknown })
    listener()
  }
  socket.on('data', (chunk) => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      let [length, at] = [0, 1]
      for (let shift = 0; ; shift += 7, at += 1) {
        if (at >= rest.length) return
        length |= (rest[at]! & 0x7f) << shift
        if (!(rest[at]! & 0x80)) break
      }
      if (rest.length < at + 1 + length) return
      take(rest[0]!, rest.subarray(at + 1, at + 1 + length))
      rest = rest.subarray(at + 1 + length)
    }
  })
  const broken = new Promise<never>((_, reject) => socket.once('error', reject))
  broken.catch(() => undefined)
  const answered = (what: string, bytes: Buffer): Promise<void> => {
    const answer = new Promise<void>((resolve) => waiting.set(what, resolve))
    socket.write(bytes)
    return Promise.race([answer, broken])
  }
  const say = (name: string, payload: unknown) => {
    const id = (ids += 1)
    const topic = text(`mdm/v1/${kid}/up/${name}`)
    return answered(`ack ${id}`, packet(0x32, topic, number(id), Buffer.from(JSON.stringify(payload))))
  }

  const epoch = `plain ${Date.now()}`
  const will = [text(`mdm/v1/${kid}/up/gone`), text(JSON.stringify({ epoch }))]
  const flags = Buffer.from([4, 0xce, 0, 60])
  await answered('connack', packet(0x10, text('MQTT'), flags, text(kid), ...will, text(kid), text(secret)))
  ids += 1
  await answered(`ack ${ids}`, packet(0x82, number(ids), text(`mdm/v1/${kid}/down/#`), Buffer.from([1])))
  const device_time = new Date().toISOString()
  await say('hello', { epoch, boot_id: 'plain', device_time, inventory: { model: 'plain' }, ...hello })
  return {
    say,
    async hear() {
      while (heard.length === 0) await new Promise<void>((resolve) => (listener = resolve))
      return heard.shift()!
    },
    end: () => void socket.destroy(),
  }
}
