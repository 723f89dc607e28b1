import { downFilter, upTopic } from '@mdm/device-link'
import { connectAsync } from 'mqtt'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ensurePartitions } from '../jobs/partitions.ts'
import { newKid } from '../lib/ids.ts'
import { insert } from '../modules/push/push-task/index.ts'
import { pusher } from '../testing/push-tasks.ts'
import { testDeps } from '../testing/deps.ts'
import type { TestDeps } from '../testing/deps.ts'
import { startBroker } from './broker/broker.ts'
import type { EmbeddedBroker } from './broker/broker.ts'
import { startLink } from './link.ts'
import type { Link } from './link.ts'
import { hello, secret_of_all, seedDevices } from '../testing/fleet.ts'

let deps: TestDeps
let link: Link<EmbeddedBroker>
let kids: string[]
let account_kid: string
beforeAll(async () => {
  deps = await testDeps({ signFile: (object) => `/files/${object}` })
  await ensurePartitions(deps)
  ;({ kids, account_kid } = await seedDevices(deps, 2))
  const log = { info() {}, warn() {}, error() {} }
  link = await startLink(deps, { broker: (callbacks) => startBroker({ host: '127.0.0.1', port: 0, callbacks, log }) })
  deps.link = link
})
afterAll(async () => {
  await link.close()
  await deps.close()
})

const device = (kid: string, password = secret_of_all) =>
  connectAsync(
    `mqtt://127.0.0.1:${link.broker.port}`,
    { clientId: kid, username: kid, password, reconnectPeriod: 0 },
    false,
  )
const stateOf = (kid: string) =>
  deps.db.selectFrom('terminal_state').selectAll().where('terminal_kid', '=', kid).executeTakeFirst()

it('a device with its secret comes online, gets its task, reports it and leaves; another secret is refused', async () => {
  const kid = kids[0]!
  await expect(device(kid, 'b'.repeat(64))).rejects.toThrow(/[Nn]ot authorized|Bad user/)
  const client = await device(kid)
  const say = (name: 'hello' | 'task', body: object) =>
    client.publishAsync(upTopic(kid, name), JSON.stringify(body), { qos: 1 })
  const tasks: { task_kid: string; version: number }[] = []
  client.on('message', (_topic, payload) => tasks.push(JSON.parse(payload.toString())))
  await client.subscribeAsync(downFilter(kid), { qos: 1 })
  await say('hello', hello(deps, { epoch: newKid() }))
  expect(await stateOf(kid)).toMatchObject({ is_online: true, node_kid: deps.node_kid, public_ip: '127.0.0.1' })

  const payload = { title: 'Hi', text: 'there' }
  const task = await insert(pusher(deps, account_kid), {
    terminal_kids: [kid],
    description: '',
    type: 'message',
    payload,
  })
  await expect.poll(() => tasks.map(({ task_kid }) => task_kid)).toEqual([task.kid])
  await say('task', { task_kid: task.kid, attempt: 1, state: 'receipt', expected_version: tasks[0]!.version })
  await say('task', { task_kid: task.kid, attempt: 1, state: 'completed', expected_version: tasks[0]!.version + 1 })
  const row = await deps.db.selectFrom('push_task').selectAll().where('kid', '=', task.kid).executeTakeFirst()
  expect(row).toMatchObject({ wait_receipt: 0, completed: 1 })

  await client.endAsync()
  await expect.poll(async () => (await deps.clock.advance(2_000), (await stateOf(kid))?.is_online)).toBe(false)
})

it('a device that is kicked is offline and, once cancelled, a stranger', async () => {
  const kid = kids[1]!
  const client = await device(kid)
  const closed = new Promise<void>((resolve) => client.once('close', () => resolve()))
  await expect.poll(async () => (await stateOf(kid))?.is_online).toBe(true)
  await deps.db.deleteFrom('terminal').where('kid', '=', kid).execute()
  await link.kick(kid, 'cancelled')
  await closed
  await expect(device(kid)).rejects.toThrow()
})
