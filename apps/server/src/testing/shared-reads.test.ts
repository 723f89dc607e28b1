import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Deps } from '../deps.ts'
import { newKid } from '../lib/ids.ts'
import { seal } from '../lib/sealed.ts'
import { platformRows } from '../modules/configuration/terminal-config/levels.ts'
import { queueMessages } from '../modules/watch/webhook/queue.ts'
import { testDeps } from './deps.ts'
import type { TestDeps } from './deps.ts'

let deps: TestDeps
beforeAll(async () => void (deps = await testDeps()))
afterAll(() => deps.close())

const account_kid = newKid()
const message = { event: 'account.expired' as const, payload: '{}' }
/** What is read once for all and kept for a moment. */
const shared: [string, (by: Deps) => Promise<unknown>][] = [
  ['webhooks', (by) => queueMessages(by, account_kid, [message])],
  ['the key of secrets', (by) => seal(by, 'secret')],
  ['rows of the platform', (by) => platformRows(by)],
]
/** The embedded database is one session: whoever reads outside of a transaction waits for its end. */
test.each(shared)('%s: a transaction reads without waiting for a reader outside of it', async (_name, ask) => {
  let outside: Promise<unknown> | undefined
  await deps.db.transaction().execute(async (db) => {
    await sql`SELECT 1`.execute(db)
    outside = ask(deps)
    await ask({ ...deps, db })
  })
  await expect(outside).resolves.not.toThrow()
})
