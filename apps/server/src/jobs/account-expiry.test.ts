import { afterAll, beforeAll, expect, it } from 'vitest'
import { newKid } from '../lib/ids.ts'
import { createAccount } from '../modules/people/account/index.ts'
import { testDeps } from '../testing/deps.ts'
import type { TestDeps } from '../testing/deps.ts'
import { tellExpiry } from './account-expiry.ts'

const day_ms = 24 * 3_600_000
let deps: TestDeps
beforeAll(async () => {
  deps = await testDeps()
})
afterAll(() => deps.close())

const inDays = (days: number) => new Date(deps.clock.now().getTime() + days * day_ms)
/** What the webhooks of the provider hear of an account. */
const told = async () => {
  const rows = await deps.db
    .selectFrom('webhook_delivery')
    .select('payload')
    .orderBy('created_at')
    .orderBy('kid')
    .execute()
  await deps.db.deleteFrom('webhook_delivery').execute()
  return rows.map(({ payload }) => {
    const { type, account, detail } = JSON.parse(payload) as {
      type: string
      account: { name: string }
      detail: { days_left: number }
    }
    return [account.name, type, detail.days_left]
  })
}

const webhook = async () => {
  const now = deps.clock.now()
  const provider = await createAccount(deps.db, { type: 101, name: 'Provider' })
  await deps.db
    .insertInto('webhook')
    .values({
      kid: newKid(),
      account_kid: provider.kid,
      name: 'x',
      url: 'http://192.0.2.1/',
      events: ['account.expiring', 'account.expired'],
      secret: 's',
      created_at: now,
      updated_at: now,
    })
    .execute()
}
beforeAll(webhook)

it('the job tells every threshold of an account’s end once, whichever is nearest, and again for a new end', async () => {
  const account = (name: string, expire_time: Date | undefined, more: object = {}) =>
    createAccount(deps.db, { type: 1, name, ...more, ...(expire_time ? { expire_time } : {}) })
  const a = await account('A', inDays(31))
  await account('Sub', inDays(2), { type: 2, parent_kid: a.kid })
  await account('Off', inDays(2), { status: 'invalid' })
  await account('Long gone', inDays(-40))
  await account('Never', undefined)
  const run = async () => {
    await Promise.all([tellExpiry(deps), tellExpiry(deps)])
    return told()
  }
  expect(await run()).toEqual([['Sub', 'account.expiring', 2]])
  expect(await run()).toEqual([])
  await deps.clock.advance(1.5 * day_ms)
  expect(await run()).toEqual([['A', 'account.expiring', 30]])
  await deps.clock.advance(0.5 * day_ms)
  expect(await run()).toEqual([['Sub', 'account.expired', 0]])
  await deps.clock.advance(26.5 * day_ms)
  expect(await run()).toEqual([['A', 'account.expiring', 3]])
  expect(await run()).toEqual([])
  await deps.clock.advance(3 * day_ms)
  expect(await run()).toEqual([['A', 'account.expired', 0]])
  expect(await run()).toEqual([])
  await deps.db
    .updateTable('account')
    .set({ expire_time: inDays(10) })
    .where('kid', '=', a.kid)
    .execute()
  expect(await run()).toEqual([['A', 'account.expiring', 10]])
  expect(await run()).toEqual([])
})

it('the job tells a sub-account of the end of its root where that is nearer than its own', async () => {
  const root = await createAccount(deps.db, { type: 1, name: 'Root', expire_time: inDays(1) })
  await createAccount(deps.db, { type: 2, name: 'Below', parent_kid: root.kid })
  await createAccount(deps.db, { type: 2, name: 'Below, long', parent_kid: root.kid, expire_time: inDays(300) })
  await tellExpiry(deps)
  expect((await told()).toSorted()).toEqual([
    ['Below, long', 'account.expiring', 1],
    ['Below', 'account.expiring', 1],
    ['Root', 'account.expiring', 1],
  ])
})
