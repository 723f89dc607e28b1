import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { startPostgres } from '../apps/server/src/testing/postgres.ts'
import { newSecret } from '../apps/server/src/lib/ids.ts'
import { collectGarbage, reply, startSource, tell } from './children.ts'
import type { IdleOrder } from './idle-process.ts'
import { interleaved, row } from './measure.ts'
import type { Row, Sample } from './measure.ts'
import { treeCpuSeconds, treeMemory } from './processes.ts'
import { seedFleet } from './seed.ts'
import type { ServerReady } from './server-process.ts'

const rounds = 5
/** Memory of a device is the slope between the two: what a process needs to serve anybody at all is in both. */
const [few, many] = [1_000, 3_000]
/** The server lets 500 connects a second through. */
const [connects, connects_ms] = [100, 250]
const kib = 1024

type Measured = Sample & { from_none: number }

/** P11: private memory of server and broker processes per idle connected device, against bare aedes. */
export async function run(log: (text: string) => void): Promise<Row[]> {
  const home = await mkdtemp(join(tmpdir(), 'mdm-p11-'))
  const postgres = await startPostgres()
  try {
    const secret = newSecret()
    const server = async (): Promise<Measured> => {
      const url = await postgres.createDatabase()
      const client = new pg.Client({ connectionString: url })
      return measured(
        'server-process.ts',
        {
          ...{ DATABASE_URL: url, MDM_ALLOW_PLAIN_DATABASE: 'true', MDM_DATA: home, MDM_LOG_LEVEL: 'error' },
          ...{ MDM_HTTP_HOST: '127.0.0.1', MDM_MQTT_HOST: '127.0.0.1' },
        },
        secret,
        async () => {
          await client.connect()
          const { kids } = await seedFleet(client, secret, many)
          await client.end()
          return kids
        },
        (text) => log(`server: ${text}`),
      )
    }
    const bare = () =>
      measured(
        'bare-broker.ts',
        {},
        secret,
        async () => Array.from({ length: many }, () => crypto.randomUUID()),
        (text) => log(`bare aedes: ${text}`),
      )
    const pairs = (await interleaved(rounds, server, bare)) as [Measured, Measured][]
    const fromNone = (one: Measured): Sample => ({ ...one, value: one.from_none })
    const whole = pairs.map(([a, b]): [Sample, Sample] => [fromNone(a), fromNone(b)])
    const bound = pairs.map(([sample]): [Sample, Sample] => [sample, { ...sample, value: 20 }])
    const notes = [
      `slope from ${few} to ${many} idle devices, each with its subscription; plain TCP; server + broker; after a garbage collection`,
    ]
    return [
      row('P11', 'KiB per online device / bare aedes connection', pairs, '<= 1.3', (r) => r.median <= 1.3, notes),
      row('P11', `the same from none to ${many}`, whole, '<= 1.3', (r) => r.median <= 1.3),
      row('P11', 'KiB per online device / 20 KiB', bound, '<= 1', (r) => r.median <= 1),
    ]
  } finally {
    await postgres.stop()
    await rm(home, { recursive: true, force: true })
  }
}

async function measured(
  file: string,
  settings: Record<string, string>,
  secret: string,
  devices: () => Promise<string[]>,
  log: (text: string) => void,
): Promise<Measured> {
  const side = startSource(file, settings, { collects: true })
  const fleet = startSource('idle-process.ts')
  try {
    const { mqtt_port: port } = await reply<ServerReady>(side)
    const kids = await devices()
    const memoryAfter = async (from: number, to: number) => {
      for (let i = from; i < to; i += connects) {
        const order: IdleOrder = { port, secret, kids: kids.slice(i, i + connects) }
        await Promise.all([tell(fleet, order), delay(connects_ms)])
      }
      await collectGarbage(side)
      return treeMemory(side.pid)
    }
    const [none, first] = [await memoryAfter(0, 0), await memoryAfter(0, few)]
    const cpu = treeCpuSeconds(side.pid)
    const last = await memoryAfter(few, many)
    const value = (last - first) / (many - few) / kib
    const from_none = (last - none) / many / kib
    const mib = [none, first, last].map((bytes) => Math.round(bytes / kib / kib))
    log(
      `${mib.join(', ')} MiB with 0, ${few}, ${many} devices: ${value.toFixed(1)} KiB each, ${from_none.toFixed(1)} from none`,
    )
    return { value, from_none, cpu_seconds: treeCpuSeconds(side.pid) - cpu }
  } finally {
    await fleet.stop()
    await side.stop()
  }
}
