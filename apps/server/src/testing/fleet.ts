import type { Up, UpName } from '@mdm/device-link'
import { sql } from 'kysely'
import { records } from '../db/records.ts'
import { ensurePartitions } from '../jobs/partitions.ts'
import { digest, newKid } from '../lib/ids.ts'
import { openDeps } from './devices.ts'
import type { DatabaseKind } from './devices.ts'
import type { testDeps, TestDeps } from './deps.ts'
import { startLink } from '../link/link.ts'
import type { Broker, Delivery, LinkCallbacks } from '../link/peer.ts'

export const secret_of_all = 'a'.repeat(64)

/** The broker is the edge of these tests: what it would send is kept, what a device would send is called. */
export function edgeBroker() {
  const edge = {
    sent: [] as { kid: string; topic: string; payload: any }[],
    kicked: [] as { kid: string; reason: string }[],
    answer: (_kid: string): Promise<Delivery> => Promise.resolve('acknowledged'),
    callbacks: undefined as unknown as LinkCallbacks,
    async start(callbacks: LinkCallbacks): Promise<Broker> {
      edge.callbacks = callbacks
      return {
        deliver(kid, topic, payload) {
          edge.sent.push({ kid, topic, payload: JSON.parse(payload) })
          return edge.answer(kid)
        },
        async kick(kid, reason) {
          edge.kicked.push({ kid, reason })
        },
        isUp: () => true,
        async close() {},
      }
    },
  }
  return edge
}

export async function seedDevices(deps: TestDeps, n: number, account_kid = newKid()) {
  const now = deps.clock.now()
  await deps.db
    .insertInto('account')
    .values({ kid: account_kid, type: 1, name: account_kid, parent_kid: null } as never)
    .onConflict((row) => row.doNothing())
    .execute()
  const kids = Array.from({ length: n }, newKid)
  const rows = kids.map((kid) => ({ kid, sn: `SN-${kid}`.toUpperCase() }))
  await sql`
    INSERT INTO terminal (kid, account_kid, sn, claim_hash, secret_hash, registered_at)
    SELECT r.kid, ${account_kid}::uuid, r.sn, ''::bytea, ${digest(secret_of_all)}::bytea, ${now}::timestamptz
    FROM ${records(rows).as('r(kid uuid, sn text)')}
  `.execute(deps.db)
  return { account_kid, kids }
}

/** A link over a real database with `n` registered devices. */
export async function fleet(
  n: number,
  overrides: Parameters<typeof testDeps>[0] = {},
  kind: DatabaseKind = 'embedded',
) {
  const deps = await openDeps(kind, { signFile: (object) => `/files/${object}?signed`, ...overrides })
  await ensurePartitions(deps)
  const { account_kid, kids } = await seedDevices(deps, n)
  const edge = edgeBroker()
  const link = await startLink(deps, { broker: edge.start })
  deps.link = link
  const say = <N extends UpName>(kid: string, name: N, body: Up[N] | Record<string, unknown>) =>
    edge.callbacks.inbound(kid, name, Buffer.from(JSON.stringify(body)))
  const connect = async (kid: string, epoch = newKid(), address = '10.0.0.1') => {
    edge.callbacks.connected({ kid, epoch, address, transport: 'mqtt' })
    await say(kid, 'hello', hello(deps, { epoch }))
    return epoch
  }
  const state = async (kid: string) =>
    deps.db.selectFrom('terminal_state').selectAll().where('terminal_kid', '=', kid).executeTakeFirstOrThrow()
  return {
    deps,
    link,
    edge,
    account_kid,
    kids,
    say,
    connect,
    state,
    async close() {
      await link.close()
      await deps.close()
    },
  }
}
export type Fleet = Awaited<ReturnType<typeof fleet>>

export const hello = (deps: TestDeps, more: Partial<Up['hello']> = {}): Up['hello'] => ({
  epoch: 'e',
  boot_id: 'boot-1',
  device_time: deps.clock.now().toISOString(),
  inventory: {},
  ...more,
})
