import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Envelope } from '@mdm/contract'

import { isUnavailable } from '../lib/database-errors.ts'
import type { Deps } from '../deps.ts'
import { localObjects } from '../files/local-objects.ts'
import { fileSigner, readFileKey } from '../files/signature.ts'
import { handlers } from '../handlers.ts'
import { mountRoutes } from '../routes.ts'
import { ensurePartitions } from '../jobs/partitions.ts'
import { digest, newKid, newSecret } from '../lib/ids.ts'
import { sharedHash } from '../lib/shared-hash.ts'
import { createAccount, createRole, createUser } from '../modules/people/account/index.ts'
import { createSession } from '../modules/people/login/index.ts'
import { testDeps } from './deps.ts'
import type { TestDeps } from './deps.ts'
import { createApp } from '../http/app.ts'
import type { Edge } from '../http/app.ts'
import { startLive } from '../http/live/hub.ts'
import type { LiveHub } from '../http/live/hub.ts'
import { createMetrics } from '../http/metrics.ts'
import { readinessOf } from '../http/readiness.ts'

type Person = { account_kid: string; user_kid: string; token: string; bearer: { authorization: string } }
export type TestHttpServer = {
  deps: TestDeps
  hub: LiveHub
  url: string
  /** Faults that the edge answered as `internal`. */
  internal_errors: unknown[]
  /** A new account with one person in it who holds these permissions. */
  person(permissions: string[], more?: { account_kid?: string; groups?: string[] }): Promise<Person>
  device(account_kid: string, group_kid?: string): Promise<{ kid: string; secret: string }>
  call(path: string, init?: RequestInit & { body?: string }): Promise<Reply>
  /** Ends the HTTP server and begins another on the same data. */
  restart(): Promise<void>
  close(): Promise<void>
}
export type Reply = { status: number; headers: Headers; body: Envelope; text: string }

/** The HTTP edge over a real database, real files and real sockets; devices and jobs are not part of it. */
export async function testHttpServer(options: Partial<Edge> & { deps?: Partial<Deps> } = {}): Promise<TestHttpServer> {
  const internal_errors: unknown[] = []
  const base = await testDeps({ isUnavailable, onInternalError: (e) => void internal_errors.push(e), ...options.deps })
  await ensurePartitions(base)
  const config = { ...base.config, http: { port: 0, host: '127.0.0.1' }, ...options.deps?.config }
  const signer = fileSigner(await readFileKey({ ...base, config }), base.clock)
  const deps: TestDeps = {
    ...base,
    config,
    objects: await localObjects(join(config.data, 'objects')),
    signFile: signer.sign,
    live: { publish: (account_kid, event) => hub.publish(account_kid, event) },
  }
  let hub = await startLive(deps)
  const start = async () => {
    const metrics = createMetrics(deps.database, { live_clients: () => hub.size })
    const app = await createApp(deps, {
      handlers,
      mountRoutes,
      hub,
      signer,
      metrics,
      readiness: readinessOf(deps),
      ...options,
    })
    app.addHook('onClose', async () => metrics.close())
    await app.listen({ port: 0, host: '127.0.0.1' })
    return app
  }
  let app = await start()
  const urlOf = () => `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`

  const world: TestHttpServer = {
    deps,
    get hub() {
      return hub
    },
    internal_errors,
    get url() {
      return urlOf()
    },
    async person(permissions, { account_kid = newKid(), groups = [] } = {}) {
      const known = await deps.db.selectFrom('account').select('kid').where('kid', '=', account_kid).execute()
      if (known.length === 0) await createAccount(deps.db, { kid: account_kid, type: 1, name: account_kid })
      const name = newKid()
      const role = await createRole(deps.db, { account_kid, code: name, name, permissions })
      const user = await createUser(deps.db, {
        account_kid,
        type: 3,
        username: name,
        name,
        password_hash: await sharedHash('abc-123', deps.password_cost),
        role_kids: [role.kid],
      })
      for (const terminal_group_kid of groups)
        await deps.db
          .insertInto('terminal_group_user_manged')
          .values({ account_kid, user_kid: user.kid, terminal_group_kid })
          .execute()
      const token = await createSession(deps, user.kid, { address: '127.0.0.1', user_agent: 'test' })
      return { account_kid, user_kid: user.kid, token, bearer: { authorization: `Bearer ${token}` } }
    },
    async device(account_kid, group_kid) {
      const kid = newKid()
      const secret = newSecret()
      await deps.db
        .insertInto('terminal')
        .values({
          kid,
          account_kid,
          terminal_group_kid: group_kid ?? null,
          sn: kid.toUpperCase(),
          claim_hash: digest(newSecret()),
          secret_hash: digest(secret),
          first_connected_at: null,
          imei: null,
          resolution: null,
          host: null,
          qrcode_kid: null,
          quarantined_until: null,
          registered_at: deps.clock.now(),
        })
        .execute()
      return { kid, secret }
    },
    async call(path, init = {}) {
      const has_json = init.body !== undefined && !new Headers(init.headers).has('content-type')
      const response = await fetch(urlOf() + path, {
        redirect: 'manual',
        ...init,
        headers: { ...(has_json && { 'content-type': 'application/json' }), ...init.headers },
      })
      const text = await response.text()
      const is_json = response.headers.get('content-type')?.includes('json') ?? false
      return {
        status: response.status,
        headers: response.headers,
        text,
        body: (is_json && text !== '' ? JSON.parse(text) : undefined) as Envelope,
      }
    },
    async restart() {
      await hub.close()
      await app.close()
      hub = await startLive(deps)
      app = await start()
    },
    async close() {
      await hub.close()
      // What a test left unread would hold the end up for a minute.
      app.server.closeAllConnections()
      await app.close()
      await base.close()
    },
  }
  return world
}
