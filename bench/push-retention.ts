import { contract } from '@mdm/contract'
import { dropOld } from '../apps/server/src/modules/push/push-task/index.ts'
import { testDeps } from '../apps/server/src/testing/deps.ts'
import { withSite } from './console-site.ts'
import { insertFleet } from './device-rows.ts'
import { listed, longestTransaction, p95 } from './meanwhile.ts'
import { against, row, sampleOf } from './measure.ts'
import type { Row, Sample } from './measure.ts'

const [devices, rows, events] = [1_000, 1_000_000, 1]
const { insert } = contract.pushTask.calls

/** An ended push of many devices goes, with the list that it was made from (decision 052); lists of devices are read meanwhile. */
export const run = (log: (text: string) => void): Promise<Row[]> =>
  withSite(async (site) => {
    const { client, account_kid, call, database } = site
    await insertFleet(client, { account_kid, devices, groups: 120 })
    const { kid } = await call(insert, { type: 'message', payload: { title: 'Bench', text: 'Hello' }, match: {} })
    await client.query(
      `INSERT INTO push_task_terminal (push_task_kid, terminal_kid, account_kid, sn, type, state, state_at, created_at)
       SELECT $1, gen_random_uuid(), $2, n::text, 'message', 'completed', now(), now() FROM generate_series(1, $3::int) n`,
      [kid, account_kid, rows],
    )
    await client.query(
      `WITH list AS (
         INSERT INTO push_list (kid, account_kid, type, created_by_kid, created_at, push_task_kid)
         SELECT gen_random_uuid(), account_kid, type, created_by_kid, now(), kid FROM push_task WHERE kid = $1 RETURNING kid
       ), devices AS (
         INSERT INTO push_list_terminal (push_list_kid, account_kid, order_key, terminal_kid, sn)
         SELECT list.kid, account_kid, 0, terminal_kid, sn FROM push_task_terminal, list WHERE push_task_kid = $1
       ) UPDATE push_task SET list_kid = list.kid FROM list WHERE push_task.kid = $1`,
      [kid],
    )
    // As where the job comes before the month of its events has been dropped.
    await client.query(
      `INSERT INTO push_task_activity (kid, account_kid, push_task_kid, terminal_kid, attempt, event, at)
       SELECT gen_random_uuid(), account_kid, push_task_kid, terminal_kid, 1, 'finished', now()
       FROM push_task_terminal, generate_series(1, $2::int) WHERE push_task_kid = $1`,
      [kid, events],
    )
    await client.query('VACUUM ANALYZE')
    const rest = await listed(site, 200)
    await client.query(`UPDATE push_task SET phase = 'ended', ended_at = '2020-01-01' WHERE kid = $1`, [kid])
    const deps = await testDeps({ url: database })
    let is_over = false
    const [meanwhile, longest] = [listed(site, Infinity, () => is_over), longestTransaction(site, () => is_over)]
    const begun = performance.now()
    await dropOld(deps)
    const seconds = (performance.now() - begun) / 1000
    is_over = true
    await deps.close()
    const { rows: left } = await client.query('SELECT 1 FROM push_task_terminal LIMIT 1')
    if (left.length > 0) throw new Error('devices of the push are still there')
    log(`${rows.toLocaleString('en')} devices of an ended push deleted in ${seconds.toFixed(1)} s`)
    const of_lists = [[sampleOf(p95(await meanwhile)), sampleOf(p95(rest))]] as [Sample, Sample][]
    const note = `${rows.toLocaleString('en')} devices of one push, deleted in ${seconds.toFixed(1)} s`
    return [
      row(
        'push-retention',
        'longest transaction / 1 s',
        against([sampleOf(await longest)], 1),
        '<= 1',
        (r) => r.median <= 1,
        [note],
      ),
      row('push-retention', 'p95 of the device list meanwhile / at rest', of_lists, '<= 2', (r) => r.median <= 2),
    ]
  })
