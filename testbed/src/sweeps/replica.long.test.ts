import { isList } from '@mdm/contract'
import { postgres_missing, startPostgres } from '@mdm/server/testing/postgres.ts'
import type { TestPostgres } from '@mdm/server/testing/postgres.ts'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { world } from '../world.ts'
import type { World } from '../world.ts'
import { everyCall, makeThings, validInput } from './features.ts'
import type { Things } from './feature.ts'
import { confirmPasswords } from './stage.ts'

describe.skipIf(postgres_missing)('with a replica of the database', () => {
  let primary: TestPostgres
  let standby: TestPostgres
  let w: World
  let things: Things
  beforeAll(async () => {
    primary = await startPostgres()
    standby = await startPostgres([], primary)
    const database_url = await primary.createDatabase()
    const DATABASE_REPLICA_URL = standby.url(new URL(database_url).pathname.slice(1))
    w = await world({ database_url, env: { DATABASE_REPLICA_URL } })
    await confirmPasswords(w)
    things = await makeThings(w, 0)
  })
  afterAll(async () => {
    await w?.[Symbol.asyncDispose]()
    await standby?.stop()
    await primary?.stop()
  })

  afterEach(() => void vi.restoreAllMocks())

  const lists = everyCall.filter(isList)

  test('lists and files are what is read from it', () => {
    expect(lists.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['terminal/paging', 'operation_log/paging', 'terminal/download_export']),
    )
  })

  test('operators see that it is used', async () => {
    const used = async () => (await w.operator.opsHome.status({})).database.replica_is_used
    await expect.poll(used, { timeout: 60_000 }).toBe(true)
    const { url, deps } = w.server
    const metrics = await (await fetch(`${url}/metrics`)).text()
    expect(metrics).toContain('mdm_replica_used 1')
    w.server.deps.replica!.rest(new Error('it went away'))
    expect(await used()).toBe(false)
    // Whoever asks for a list meanwhile gets it, and a little later from the replica again.
    await expect
      .poll(async () => (await w.customers[0]!.terminal.paging({}), deps.replica!.isUsed()), { timeout: 60_000 })
      .toBe(true)
  })

  test.each(lists.map((call) => [call.path, call] as const))(
    '%s answers from it as from the database',
    async (path, call) => {
      const { deps } = w.server
      const { replica } = deps
      const caller = call.scope === 'ops' ? w.operator : w.customers[0]!
      const input = validInput(things, path)
      const asked = vi.spyOn(replica!, 'hasCaughtUp')
      const failed = vi.spyOn(replica!, 'rest')
      // On a slow machine it may be behind for once.
      const copied = await vi.waitFor(
        async () => {
          vi.clearAllMocks()
          const reply = await caller.try_(call, input)
          expect(await asked.mock.results[0]!.value).toBe(true)
          expect(failed.mock.calls).toEqual([])
          return reply
        },
        { timeout: 60_000, interval: 1_000 },
      )
      delete deps.replica
      const own = await caller.try_(call, input)
      deps.replica = replica
      expect(copied).toEqual(own)
    },
  )
})
