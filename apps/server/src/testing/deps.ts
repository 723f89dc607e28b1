import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LiveEvent } from '@mdm/contract'
import { readConfig } from '../config.ts'
import { openDatabase } from '../db/client.ts'
import { testEngine } from './engine.ts'
import { migrations } from '../db/schema/migrations/index.ts'
import { scopes } from '../db/scope/scope.ts'
import { quiet } from './database-template.ts'
import type { Deps } from '../deps.ts'
import { features } from '../features.ts'
import { fakeClock } from '../lib/clock.ts'
import { newKid } from '../lib/ids.ts'
import { createLog } from '../lib/log.ts'
import { newMemory } from '../memory.ts'
import { RequestError } from '../link/requests.ts'

export type TestDeps = Deps & {
  clock: ReturnType<typeof fakeClock>
  /** What reached the edges, oldest first. */
  events: { account_kid: string | null; event: LiveEvent }[]
  kicked: { terminal_kid: string; reason: string }[]
  woken: string[]
  close(): Promise<void>
}

const notHere = (what: string) => () => {
  throw new Error(`${what} is not part of this test: override it`)
}

/** Whoever signs in, changes a password or is refused takes 2 ms for it instead of 100. */
export const password_cost = { log_n: 4, r: 8, p: 1 }

/**
 * Dependencies over a real database (embedded in a temporary folder, or PostgreSQL by `url`) and a clock that stands
 * still. Browsers and devices are the edge: what would reach them is kept in `events`, `kicked` and `woken`.
 */
export async function testDeps(overrides: Partial<Deps> & { url?: string } = {}): Promise<TestDeps> {
  const { url, ...given } = overrides
  const data = await mkdtemp(join(tmpdir(), 'mdm-test-'))
  const log = createLog('silent')
  const database = await openDatabase({
    ...(url === undefined ? { data_dir: join(data, 'db'), engine: await testEngine() } : { url }),
    migrations,
    log: quiet,
    maintenance_every_ms: 0,
  })
  const edges: Pick<TestDeps, 'events' | 'kicked' | 'woken'> = { events: [], kicked: [], woken: [] }
  return {
    config: readConfig({ MDM_DATA: data, MDM_HTTP_PORT: '0', MDM_MQTT_PORT: '0' }, { env_file: join(data, 'none') }),
    log,
    clock: fakeClock(),
    node_kid: newKid(),
    database,
    db: database.kysely,
    scope: scopes(database.kysely),
    memory: newMemory(),
    features,
    live: { publish: (account_kid, event) => void edges.events.push({ account_kid, event }) },
    // It takes no parts, as the one below MDM_DATA.
    objects: new Proxy({} as Deps['objects'], {
      get: (_, key) => (key === 'parts' ? undefined : notHere('the object store')()),
    }),
    signFile: notHere('signing of files'),
    link: {
      wake: (kids) => void edges.woken.push(...kids),
      workOutConfig: async () => undefined,
      request: async () => Promise.reject(new RequestError('offline')),
      checkIn: async () => [],
      wakeBy: () => () => {},
      async kick(terminal_kid, reason) {
        edges.kicked.push({ terminal_kid, reason })
      },
    },
    isUnavailable: () => false,
    password_cost,
    ...edges,
    ...(given as Partial<TestDeps>),
    async close() {
      await database.close()
      await rm(data, { recursive: true, force: true })
    },
  }
}
