// The generator of P1 to P3: devices that keep a window of unacknowledged reports full, or a pace, as long as they are told to.
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { generate } from 'mqtt-packet'
import { percentile } from './measure.ts'
import { stateWriter, window_size } from './messages.ts'

export type FleetOrder =
  | { connect: { port: number; kids: string[]; secret: string } }
  | { run: { seconds: number; per_second?: number | undefined } }
/** `p99_ms`: until an acknowledgement, where a pace was asked for. */
export type FleetReport = { acknowledged: number; seconds: number; cpu_seconds: number; p99_ms: number }

type Device = { fill(): void; say(): void; outstanding(): number }
const devices: Device[] = []
let acknowledged = 0
let is_running = false
let drained = () => {}
let seq = Date.now() * 1000
/** Between two turns of a pace. */
const turn_ms = 10
let waits: number[] | undefined

async function device(port: number, kid: string, secret: string): Promise<Device> {
  const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const write = stateWriter(kid)
  let outstanding = 0
  let rest: Buffer = Buffer.alloc(0)
  const said_at = new Map<number, number>()
  let next_id = 0
  const publish = (ids: number[]) => {
    const packets = Buffer.allocUnsafe(write.bytes * ids.length)
    ids.forEach((id, i) => write(packets, write.bytes * i, id, ++seq))
    outstanding += ids.length
    socket.write(packets)
  }
  await once(socket, 'connect')
  socket.write(
    generate({
      ...{ cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clean: true, clientId: kid, keepalive: 300 },
      ...{ username: kid, password: Buffer.from(secret) },
    }),
  )
  const [connack] = (await once(socket, 'data')) as [Buffer]
  if (!connack.equals(Buffer.from([0x20, 2, 0, 0]))) throw new Error(`not connected: ${connack.toString('hex')}`)
  socket.on('close', () => fail(new Error(`the server closed the connection of ${kid}`)))
  socket.on('data', (data: Buffer) => {
    const bytes = rest.length > 0 ? Buffer.concat([rest, data]) : data
    const ids = []
    let i = 0
    for (; i + 4 <= bytes.length; i += 4) {
      if (bytes.readUInt16BE(i) !== 0x4002) throw new Error(`not a PUBACK: ${bytes.subarray(i).toString('hex')}`)
      ids.push(bytes.readUInt16BE(i + 2))
    }
    rest = bytes.subarray(i)
    outstanding -= ids.length
    if (waits) for (const id of ids) waits.push(performance.now() - said_at.get(id)!)
    acknowledged += ids.length
    if (is_running && !waits) publish(ids)
    else if (!is_running && outstanding === 0 && devices.every((one) => one.outstanding() === 0)) drained()
  })
  return {
    fill: () => publish(Array.from({ length: window_size }, (_, i) => i + 1)),
    say() {
      next_id = (next_id % 60_000) + 1
      said_at.set(next_id, performance.now())
      publish([next_id])
    },
    outstanding: () => outstanding,
  }
}

async function perform(order: FleetOrder): Promise<FleetReport | 'connected'> {
  if ('connect' in order) {
    const { port, kids, secret } = order.connect
    devices.push(...(await Promise.all(kids.map((kid) => device(port, kid, secret)))))
    return 'connected'
  }
  acknowledged = 0
  is_running = true
  const begun = performance.now()
  const cpu = process.cpuUsage()
  const done = new Promise<void>((resolve) => (drained = resolve))
  const { seconds, per_second } = order.run
  waits = per_second === undefined ? undefined : []
  if (per_second === undefined) {
    for (const one of devices) one.fill()
    await delay(seconds * 1000)
  } else await paced(seconds, per_second)
  is_running = false
  // At a pace the last one may have been acknowledged by now.
  if (!devices.every((one) => one.outstanding() === 0)) await done
  const { user, system } = process.cpuUsage(cpu)
  const p99_ms = waits && waits.length > 0 ? percentile(waits, 99) : 0
  return { acknowledged, seconds: (performance.now() - begun) / 1000, cpu_seconds: (user + system) / 1e6, p99_ms }
}

/** One device after another, as many a turn as the pace wants by then. */
async function paced(seconds: number, per_second: number): Promise<void> {
  const begun = performance.now()
  for (let said = 0; ;) {
    const passed_s = (performance.now() - begun) / 1000
    if (passed_s >= seconds) return
    for (const due = Math.floor(passed_s * per_second); said < due; said++) devices[said % devices.length]!.say()
    await delay(turn_ms)
  }
}

function fail(error: Error): void {
  console.error(error)
  process.exit(1)
}
process.on('message', (order: FleetOrder) => {
  perform(order).then((report) => process.send!(report), fail)
})
