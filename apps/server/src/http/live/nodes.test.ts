import type { LiveEvent } from '@mdm/contract'
import { afterAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../../db/client.ts'
import type { Database } from '../../db/client.ts'
import { memoryLog } from '../../testing/database.ts'
import { migrations } from '../../db/schema/migrations/index.ts'
import { postgres_missing } from '../../testing/postgres.ts'
import { migratedPostgres } from '../../testing/shared-postgres.ts'
import { newKid } from '../../lib/ids.ts'
import { createLog } from '../../lib/log.ts'
import { liveNodes } from './nodes.ts'

const databases: Database[] = []
afterAll(async () => {
  for (const database of databases) await database.close()
})

async function node(url: string, interests: string[]) {
  const database = await openDatabase({ url, migrations, log: memoryLog().log })
  databases.push(database)
  const heard: [string | null, LiveEvent][] = []
  let notified = 0
  const counted: Database = { ...database, notify: (...args) => (notified++, database.notify(...args)) }
  const hub = {
    deliver: (account_kid: string | null, event: LiveEvent) => void heard.push([account_kid, event]),
    interests: () => interests,
    on_gap: () => undefined,
  }
  const nodes = await liveNodes({ database: counted, node_kid: newKid(), log: createLog('silent') }, hub)
  return { nodes, heard, notified: () => notified }
}
const event = (kid: string): LiveEvent => ({ type: 'terminal_info', kid })
const until = (is: () => boolean) => expect.poll(is, { interval: 10 }).toBe(true)

const title = 'what happens on one server'
describe.skipIf(postgres_missing)(postgres_missing ? `${title}, left out: ${postgres_missing}` : title, () => {
  it('is heard on another that has listeners, and costs nothing otherwise', async () => {
    const url = await migratedPostgres()
    const [wanted, unwanted] = [newKid(), newKid()]
    const speaker = await node(url, [])
    const listener = await node(url, [wanted, 'provider'])
    for (let i = 0; i < 100; i += 1) speaker.nodes.publish(wanted, event(newKid()))
    expect(speaker.notified()).toBe(0)

    await listener.nodes.announce()
    // Until the announcement has arrived nothing is sent; then everything is, in order and in few statements.
    await until(() => {
      speaker.nodes.publish(wanted, event('first'))
      return listener.heard.length > 0
    })
    const before = { heard: listener.heard.length, notified: speaker.notified() }
    const kids = Array.from({ length: 500 }, () => newKid())
    for (const kid of kids) {
      speaker.nodes.publish(wanted, event(kid))
      speaker.nodes.publish(unwanted, event(kid))
    }
    speaker.nodes.publish(null, { type: 'operation_log' })
    await until(() => listener.heard.some(([account_kid]) => account_kid === null))
    const heard = listener.heard.slice(before.heard).filter(([, e]) => !('kid' in e) || e.kid !== 'first')
    expect(heard).toEqual([...kids.map((kid) => [wanted, event(kid)]), [null, { type: 'operation_log' }]])
    expect(speaker.notified() - before.notified).toBeLessThan(20)
    expect(speaker.heard).toEqual([])
    await Promise.all([speaker.nodes.close(), listener.nodes.close()])
  })
})
