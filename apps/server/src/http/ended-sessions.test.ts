import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { AddressInfo } from 'node:net'
import { contract } from '@mdm/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgres_missing } from '../testing/postgres.ts'
import { migratedPostgres } from '../testing/shared-postgres.ts'
import { fileSigner, readFileKey } from '../files/signature.ts'
import { handlers } from '../handlers.ts'
import { mountRoutes } from '../routes.ts'
import { ensurePartitions } from '../jobs/partitions.ts'
import { realClock } from '../lib/clock.ts'
import { digest, newKid, newSecret } from '../lib/ids.ts'
import { sharedHash } from '../lib/shared-hash.ts'
import { createAccount, createRole, createUser } from '../modules/people/account/index.ts'
import { createSession, endSessions } from '../modules/people/login/index.ts'
import { testDeps } from '../testing/deps.ts'
import type { TestDeps } from '../testing/deps.ts'
import { createApp } from './app.ts'
import { startLive } from './live/hub.ts'
import { createMetrics } from './metrics.ts'
import { readinessOf } from './readiness.ts'

const secret_key = randomBytes(32).toString('hex')
type Node = Awaited<ReturnType<typeof startNode>>
let here: Node
let there: Node
beforeAll(async () => {
  if (postgres_missing) return
  const url = await migratedPostgres()
  here = await startNode(url)
  there = await startNode(url)
})
afterAll(async () => {
  for (const node of [here, there]) await node?.close()
})

/** A server with its own caches and streams, in real time, on the shared database. */
async function startNode(url: string) {
  const deps: TestDeps = await testDeps({ url, clock: realClock })
  // Servers that share a database share the key of its secrets.
  Object.assign(deps.config, { secret_key })
  await ensurePartitions(deps)
  const hub = await startLive(deps)
  const metrics = createMetrics(deps.database, { live_clients: () => hub.size })
  const signer = fileSigner(await readFileKey(deps), deps.clock)
  const app = await createApp(deps, { handlers, mountRoutes, hub, signer, metrics, readiness: readinessOf(deps) })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const address = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  const headers = (token: string) => ({ authorization: `Bearer ${token}` })
  return {
    deps,
    url: address,
    async status(token: string): Promise<number> {
      return (await fetch(`${address}/api/login/session`, { headers: headers(token) })).status
    },
    call: (path: string, token: string, body: object) =>
      fetch(`${address}/api/${path}`, {
        method: 'POST',
        headers: { ...headers(token), 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    /** Opens a live stream; `ended` is fulfilled when the server ends it. */
    async listen(token: string): Promise<{ ended: Promise<void> }> {
      const response = await fetch(`${address}/events`, { headers: headers(token) })
      expect(response.status).toBe(200)
      const drain = async () => {
        for await (const _chunk of response.body!) continue
      }
      return { ended: drain() }
    },
    async close() {
      await hub.close()
      await app.close()
      await metrics.close()
      await deps.close()
    },
  }
}

/** Somebody with a session and an API token, both in use on both servers, and a stream of each on the second. */
async function somebody() {
  const { deps } = here
  const name = `p-${newKid()}`
  const account = await createAccount(deps.db, { type: 1, name })
  const role = await createRole(deps.db, { account_kid: account.kid, code: name, name, permissions: ['deviceList*'] })
  const user = await createUser(deps.db, {
    type: 3,
    account_kid: account.kid,
    username: name,
    name,
    password_hash: await sharedHash('Secret-2026!', deps.password_cost),
    role_kids: [role.kid],
  })
  const session = await createSession(deps, user.kid, { address: '127.0.0.1', user_agent: 'test' })
  const api = `mdm_${newSecret()}`
  const api_kid = newKid()
  const now = deps.clock.now()
  await deps.db
    .insertInto('api_token')
    .values({
      kid: api_kid,
      user_kid: user.kid,
      name,
      prefix: api.slice(0, 12),
      token_hash: digest(api),
      permissions: ['deviceList', 'deviceList:edit'],
      created_at: now,
      expires_at: new Date(now.getTime() + 3_600_000),
    })
    .execute()
  for (const node of [here, there]) for (const token of [session, api]) expect(await node.status(token)).toBe(200)
  const streams = { session: await there.listen(session), api: await there.listen(api) }
  return { account, role, user, session, api, api_kid, streams }
}
type Somebody = Awaited<ReturnType<typeof somebody>>

/** What the promise says: a second, and what the machine needs to hear of it. */
const second_ms = 1_000
const machine_ms = 1_500

const cases: [string, (p: Somebody) => Promise<unknown>, { session: boolean; api: boolean }][] = [
  ['logout', (p) => here.call('login/logout', p.session, {}), { session: true, api: false }],
  [
    'disabling',
    (p) => here.deps.db.updateTable('user_account').set({ status: 'invalid' }).where('kid', '=', p.user.kid).execute(),
    { session: true, api: true },
  ],
  [
    'expiry of the account',
    (p) =>
      here.deps.db.updateTable('account').set({ expire_time: new Date() }).where('kid', '=', p.account.kid).execute(),
    { session: true, api: true },
  ],
  ['a role change', (p) => endSessions(here.deps, p.user.kid), { session: true, api: false }],
  [
    'deleting the person',
    (p) => here.deps.db.deleteFrom('user_account').where('kid', '=', p.user.kid).execute(),
    { session: true, api: true },
  ],
  [
    'revoking the API token',
    (p) => here.deps.db.deleteFrom('api_token').where('kid', '=', p.api_kid).execute(),
    { session: false, api: true },
  ],
  [
    'expiry of the API token',
    (p) => here.deps.db.updateTable('api_token').set({ expires_at: new Date() }).where('kid', '=', p.api_kid).execute(),
    { session: false, api: true },
  ],
]

describe.skipIf(postgres_missing)('a token, on a server that was not told', () => {
  type Seen = { statuses: Record<string, number[]>; ended: Record<string, boolean> }
  const seen = new Map<string, Seen>()
  const kinds = ['session', 'api'] as const
  const all = [...cases.keys()]

  /** Everything happens in the same moment, each to somebody else: one second is waited for all of it. */
  beforeAll(async () => {
    const people = await Promise.all(all.map(() => somebody()))
    const statuses = (at: number) =>
      Promise.all(kinds.map((kind) => Promise.all([here, there].map((node) => node.status(people[at]![kind])))))
    // Both servers have just read all of them.
    await Promise.all(all.map(statuses))
    await Promise.all(all.map((at) => cases[at]![1](people[at]!)))
    const since = performance.now()
    await wait(second_ms)
    const after = await Promise.all(all.map(statuses))
    const rest = wait(Math.max(0, second_ms + machine_ms - (performance.now() - since)))
    const hasEnded = ({ ended }: { ended: Promise<void> }, bound: Promise<unknown>) =>
      Promise.race([ended.then(() => true), bound.then(() => false)])
    const expected = all.flatMap((at) => kinds.filter((kind) => cases[at]![2][kind]).map((kind) => [at, kind] as const))
    await Promise.all(expected.map(([at, kind]) => hasEnded(people[at]!.streams[kind], rest)))
    // A second check of the streams ends none that the first one left.
    await Promise.race([rest, wait(second_ms)])
    for (const [at, { streams }] of people.entries())
      seen.set(cases[at]![0], {
        statuses: { session: after[at]![0]!, api: after[at]![1]! },
        ended: {
          session: await hasEnded(streams.session, Promise.resolve()),
          api: await hasEnded(streams.api, Promise.resolve()),
        },
      })
    // What still holds would keep the next test's server from closing quietly.
    for (const { user, api_kid } of people) {
      await endSessions(here.deps, user.kid)
      await here.deps.db.deleteFrom('api_token').where('kid', '=', api_kid).execute()
    }
  })

  it.each(cases)('ends within a second of %s, its stream too', (name, _happen, ends) => {
    const status = (has_ended: boolean) => (has_ended ? [401, 401] : [200, 200])
    expect(seen.get(name)).toEqual({
      statuses: { session: status(ends.session), api: status(ends.api) },
      ended: { session: ends.session, api: ends.api },
    })
  })

  it('that is an API token follows its owner’s roles, and its stream ends so that the next one hears less', async () => {
    const person = await somebody()
    const { path } = contract.terminalGroup.calls.list_with_child
    const ask = async (node: Node) =>
      (await fetch(`${node.url}/api/${path}`, { headers: { authorization: `Bearer ${person.api}` } })).status
    expect(await ask(there)).toBe(200)
    await here.deps.db
      .updateTable('role')
      .set({ permissions: ['homeIndex'] })
      .where('kid', '=', person.role.kid)
      .execute()
    await wait(second_ms)
    for (const node of [here, there]) expect(await ask(node)).toBe(403)
    expect(await there.status(person.api)).toBe(200)
    expect(await Promise.race([person.streams.api.ended.then(() => true), wait(machine_ms)])).toBe(true)
  })
})
