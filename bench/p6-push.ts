import { setTimeout as delay } from 'node:timers/promises'
import { connectAsync } from 'mqtt'
import { contract } from '@mdm/contract'
import { downTopic } from '@mdm/device-link'
import { newKid, newSecret } from '../apps/server/src/lib/ids.ts'
import { startSource, tell } from './children.ts'
import { withSite } from './console-site.ts'
import type { Site } from './console-site.ts'
import { against, durable, interleaved, row, sampleOf } from './measure.ts'
import type { Row, Sample } from './measure.ts'
import { startMosquitto } from './mosquitto.ts'
import type { P6Order, P6Report } from './p6-fleet-process.ts'
import { treeCpuSeconds } from './processes.ts'
import type { Running } from './processes.ts'
import { seedFleet } from './seed.ts'

const [rounds, devices, delivered_s, receipted_s] = [5, 10_000, 2, 5]
/** The server lets 500 connects a second through. */
const [connects, connects_ms] = [100, 250]
const { insert, get } = contract.pushTask.calls
const payload = { title: 'Bench', text: 'Bring the handheld back to the counter.' }

const now = () => performance.timeOrigin + performance.now()

/**
 * P6: one push to devices that are all online, from the call until the last one has it, and until the last receipt is
 * acknowledged, which is after its commit; against the same number of rows by one statement and the same number of
 * publishes by mosquitto.
 */
export const run = (log: (text: string) => void): Promise<Row[]> =>
  withSite(
    async (site) => {
      const secret = newSecret()
      const { kids } = await seedFleet(site.client, secret, devices, site.account_kid)
      await site.client.query('VACUUM ANALYZE')
      const mosquitto = await startMosquitto()
      const [ours, theirs] = [startSource('p6-fleet-process.ts'), startSource('p6-fleet-process.ts')]
      try {
        await connect(ours, site.mqtt_port, kids, secret)
        await allOnline(site)
        const strangers = Array.from({ length: devices }, newKid)
        await connect(theirs, mosquitto.port, strangers, secret)
        log(`${devices} devices are online, as many listen to mosquitto`)
        const receipts: Sample[] = []
        const pushes: Sample[] = []
        const measurePush = async () => {
          const { delivered, receipted, used } = await pushed(site, ours)
          const took = [delivered, receipted].map(({ value }) => value.toFixed(2))
          log(`last device after ${took[0]} s, last receipt after ${took[1]} s`)
          log(`processor: server and its broker ${used[0]} s, the devices ${used[1]} s`)
          pushes.push(delivered)
          receipts.push(receipted)
          return delivered
        }
        const measureBare = async () => {
          const sample = await bare(site, mosquitto.port, theirs, strangers)
          log(`bare rows and publishes: ${sample.value.toFixed(2)} s`)
          return sample
        }
        await measurePush()
        await measureBare()
        pushes.length = receipts.length = 0
        const pairs = await interleaved(rounds, measurePush, measureBare)
        const note = `${devices.toLocaleString('en')} online devices, fsync and synchronous_commit on; from the call to the last device`
        return [
          row('P6', 'seconds to the last device / rows and publishes', pairs, '<= 4', (r) => r.median <= 4, [note]),
          row('P6', `the same / ${delivered_s}`, against(pushes, delivered_s), '<= 1', (r) => r.median <= 1),
          row(
            'P6',
            `seconds to the last durable receipt / ${receipted_s}`,
            against(receipts, receipted_s),
            '<= 1',
            (r) => r.median <= 1,
          ),
        ]
      } finally {
        await ours.stop()
        await theirs.stop()
        await mosquitto.stop()
      }
    },
    { postgres: durable },
  )

async function pushed({ call, client, server }: Site, fleet: Running) {
  const cpu = treeCpuSeconds(server.pid)
  const expected = expectOn(fleet, true)
  const begun = now()
  const { kid } = await call(insert, { type: 'message', payload, match: {} })
  const { delivered_at, receipted_at, cpu_seconds } = await expected
  const used = [treeCpuSeconds(server.pid) - cpu, cpu_seconds].map((seconds) => seconds.toFixed(1))
  const { rows } = await client.query<{ state: string; n: string }>(
    `SELECT state, count(*) AS n FROM push_task_terminal WHERE push_task_kid = $1 GROUP BY state`,
    [kid],
  )
  if (rows.length !== 1 || rows[0]!.state !== 'receipt' || Number(rows[0]!.n) !== devices)
    throw new Error(`not every receipt is stored: ${JSON.stringify(rows)}`)
  const { counts } = await call(get, { kid })
  if (counts.running !== devices) throw new Error(`counted ${JSON.stringify(counts)}`)
  // Nothing more of it is sent or waited for. Its rows stay, as those of ended pushes do.
  await client.query(
    `UPDATE push_task_terminal SET state = 'completed', send_at = NULL, deadline_at = NULL WHERE push_task_kid = $1`,
    [kid],
  )
  await client.query(`UPDATE push_task SET phase = 'ended', ended_at = now() WHERE kid = $1`, [kid])
  await delay(1_000)
  const since = (at: number) => sampleOf((at - begun) / 1_000)
  return { delivered: since(delivered_at), receipted: since(receipted_at), used }
}

/** What the machine, PostgreSQL and mosquitto need for it: every row in one statement, then a publish for every device. */
async function bare({ client, account_kid }: Site, port: number, fleet: Running, kids: string[]): Promise<Sample> {
  const sender = await connectAsync(`mqtt://127.0.0.1:${port}`)
  const { rows } = await client.query<{ kid: string }>('SELECT kid FROM push_task LIMIT 1')
  const task_kid = rows[0]!.kid
  const expected = expectOn(fleet, false)
  const begun = now()
  await client.query(
    `INSERT INTO push_task_terminal (push_task_kid, terminal_kid, account_kid, sn, type, state_at, created_at)
     SELECT $1, kid, $2, kid, 'message', now(), now() FROM unnest($3::uuid[]) AS kid`,
    [task_kid, account_kid, kids],
  )
  const body = JSON.stringify({ task_kid, attempt: 1, version: 1, type: 'message', payload })
  for (const kid of kids) sender.publish(downTopic(kid, 'task'), body, { qos: 1 })
  const { delivered_at } = await expected
  await sender.endAsync()
  await client.query(`DELETE FROM push_task_terminal WHERE push_task_kid = $1`, [task_kid])
  return sampleOf((delivered_at - begun) / 1_000)
}

function expectOn(fleet: Running, receipts: boolean): Promise<P6Report> {
  const report = tell<P6Report>(fleet, { expect: { receipts } } satisfies P6Order)
  // When something else fails first, that is what is told.
  report.catch(() => {})
  return report
}

async function connect(fleet: Running, port: number, kids: string[], secret: string): Promise<void> {
  for (let i = 0; i < kids.length; i += connects) {
    const order: P6Order = { connect: { port, secret, kids: kids.slice(i, i + connects) } }
    await Promise.all([tell(fleet, order), delay(connects_ms)])
  }
}

async function allOnline({ client }: Site): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ n: string }>('SELECT count(*) AS n FROM terminal_state WHERE is_online')
    if (Number(rows[0]!.n) === devices) return
    await delay(100)
  }
}
