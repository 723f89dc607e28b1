import { constants } from '@mdm/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testActor } from '../../../testing/actor.ts'
import { postgres_missing } from '../../../testing/postgres.ts'
import { migratedPostgres } from '../../../testing/shared-postgres.ts'
import { newKid } from '../../../lib/ids.ts'
import { testDeps } from '../../../testing/deps.ts'
import type { TestDeps } from '../../../testing/deps.ts'
import { createAccount } from '../../people/account/index.ts'
import { startReceiver } from '../../../testing/webhook-receiver.ts'
import type { Receiver } from '../../../testing/webhook-receiver.ts'
import { sendDue } from './sender.ts'
import { add } from './index.ts'

/** The embedded database is one session, in which statements wait for each other anyway. */
describe.skipIf(postgres_missing)(postgres_missing ? `left out: ${postgres_missing}` : 'on many connections', () => {
  let deps: TestDeps
  let receiver: Receiver
  beforeAll(async () => {
    deps = await testDeps({ url: await migratedPostgres() })
    deps.config.webhook_allow = ['127.0.0.1']
    receiver = await startReceiver()
  })
  afterAll(async () => {
    await receiver?.close()
    await deps?.close()
  })
  const owner = async () => {
    const { kid: account_kid } = await createAccount(deps.db, { type: 1, name: newKid() })
    return testActor(deps, account_kid)
  }
  const draft = () => ({
    name: newKid(),
    url: receiver.url,
    events: ['operation_log' as const],
    is_enabled: true,
    offline_minutes: 60,
  })

  it('each delivery is sent once, whoever sends', async () => {
    const who = await owner()
    const { kid: webhook_kid } = await add(who, draft(), 'en')
    const now = deps.clock.now()
    const rows = Array.from({ length: 60 }, () => {
      const kid = newKid()
      const payload = JSON.stringify({ id: kid })
      const times = { next_at: now, created_at: now }
      return { kid, account_kid: who.account_kid, webhook_kid, event: 'operation_log', payload, ...times }
    })
    await deps.db.insertInto('webhook_delivery').values(rows).execute()
    await Promise.all(Array.from({ length: 4 }, () => sendDue(deps)))
    const sent = receiver.received.map(({ headers }) => String(headers['webhook-id']))
    expect(sent.toSorted()).toEqual(rows.map(({ kid }) => kid).toSorted())
  })

  it('nobody gets more webhooks than there may be', async () => {
    const who = await owner()
    const ends = await Promise.allSettled(
      Array.from({ length: constants.webhooks_max + 8 }, () => add(who, draft(), 'en')),
    )
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(constants.webhooks_max)
    expect(await who.scope.selectFrom('webhook').select('kid').execute()).toHaveLength(constants.webhooks_max)
  })
})
