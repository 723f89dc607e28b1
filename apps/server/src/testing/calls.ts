import type { Call, Envelope, Out, Sent } from '@mdm/contract'
import Fastify from 'fastify'
import { sql } from 'kysely'
import { testDeps } from './deps.ts'
import type { TestDeps } from './deps.ts'
import { createAccount, createRole, createUser } from '../modules/people/account/index.ts'
import { createSession } from '../modules/people/login/index.ts'
import { newKid } from '../lib/ids.ts'
import { sharedHash } from '../lib/shared-hash.ts'
import { handlers } from '../handlers.ts'
import { mountCalls } from '../http/mount.ts'

export type As = {
  token?: string
  account_kid?: string
  lang?: string
  address?: string
  user_agent?: string
  cookie?: string
}
export type Answer<C> = { status: number; result: number; message: string; data: Out<C>; cookie?: string }
export type TestApi = Awaited<ReturnType<typeof testApi>>

export const testPassword = 'Secret-2026!'

/** The calls of people, without a port: requests go through the whole chain of http/mount on a real database. */
export async function testApi() {
  const internal_errors: unknown[] = []
  const deps = await testDeps({ onInternalError: (error) => void internal_errors.push(error) })
  // Partitions by month are a job's work, which does not run here.
  for (const table of ['operation_log', 'push_task_activity'])
    await sql.raw(`CREATE TABLE ${table}_all PARTITION OF ${table} DEFAULT`).execute(deps.db)
  const app = Fastify({ genReqId: newKid, trustProxy: true })
  mountCalls(app, deps, handlers)
  const call = async <C extends Call>(what: C, input: Sent<C>, as: As = {}): Promise<Answer<C>> => {
    const { token, account_kid, lang } = as
    const own = what.method === 'GET' ? (input as Record<string, unknown>) : {}
    const query = Object.entries({ ...own, account_kid, lang }).filter(([, value]) => value !== undefined)
    const reply = await app.inject({
      method: what.method,
      url: `/api/${what.path}?${new URLSearchParams(query as [string, string][])}`,
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(as.cookie ? { cookie: as.cookie } : {}),
        ...(as.user_agent ? { 'user-agent': as.user_agent } : {}),
        'x-forwarded-for': as.address ?? '192.0.2.1',
      },
      ...(what.method === 'POST' ? { payload: input as object } : {}),
    })
    const [kept] = reply.cookies
    return {
      status: reply.statusCode,
      ...reply.json<Envelope>(),
      ...(kept && { cookie: `${kept.name}=${kept.value}` }),
    } as Answer<C>
  }
  return {
    deps,
    app,
    call,
    internal_errors,
    ...(await users(deps)),
    async close() {
      await app.close()
      await deps.close()
    },
  }
}

/** A provider with one operator and two customers; the first has a sub-account and a person. */
async function users(deps: TestDeps) {
  const account = (draft: Parameters<typeof createAccount>[1]) => createAccount(deps.db, draft)
  const person = async (type: 1 | 2 | 3 | 101, account_kid: string, username: string, permissions: string[] | null) => {
    const role_kids = permissions
      ? [(await createRole(deps.db, { account_kid, code: username, name: username, permissions })).kid]
      : []
    const draft = {
      type,
      account_kid,
      username,
      name: `Name of ${username}`,
      password_hash: await sharedHash(testPassword, deps.password_cost),
      role_kids,
    }
    const { kid } = await createUser(deps.db, draft)
    const token = await createSession(deps, kid, { address: '192.0.2.1', user_agent: 'test' })
    return { kid, account_kid, username, token }
  }
  const provider = await account({ type: 101, name: 'Provider' })
  const acme = await account({ type: 1, name: 'Acme', terminal_max: 100 })
  const acme_sub = await account({ type: 2, name: 'Acme Sub', parent_kid: acme.kid, terminal_max: 30 })
  const globex = await account({ type: 1, name: 'Globex', terminal_max: 10 })
  return {
    person,
    provider,
    acme,
    acme_sub,
    globex,
    operator: await person(101, provider.kid, 'operator', ['*']),
    acme_root: await person(1, acme.kid, 'acme', ['deviceList*', 'operationLogList', 'homeIndex']),
    acme_person: await person(3, acme.kid, 'acme.person', ['deviceList', 'operationLogList']),
    globex_root: await person(1, globex.kid, 'globex', ['deviceList*', 'operationLogList']),
  }
}
