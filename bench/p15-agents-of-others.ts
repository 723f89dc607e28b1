import { setTimeout as delay } from 'node:timers/promises'
import { contract } from '@mdm/contract'
import { digest, newKid, newSecret } from '../apps/server/src/lib/ids.ts'
import { collectGarbage, startSource, tell } from './children.ts'
import { withSite } from './console-site.ts'
import type { Site } from './console-site.ts'
import { against, durable, interleaved, row, sampleOf } from './measure.ts'
import type { Row, Sample } from './measure.ts'
import type { P15Order, P15Report } from './p15-fleet-process.ts'
import { treeCpuSeconds, treeMemory } from './processes.ts'
import type { Running } from './processes.ts'
import { seedFleet } from './seed.ts'

const [rounds, devices, pushes, push_s, rest_s] = [3, 1_000, 20, 3, 20]
const kib = 1024
/** The server lets 500 connects a second through. */
const [connects, connects_ms] = [50, 500]
/** Of half an hour: a report each quarter, and a ping each 60 s (ours) or 50 s (theirs). */
const half_hour = { own: { reports: 2, pings: 30 }, mdmesh: { reports: 2, pings: 36 } }
/** So slow that reports are not written together as they would be in a storm; in life there are two a second. */
const per_second = 50
const { insert } = contract.pushTask.calls

/**
 * P15: what a device with an agent of others costs the server, against one of our own: processor for an hour of reports and pings,
 * memory while it is online; and how soon a push reaches one that keeps its socket.
 */
export const run = (log: (text: string) => void): Promise<Row[]> =>
  withSite(
    async (site) => {
      const fleet = startSource('p15-fleet-process.ts')
      try {
        const memory = await connectAll(site, fleet, log)
        const rest = await atRest(site, log)
        const half = async (kind: keyof typeof half_hour): Promise<Sample> => {
          const before = treeCpuSeconds(site.server.pid)
          const begun = performance.now()
          const { cpu_seconds } = await order(fleet, { work: { kind, per_second, ...half_hour[kind] } })
          const seconds = (performance.now() - begun) / 1_000
          if (cpu_seconds > 0.9 * seconds) throw new Error('the generator was busy: the run is void')
          const cpu = treeCpuSeconds(site.server.pid) - before - rest * seconds
          const value = (cpu * 2 * 1_000) / devices
          log(
            `${kind}: ${cpu.toFixed(2)} CPU-seconds in ${seconds.toFixed(0)} s, ${value.toFixed(1)} ms a device and hour`,
          )
          return { value, cpu_seconds: cpu }
        }
        await half('mdmesh')
        const pairs = await interleaved(
          rounds,
          () => half('mdmesh'),
          () => half('own'),
        )
        const took = await pushAll(site, fleet, log)
        const note = `${devices} devices each: 4 reports an hour and their pings, at ${per_second} reports a second; server and broker on PostgreSQL`
        return [
          row('P15', 'CPU ms a device and hour, MDMesh / ours', pairs, '<= 2', (r) => r.median <= 2, [note]),
          row(
            'P15',
            'KiB of memory a device online, MDMesh with socket / ours',
            [memory],
            '<= 2',
            (r) => r.median <= 2,
          ),
          row(
            'P15',
            `slowest of ${pushes} pushes over a wake socket, s / ${push_s}`,
            against(took, push_s),
            '<= 1',
            (r) => r.max <= 1,
          ),
        ]
      } finally {
        await fleet.stop()
      }
    },
    { postgres: durable, env: { MDM_TRUST_PROXY: '127.0.0.1' }, collects: true },
  )

const order = (fleet: Running, what: P15Order): Promise<P15Report> => tell(fleet, what)

/** Both fleets, one after the other; KiB that a device of each has taken. */
async function connectAll(site: Site, fleet: Running, log: (text: string) => void): Promise<[Sample, Sample]> {
  const { client, account_kid, mqtt_port: port, server, url } = site
  const secret = newSecret()
  const { kids } = await seedFleet(client, secret, devices, account_kid)
  const token = newSecret()
  await client.query(
    `INSERT INTO qrcode (kid, account_kid, token_hash, created_by_kid, is_permanent) VALUES ($1, $2, $3, $1, true)`,
    [newKid(), account_kid, digest(token)],
  )
  const grown = async (connect: (from: number, to: number) => P15Order): Promise<Sample> => {
    // The first ones make what is there once for all.
    const some = devices / 5
    const upTo = async (from: number, to: number) => {
      for (let at = from; at < to; at += connects)
        await Promise.all([order(fleet, connect(at, Math.min(to, at + connects))), delay(connects_ms)])
      await collectGarbage(server)
      return treeMemory(server.pid)
    }
    const [first, last] = [await upTo(0, some), await upTo(some, devices)]
    return sampleOf((last - first) / (devices - some) / kib)
  }
  const ours = await grown((from, to) => ({ own: { port, secret, kids: kids.slice(from, to) } }))
  const theirs = await grown((from, to) => ({ mdmesh: { server: url, token, from, to } }))
  log(`memory: ${theirs.value.toFixed(1)} KiB a device with MDMesh, ${ours.value.toFixed(1)} KiB one of ours`)
  return [theirs, ours]
}

/** CPU-seconds a second of a server that all devices are connected to and none speaks to: what it does for itself. */
async function atRest({ server }: Site, log: (text: string) => void): Promise<number> {
  const before = treeCpuSeconds(server.pid)
  await delay(rest_s * 1_000)
  const rest = (treeCpuSeconds(server.pid) - before) / rest_s
  log(`at rest: ${(rest * 100).toFixed(1)} % of a processor, which is of no device`)
  return rest
}

/** Seconds from the call to the device, of one push after the other. */
async function pushAll({ call }: Site, fleet: Running, log: (text: string) => void): Promise<Sample[]> {
  const { kids } = await order(fleet, { work: { kind: 'mdmesh', reports: 0, pings: 0, per_second: 1 } })
  const took: Sample[] = []
  for (const kid of kids.slice(0, pushes)) {
    const reached = order(fleet, { alerted: kid })
    const begun = performance.timeOrigin + performance.now()
    await call(insert, { type: 'message', payload: { title: 'Bench', text: 'Here' }, terminal_kids: [kid] })
    took.push(sampleOf(((await reached).at - begun) / 1_000))
  }
  log(`pushes over a socket: ${Math.max(...took.map(({ value }) => value)).toFixed(2)} s at most`)
  return took
}
