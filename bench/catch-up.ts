import { connectAsync } from 'mqtt'
import { contract } from '@mdm/contract'
import { downTopic, upTopic } from '@mdm/device-link'
import type { UpName } from '@mdm/device-link'
import { newKid, newSecret } from '../apps/server/src/lib/ids.ts'
import { withSite } from './console-site.ts'
import type { Site } from './console-site.ts'
import { against, row, sampleOf } from './measure.ts'
import type { Row } from './measure.ts'
import { seedFleet } from './seed.ts'

const [rounds, tasks, seconds] = [5, 200, 2]
const reports = ['receipt', 'executing', 'completed'] as const
const calls = contract.pushTask.calls

/** What a device is owed that comes back after long, each task answered as soon as it comes. */
export const run = (log: (text: string) => void): Promise<Row[]> =>
  withSite(async (site) => {
    const secret = newSecret()
    const { kids } = await seedFleet(site.client, secret, rounds, site.account_kid)
    const times: number[] = []
    for (const kid of kids) {
      for (let i = 0; i < tasks; i += 1)
        await site.call(calls.insert, {
          type: 'message',
          payload: { title: `${i}`, text: 'Hello' },
          terminal_kids: [kid],
        })
      times.push(await catchUp(site, kid, secret))
      log(`${tasks} owed tasks: all came after ${times.at(-1)!.toFixed(2)} s`)
    }
    const note = `${tasks} messages owed at its hello, ${reports.length} reports each; from CONNECT to the last PUBACK`
    return [
      row(
        'catch-up',
        `seconds for ${tasks} tasks / ${seconds}`,
        against(times.map(sampleOf), seconds),
        '<= 1',
        (r) => r.max <= 1,
        [note],
      ),
    ]
  })

/** Seconds until every task has come, is answered, and every answer is in the database. */
async function catchUp({ client, mqtt_port }: Site, kid: string, secret: string): Promise<number> {
  const began = performance.now()
  const device = await connectAsync(`mqtt://127.0.0.1:${mqtt_port}`, {
    ...{ clientId: kid, username: kid, password: secret, reconnectPeriod: 0 },
  })
  const say = (name: UpName, payload: object) =>
    device.publishAsync(upTopic(kid, name), JSON.stringify(payload), { qos: 1 })
  try {
    const answered = new Map<string, Promise<unknown>>()
    const done = new Promise<void>((resolve, reject) => {
      device.on('message', (topic, bytes) => {
        if (topic !== downTopic(kid, 'task')) return
        const { task_kid, attempt, version } = JSON.parse(bytes.toString()) as Record<string, number>
        const key = String(task_kid)
        if (answered.has(key)) return
        const said = reports.map((state, i) =>
          say('task', { task_kid, attempt, state, expected_version: version! + i }),
        )
        answered.set(key, Promise.all(said))
        if (answered.size === tasks) Promise.all(answered.values()).then(() => resolve(), reject)
      })
    })
    await device.subscribeAsync(`mdm/v1/${kid}/down/#`, { qos: 1 })
    const device_time = new Date().toISOString()
    await say('hello', {
      epoch: newKid(),
      boot_id: 'boot',
      device_time,
      inventory: { model: 'bench', os_version: '1' },
    })
    await done
    const took = (performance.now() - began) / 1_000
    const { rows } = await client.query<{ state: string; n: string }>(
      `SELECT state, count(*) AS n FROM push_task_terminal WHERE terminal_kid = $1 GROUP BY state`,
      [kid],
    )
    if (rows.length !== 1 || rows[0]!.state !== 'completed' || Number(rows[0]!.n) !== tasks)
      throw new Error(`not all completed: ${JSON.stringify(rows)}`)
    return took
  } finally {
    await device.endAsync(true)
  }
}
