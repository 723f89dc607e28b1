import { contract } from '@mdm/contract'
import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Tables } from '../../../../db/schema/tables.ts'
import { newKid } from '../../../../lib/ids.ts'
import { lockingDatabases } from '../../../../testing/devices.ts'
import { fleet } from '../../../../testing/fleet.ts'
import type { Fleet } from '../../../../testing/fleet.ts'
import { pusher } from '../../../../testing/push-tasks.ts'
import * as tasks from '../index.ts'

const { insert } = contract.pushTask.calls
const hour_ms = 3_600_000
const message = { type: 'message', payload: { title: 'Hi', text: 'there' } }

/** The embedded database is one session, in which transactions wait for each other anyway. */
describe.each(lockingDatabases.filter((kind) => kind === 'postgres'))('making the rows of a push, %s', (kind) => {
  let f: Fleet
  beforeEach(async () => {
    f = await fleet(20, {}, kind)
  })
  afterEach(() => f.close())

  /** A push to everybody whose rows are not made yet, while a transaction that holds its row does `meanwhile`. */
  const madeWhileHeld = async (meanwhile: (trx: Transaction<Tables>, kid: string) => Promise<unknown>) => {
    const ann = { ...pusher(f.deps, f.account_kid), user: { kid: newKid(), name: 'Ann' } }
    const start_at = new Date(f.deps.clock.now().getTime() + hour_ms).toISOString()
    const { kid } = await tasks.insert(ann, insert.input.parse({ ...message, match: {}, conditions: { start_at } }))
    await f.deps.db.updateTable('push_task').set({ phase: 'creating' }).where('kid', '=', kid).execute()
    await f.deps.db.transaction().execute(async (trx) => {
      await trx.selectFrom('push_task').select('kid').where('kid', '=', kid).forNoKeyUpdate().execute()
      tasks.wakePushes(f.deps)
      const waiting = () =>
        sql<{ n: number }>`SELECT count(*)::int AS n FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'`.execute(f.deps.db)
      await expect.poll(async () => (await waiting()).rows[0]!.n).toBe(1)
      await meanwhile(trx, kid)
    })
    return { ann, kid }
  }

  it('goes on as soon as devices that report have been stored', async () => {
    const { ann, kid } = await madeWhileHeld(() => Promise.resolve())
    await expect.poll(() => tasks.get(ann, kid)).toMatchObject({ phase: 'running', counts: { total: 20 } })
  })

  it('makes no piece of what is stopped meanwhile', async () => {
    const { ann, kid } = await madeWhileHeld((trx, kid) =>
      trx.updateTable('push_task').set({ phase: 'canceled' }).where('kid', '=', kid).execute(),
    )
    // The next push is made after it.
    const rollout = { steps: [{ percent: 50 }], success_percent: 80, error_percent: 20 }
    const next = await tasks.insert(ann, insert.input.parse({ ...message, match: {}, rollout }))
    await expect.poll(() => tasks.get(ann, next.kid)).toMatchObject({ phase: 'running' })
    expect(await tasks.get(ann, kid)).toMatchObject({ phase: 'canceled', counts: { total: 0 } })
  })
})
