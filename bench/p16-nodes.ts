import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { newSecret } from '../apps/server/src/lib/ids.ts'
import { reply, startSource } from './children.ts'
import { faultsOf, onPostgres, openFleet } from './ingest.ts'
import type { Database } from './ingest.ts'
import { durable, interleaved, row, sized } from './measure.ts'
import type { Row, Sample, Spread } from './measure.ts'
import { startMosquitto } from './mosquitto.ts'
import { treeCpuSeconds } from './processes.ts'
import type { Running } from './processes.ts'
import { seedFleet } from './seed.ts'

const [rounds, seconds, warm_up_seconds] = [sized(5, 1), sized(8, 2), sized(12, 1)]
const devices = 200
/** What each server is given: little enough that two of them, their broker and their database share two processors. */
const per_second = 800

/**
 * P16: reports that one and two servers store for each second that the busier one's processor works. Nobody's processors
 * are left to two servers, a broker, a database and devices on one machine, so it is the work that is counted and not the
 * time: a second server that made the first one's work dearer would show here.
 */
export const run = (log: (text: string) => void): Promise<Row[]> =>
  onPostgres(durable, async ({ database, client, later }) => {
    const broker = await startMosquitto(['max_inflight_messages 1000', 'max_queued_messages 100000'])
    later(() => broker.stop())
    const home = await mkdtemp(join(tmpdir(), 'mdm-nodes-'))
    later(() => rm(home, { recursive: true, force: true }))
    const first = await startNode(database, broker.port, home)
    later(() => first.stop())
    const secret = newSecret()
    const { account_kid, kids } = await seedFleet(client, secret, devices)
    const fleet = await openFleet(broker.port, kids, secret)
    later(() => fleet.stop())

    let acknowledged = 0
    const shares: string[] = []
    const stored = async () => {
      const text = 'SELECT count(*)::int AS n FROM terminal_report WHERE account_kid = $1'
      return (await client.query<{ n: number }>(text, [account_kid])).rows[0]!.n
    }
    const measure = async (nodes: Running[], time = seconds): Promise<Sample> => {
      const pids = [...nodes.map(({ pid }) => pid), broker.pid, database.pid]
      const before = pids.map(treeCpuSeconds)
      const report = await fleet.run(time, per_second * nodes.length)
      acknowledged += report.acknowledged
      // The broker has acknowledged them; the servers may be behind it.
      while ((await stored()) < acknowledged) await delay(200)
      const used = pids.map((pid, i) => treeCpuSeconds(pid) - before[i]!)
      const busiest = Math.max(...used.slice(0, nodes.length))
      const all = used.reduce((sum, one) => sum + one, 0)
      const ms = used.map((one) => ((one / report.acknowledged) * 1_000).toFixed(3))
      shares.push(ms.join(' + '))
      log(`${ms.join(' + ')} ms of processor a report`)
      return { value: report.acknowledged / busiest, cpu_seconds: all / report.acknowledged }
    }
    const beside = async (): Promise<Sample> => {
      const second = await startNode(database, broker.port, home)
      try {
        // The first one's code has been compiled long ago.
        await measure([first, second], warm_up_seconds)
        return await measure([first, second])
      } finally {
        await second.stop()
      }
    }
    await measure([first], warm_up_seconds)
    const pairs = await interleaved(rounds, beside, () => measure([first]))
    const faults = faultsOf(await stored(), acknowledged, fleet)
    const what = 'reports that servers store for a second of the busiest one’s processor, two servers / one'
    const is_met = (r: Spread) => faults.length === 0 && r.median >= 1.7
    const notes = [
      `${devices} devices behind Mosquitto, ${per_second} reports/s for each server; every one is in the database`,
      `ms of processor a report, servers + broker + PostgreSQL: ${shares.slice(-2).join('; ')}`,
      ...faults,
    ]
    return [row('P16', what, pairs, '>= 1.7', is_met, notes)]
  })

async function startNode(database: Database, broker_port: number, home: string): Promise<Running> {
  const url = `mqtt://127.0.0.1:${broker_port}`
  const node = startSource('server-process.ts', {
    ...{ MDM_DATA: home, MDM_DATA_SHARED: 'true', MDM_LOG_LEVEL: 'error', MDM_HTTP_HOST: '127.0.0.1' },
    ...{ DATABASE_URL: database.url, MDM_ALLOW_PLAIN_DATABASE: 'true' },
    ...{ MQTT_URL: url, MDM_PUBLIC_MQTT_URL: url, MDM_ALLOW_OPEN_BROKER: 'true' },
  })
  await reply(node)
  return node
}
