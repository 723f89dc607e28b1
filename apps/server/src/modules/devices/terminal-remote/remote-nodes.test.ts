import { randomBytes } from 'node:crypto'
import type { AddressInfo, Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RemoteSession, RemoteTicket } from '@mdm/contract'
import { localObjects } from '../../../files/local-objects.ts'
import { fileSigner, readFileKey } from '../../../files/signature.ts'
import { handlers } from '../../../handlers.ts'
import { createApp } from '../../../http/app.ts'
import { startLive } from '../../../http/live/hub.ts'
import { createMetrics } from '../../../http/metrics.ts'
import { readinessOf } from '../../../http/readiness.ts'
import { ensurePartitions } from '../../../jobs/partitions.ts'
import { realClock } from '../../../lib/clock.ts'
import { digest, newKid, newSecret } from '../../../lib/ids.ts'
import { startNode } from '../../../link/nodes.ts'
import { mountRoutes } from '../../../routes.ts'
import { testDeps } from '../../../testing/deps.ts'
import { addTerminal } from '../../../testing/devices.ts'
import type { TestDeps } from '../../../testing/deps.ts'
import { postgres_missing } from '../../../testing/postgres.ts'
import { dialTunnel, remoteCaller, remoteDevice, viewerEnd } from '../../../testing/remote.ts'
import type { Calls, RemoteDevice } from '../../../testing/remote.ts'
import { migratedPostgres } from '../../../testing/shared-postgres.ts'
import { createAccount, createRole, createUser } from '../../people/account/index.ts'
import { createSession, endSessions } from '../../people/login/index.ts'
import { keepSessions } from './index.ts'

const secret_key = randomBytes(32).toString('hex')
type Node = Awaited<ReturnType<typeof serve>>

/** A server of its own on the shared database, which others can reach. */
async function serve(url: string) {
  const deps: TestDeps = await testDeps({ url, clock: realClock })
  Object.assign(deps.config, { secret_key, http: { host: '127.0.0.1', port: 0 } })
  await ensurePartitions(deps)
  const hub = await startLive(deps)
  const metrics = createMetrics(deps.database, { live_clients: () => hub.size })
  const signer = fileSigner(await readFileKey(deps), deps.clock)
  Object.assign(deps, { objects: await localObjects(join(deps.config.data, 'objects')), signFile: signer.sign })
  const node = await startNode(deps)
  const app = await createApp(deps, { handlers, mountRoutes, hub, signer, metrics, readiness: readinessOf(deps) })
  const connections = new Set<Socket>()
  app.server.on('connection', (socket: Socket) => connections.add(socket))
  await app.listen({ port: 0, host: '127.0.0.1' })
  deps.config.http.port = (app.server.address() as AddressInfo).port
  await node.beat()
  return {
    deps,
    url: `http://127.0.0.1:${deps.config.http.port}`,
    /** Its connections are gone at once, and nothing is said. */
    cutAll: () => connections.forEach((socket) => socket.destroy()),
    async close() {
      await hub.close()
      await app.close()
      await node.close()
      await metrics.close()
      await deps.close()
    },
  }
}

describe.skipIf(postgres_missing)('two servers on one database', () => {
  let here: Node
  let there: Node
  let account_kid: string
  let user_kid: string
  let token: string
  let device: RemoteDevice
  beforeAll(async () => {
    const url = await migratedPostgres()
    here = await serve(url)
    there = await serve(url)
    const { deps } = here
    const name = newKid()
    account_kid = (await createAccount(deps.db, { type: 1, name })).kid
    const permissions = ['deviceDetailRemote*', 'remoteSessionList*']
    const role = await createRole(deps.db, { account_kid, code: name, name, permissions })
    const person = { type: 3 as const, account_kid, username: name, name, password_hash: '-', role_kids: [role.kid] }
    user_kid = (await createUser(deps.db, person)).kid
    token = await createSession(deps, user_kid, { address: '127.0.0.1', user_agent: 'test' })
    const secret = newSecret()
    const given = { secret_hash: digest(secret), tunnels: ['desktop', 'terminal', 'log', 'files'] }
    const kid = await addTerminal(deps, account_kid, given, { is_online: true })
    // It comes to the second server, whichever one asked.
    device = remoteDevice(deps, { kid, secret }, () => there.url)
  })
  afterAll(async () => {
    for (const node of [here, there]) await node?.close()
  })
  const call = <T = RemoteTicket & RemoteSession>(key: keyof Calls, input: Record<string, unknown>) =>
    remoteCaller(() => here.url, token)<T>(key, input)
  const opened = async () => {
    const ticket = await call('open_desktop', { terminal_kid: device.kid })
    return { ticket, session_kid: ticket.session.kid, end: device.ends.at(-1)! }
  }
  const hello = Buffer.concat([Buffer.from('RFB 003.008\n'), Buffer.from([1, 1])])
  const key = Buffer.from([4, 1, 0, 0, 0, 0, 0, 97])

  it('join a browser of one with a device of the other, with what may pass', async () => {
    const { ticket, session_kid, end } = await opened()
    const viewer = await viewerEnd(here.url, ticket)
    viewer.socket.send(Buffer.concat([hello, key]))
    expect(await end.got(22)).toEqual(Buffer.concat([hello, key]))
    const picture = randomBytes(1_000_000)
    for (let at = 0; at < picture.length; at += 50_000) end.socket.send(picture.subarray(at, at + 50_000))
    expect((await viewer.got(picture.length)).equals(picture)).toBe(true)
    await viewer.heard((note) => note['has_control'] === true)
    // The browser's ticket is used up for the other server as well.
    expect(await dialTunnel(there.url, ticket.url, ticket.ticket)).toBe(401)
    await call('end', { kids: [session_kid] })
    const since = performance.now()
    expect((await Promise.all([viewer.closed, end.closed])).map(({ code }) => code)).toEqual([4000, 4000])
    expect(performance.now() - since).toBeLessThan(1_500)
  })

  it('end what hangs on a sign-in within a second, wherever its ends are', async () => {
    const { ticket, end } = await opened()
    const viewer = await viewerEnd(here.url, ticket)
    await viewer.heard((note) => 'has_control' in note)
    await endSessions(there.deps, user_kid)
    const since = performance.now()
    expect((await Promise.all([viewer.closed, end.closed])).map(({ code }) => code)).toEqual([4002, 4002])
    expect(performance.now() - since).toBeLessThan(1_500)
    token = await createSession(here.deps, user_kid, { address: '127.0.0.1', user_agent: 'test' })
  })

  it('the browser is told when the server of the device dies, and comes back by another one', async () => {
    const { ticket, session_kid } = await opened()
    const viewer = await viewerEnd(here.url, ticket)
    await viewer.heard((note) => 'has_control' in note)
    there.cutAll()
    expect((await viewer.closed).code).toBe(4004)
    device = remoteDevice(here.deps, device, () => here.url)
    const again = await call('join', { session_kid })
    const second = await viewerEnd(here.url, again)
    await second.heard((note) => note['has_control'] === true)
    second.socket.send(hello)
    expect(await device.ends.at(-1)!.got(14)).toEqual(hello)
    second.socket.close()
    // Viewers of a server that is gone are seen to have left.
    await here.deps.db
      .updateTable('remote_viewer')
      .set({ left_at: null, node_kid: newKid() })
      .where('session_kid', '=', session_kid)
      .execute()
    await keepSessions(here.deps)
    const { viewers } = await call('get', { session_kid })
    expect(viewers.filter(({ left_at }) => left_at === null)).toEqual([])
  })
})
