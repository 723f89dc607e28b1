import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'

const week_ms = 7 * 86_400_000
/** No new object is begun after it: the next run goes on. */
const run_ms = 60_000
const piece = 100

/** Tables whose rows say what the bytes of an object are; each has `object`, `sha256`, `created_at` and `account_kid`. */
const tables = ['file_cloud', 'app_version']
const referring = sql.raw(
  tables
    .map((table) => `SELECT object, sha256, created_at, account_kid FROM ${table} WHERE object IS NOT NULL`)
    .join(' UNION ALL '),
)
export type ObjectFault = 'missing' | 'changed'
type Due = { object: string; sha256: string; fault: ObjectFault | null; accounts: string[] }

/**
 * Reads every object once a week and compares its digest, the longest unread first: bits rot, disks lose files, somebody
 * tidies up a bucket. Each object is a piece of its own, so a server that stops goes on with the next. For a timer.
 */
export async function checkObjects(deps: Deps): Promise<void> {
  const began_at = deps.clock.elapsed()
  await forgetGone(deps)
  for (;;) {
    const due = await nextDue(deps)
    for (const each of due) {
      if (deps.clock.elapsed() - began_at > run_ms) return
      await check(deps, each)
    }
    if (due.length < piece) return
  }
}

async function nextDue(deps: Deps): Promise<Due[]> {
  const before = new Date(deps.clock.now().getTime() - week_ms)
  const { rows } = await sql<Due>`
    SELECT r.object, min(r.sha256) AS sha256, c.fault, array_agg(DISTINCT r.account_kid)::text[] AS accounts
    FROM (${referring}) r LEFT JOIN object_check c ON c.object = r.object
    GROUP BY r.object, c.checked_at, c.fault
    HAVING COALESCE(c.checked_at, min(r.created_at)) < ${before}
    ORDER BY COALESCE(c.checked_at, min(r.created_at)), r.object LIMIT ${piece}`.execute(deps.db)
  return rows
}

async function check(deps: Deps, { object, sha256, fault: before, accounts }: Due): Promise<void> {
  let fault: ObjectFault | null
  try {
    const found = await digestOf(deps, object)
    fault = found === undefined ? 'missing' : found === sha256 ? null : 'changed'
  } catch (error) {
    // Nothing can be said of it while its store is away: what was known stays, and it is asked again in the next week.
    deps.log.warn({ err: error, object }, 'an object could not be read to check it')
    fault = before
  }
  const checked = { checked_at: deps.clock.now(), fault }
  await deps.db
    .insertInto('object_check')
    .values({ object, ...checked })
    .onConflict((row) => row.column('object').doUpdateSet(checked))
    .execute()
  if (fault === before) return
  if (fault) deps.log.error({ object, fault }, 'an object is broken')
  for (const account_kid of accounts) deps.live.publish(account_kid, { type: 'file_changed' })
}

/** Undefined when there is no such object. */
async function digestOf(deps: Deps, object: string): Promise<string | undefined> {
  const hash = createHash('sha256')
  try {
    for await (const chunk of await deps.objects.read(object)) {
      hash.update(chunk as Buffer)
      // A disk hands out pieces faster than others get their turn.
      await new Promise(setImmediate)
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  return hash.digest('hex')
}

const forgetGone = ({ db }: Deps) =>
  sql`DELETE FROM object_check c WHERE NOT EXISTS (SELECT 1 FROM (${referring}) r WHERE r.object = c.object)`.execute(
    db,
  )
