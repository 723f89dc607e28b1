import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { generate } from 'mqtt-packet'
import { upTopic } from '@mdm/device-link'
import { newKid, newSecret } from '../apps/server/src/lib/ids.ts'
import { onPostgres, openFleet, openIngest } from './ingest.ts'
import { against, durable, interleaved, row, sampleOf, sized } from './measure.ts'
import type { Row, Sample } from './measure.ts'
import { startMosquitto } from './mosquitto.ts'
import { cpuSeconds } from './processes.ts'

const [rounds, seconds, warm_up_seconds] = [sized(5, 1), sized(4, 1), sized(3, 1)]
const devices = 200
const p99_ms = 10

/** P2: reports that are stored before they are acknowledged, against the same packets through Mosquitto to one subscriber. */
export const run = (log: (text: string) => void): Promise<Row[]> =>
  onPostgres(durable, async ({ database, later }) => {
    const server = await openIngest(database, devices)
    later(() => server.close())
    const mosquitto = await startMosquitto()
    later(() => mosquitto.stop())
    const subscriber = await subscribed(mosquitto.port)
    later(async () => subscriber.destroy())
    const strangers = Array.from({ length: devices }, newKid)
    const passing = await openFleet(mosquitto.port, strangers, newSecret())
    later(() => passing.stop())

    const ours = async (time = seconds): Promise<Sample> => {
      const sample = await server.measure(time)
      log(`${Math.round(sample.value)} stored messages/s`)
      return sample
    }
    const theirs = async (time = seconds): Promise<Sample> => {
      const before = cpuSeconds(mosquitto.pid)
      const { acknowledged, seconds: took } = await passing.run(time)
      log(`${Math.round(acknowledged / took)} messages/s through Mosquitto`)
      return { value: acknowledged / took, cpu_seconds: (cpuSeconds(mosquitto.pid) - before) / acknowledged }
    }
    await ours(warm_up_seconds)
    await theirs(warm_up_seconds)
    const pairs = await interleaved(rounds, ours, theirs)
    const half = pairs.map(([{ value }]) => value).toSorted((a, b) => a - b)[Math.floor(rounds / 2)]! / 2
    const waits: Sample[] = []
    for (let round = 0; round < rounds; round++) {
      waits.push(sampleOf(await server.waits(seconds, half)))
      log(`at ${Math.round(half)} messages/s, acknowledged within ${waits.at(-1)!.value.toFixed(1)} ms (p99)`)
    }
    const { faults } = await server.check()
    const void_by = [...faults, passing.whyVoid()].filter((why) => why !== undefined)
    const is_valid = void_by.length === 0
    const note = `${devices} devices with 50 unacknowledged messages each, QoS 1; Mosquitto as it is set up, its subscriber at QoS 0`
    return [
      row('P2', 'stored messages/s / through Mosquitto', pairs, '>= 0.25', (r) => is_valid && r.median >= 0.25, [
        note,
        ...void_by,
      ]),
      row(
        'P2',
        `ms to an acknowledgement at half load, p99 / ${p99_ms}`,
        against(waits, p99_ms),
        '<= 1',
        (r) => is_valid && r.median <= 1,
        [`half load: ${Math.round(half).toLocaleString('en')} messages/s`],
      ),
    ]
  })

/** Takes every report and throws it away, at the least that a subscriber can cost. */
async function subscribed(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  const hello = { cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clean: true, keepalive: 0 } as const
  socket.write(generate({ ...hello, clientId: 'subscriber' }))
  await once(socket, 'data')
  const subscriptions = [{ topic: upTopic('+', 'state'), qos: 0 }]
  socket.write(generate({ cmd: 'subscribe', messageId: 1, subscriptions } as never))
  await once(socket, 'data')
  return socket.resume()
}
