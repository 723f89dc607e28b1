import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '@mdm/server/config.ts'
import type { Deps } from '@mdm/server/deps.ts'
import { placeDatabase } from '@mdm/server/testing/database-template.ts'
import { password_cost } from '@mdm/server/testing/deps.ts'
import { startServer } from '@mdm/server/server.ts'
import type { RunningServer } from '@mdm/server/server.ts'
import { caller } from './caller.ts'
import type { Caller } from './caller.ts'
import { enrol } from './enrol.ts'
import type { Device } from './enrol.ts'
import { seed, seedGroups, signedIn } from './seed.ts'
import type { Seed } from './seed.ts'

export type WorldOptions = {
  /** Registered, connected simulated devices of the first customer. */
  agents?: number
  /** PostgreSQL instead of the embedded database. */
  database_url?: string
  overrides?: Partial<Deps>
  /** Settings beside those that every world has. */
  env?: Record<string, string>
}
export type World = AsyncDisposable & {
  server: RunningServer
  url: string
  seed: Seed
  /** Signed in as the operator, who has entered nobody. */
  operator: Caller
  /** Signed in as the root of each customer. */
  customers: Caller[]
  anonymous: Caller
  devices: Device[]
  /** Faults that no test expected: undeclared errors of handlers. Not empty at the end fails the test. */
  internal_errors: unknown[]
  as(username: string): Promise<Caller>
  /** Enrols one more device for a customer and waits until the server sees it online. */
  addDevice(options?: {
    sn?: string
    customer?: number
    group_kid?: string
    body?: Parameters<typeof enrol>[1]['body']
  }): Promise<Device>
}

/** The whole system in this process, on free ports and a folder of its own: real database, real broker, real agents. */
export async function world(options: WorldOptions = {}): Promise<World> {
  const data = await mkdtemp(join(tmpdir(), 'mdm-world-'))
  const internal_errors: unknown[] = []
  const env = {
    MDM_DATA: data,
    MDM_HTTP_PORT: '0',
    MDM_HTTP_HOST: '127.0.0.1',
    MDM_MQTT_PORT: '0',
    MDM_MQTT_HOST: '127.0.0.1',
    // An address for documentation, where nobody answers: what webhooks of tests call unless they have a receiver.
    MDM_WEBHOOK_ALLOW: '192.0.2.1',
    MDM_LOG_LEVEL: process.env['MDM_TEST_LOG'] ?? 'silent',
    ...(options.database_url === undefined ? {} : { DATABASE_URL: options.database_url }),
    ...options.env,
  }
  if (options.database_url === undefined) await placeDatabase(join(data, 'db'))
  const server = await startServer(readConfig(env, { env_file: join(data, 'none') }), {
    onInternalError: (error) => void internal_errors.push(error),
    password_cost,
    ...options.overrides,
  })
  const { deps, url } = server
  const seeded = await seed(deps)
  await seedGroups(url, deps, seeded)
  const everyone = [seeded.operator, ...seeded.customers.flatMap((c) => [c.root, ...c.users])]
  const customers = await Promise.all(seeded.customers.map((c) => signedIn(url, deps, c.root)))
  const devices: Device[] = []
  // Of this world: files share a process, and a device's seed decides its model (one has no battery).
  let serial = 0

  const made: World = {
    server,
    url,
    seed: seeded,
    operator: await signedIn(url, deps, seeded.operator),
    customers,
    anonymous: caller(url),
    devices,
    internal_errors,
    async as(username) {
      const user = everyone.find((u) => u.username === username)
      if (!user) throw new Error(`nobody is called ${username}`)
      return signedIn(url, deps, user)
    },
    async addDevice({ sn = `TEST-${++serial}`, customer = 0, group_kid = 'NO_GROUP', body = {} } = {}) {
      const device = await enrol(customers[customer]!, { sn, seed: serial + 1, group_kid, body })
      devices.push(device)
      return device
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(devices.map(({ agent }) => agent.stop()))
      await server.close()
      await rm(data, { recursive: true, force: true })
      if (internal_errors.length > 0)
        throw new AggregateError(internal_errors, 'handlers failed in a way their contract does not declare')
    },
  }
  for (let i = 0; i < (options.agents ?? 0); i++) await made.addDevice()
  return made
}
