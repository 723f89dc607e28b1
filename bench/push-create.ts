import { setTimeout as delay } from 'node:timers/promises'
import { contract } from '@mdm/contract'
import { withSite } from './console-site.ts'
import type { Site } from './console-site.ts'
import { insertFleet } from './device-rows.ts'
import { listed, longestTransaction, p95 } from './meanwhile.ts'
import { against, interleaved, row, sampleOf } from './measure.ts'
import type { Row, Sample } from './measure.ts'

const [rounds, devices, seconds] = [5, 100_000, 10]
const { insert, get } = contract.pushTask.calls

/** A push to a whole fleet: until every device has its row, against the same rows by one statement; lists meanwhile. */
export const run = (log: (text: string) => void): Promise<Row[]> =>
  withSite(async (site) => {
    const { client, account_kid } = site
    await insertFleet(client, { account_kid, devices, groups: 120 })
    await client.query('VACUUM ANALYZE')
    await created(site)
    const times: Sample[] = []
    const longest: Sample[] = []
    const [rest, meanwhile]: [number[], number[]] = [[], []]
    const pairs = await interleaved(
      rounds,
      async () => {
        rest.push(...(await listed(site, 40)))
        let is_over = false
        const watched = listed(site, Infinity, () => is_over)
        const transactions = longestTransaction(site, () => is_over)
        const sample = await created(site)
        is_over = true
        longest.push(sampleOf(await transactions))
        meanwhile.push(...(await watched))
        times.push(sample)
        log(`${devices} devices: ${sample.value.toFixed(2)} s`)
        return sample
      },
      () => inserted(site),
    )
    const of_lists = [[sampleOf(p95(meanwhile)), sampleOf(p95(rest))]] as [Sample, Sample][]
    const note = `${devices.toLocaleString('en')} registered devices; from the call to the last row`
    return [
      row('push-create', `seconds / ${seconds}`, against(times, seconds), '<= 1', (r) => r.median <= 1, [note]),
      row('push-create', 'seconds / seconds of one INSERT of the same rows', pairs, '<= 4', (r) => r.median <= 4),
      row('push-create', 'longest transaction / 1 s', against(longest, 1), '<= 1', (r) => r.median <= 1),
      row('push-create', 'p95 of the device list meanwhile / at rest', of_lists, '<= 2', (r) => r.median <= 2),
    ]
  })

async function created({ call }: Site): Promise<Sample> {
  const begun = performance.now()
  const { kid } = await call(insert, { type: 'message', payload: { title: 'Bench', text: 'Hello' }, match: {} })
  for (;;) {
    const { phase, counts } = await call(get, { kid })
    if (phase !== 'creating') {
      if (counts.total !== devices) throw new Error(`${counts.total} rows`)
      return sampleOf((performance.now() - begun) / 1000)
    }
    await delay(50)
  }
}

/** The rows of a push, by hand. */
async function inserted({ client, account_kid }: Site): Promise<Sample> {
  const begun = performance.now()
  await client.query('BEGIN')
  await client.query(
    `INSERT INTO push_task_terminal (push_task_kid, terminal_kid, account_kid, sn, type, state_at, created_at)
     SELECT (SELECT kid FROM push_task LIMIT 1), gen_random_uuid(), account_kid, sn, 'message', now(), now()
     FROM terminal WHERE account_kid = $1`,
    [account_kid],
  )
  await client.query(
    `INSERT INTO push_task_activity (kid, account_kid, push_task_kid, terminal_kid, attempt, event, at)
     SELECT gen_random_uuid(), account_kid, (SELECT kid FROM push_task LIMIT 1), kid, 1, 'created', now()
     FROM terminal WHERE account_kid = $1`,
    [account_kid],
  )
  await client.query('COMMIT')
  return sampleOf((performance.now() - begun) / 1000)
}
