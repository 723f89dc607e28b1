import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Tables } from '../db/schema/tables.ts'
import type { Deps } from '../deps.ts'
import { refuse } from '../refusal.ts'
import { ObjectMissing } from './object-store.ts'

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
  tell(deps, accounts)
}

function tell({ live }: Deps, accounts: readonly string[]): void {
  for (const account_kid of accounts) {
    live.publish(account_kid, { type: 'file_changed' })
    live.publish(account_kid, { type: 'app_changed' })
  }
}

/** Marks an object that somebody asked for in vain; the next check clears it when the bytes are back. Says whether it should be there. */
export async function noteMissing(deps: Deps, object: string): Promise<boolean> {
  const { rows } = await sql<{ account_kid: string }>`
    SELECT DISTINCT account_kid FROM (${referring}) r WHERE object = ${object}`.execute(deps.db)
  if (rows.length === 0) return false
  const found = { checked_at: deps.clock.now(), fault: 'missing' as const }
  await deps.db
    .insertInto('object_check')
    .values({ object, ...found })
    .onConflict((row) => row.column('object').doUpdateSet(found))
    .execute()
  deps.log.error({ object, fault: found.fault }, 'an object is broken')
  tell(
    deps,
    rows.map(({ account_kid }) => account_kid),
  )
  return true
}

/** Of a column with the name of an object: whether its bytes were found gone or changed. */
export const isBroken = (object: string) => sql<boolean>`EXISTS (
  SELECT 1 FROM object_check WHERE object_check.object = ${sql.ref(object)} AND fault IS NOT NULL)`

/**
 * Locked against a deletion, which looks for pushes that have not ended. @throws `file_broken` of one that is there no more,
 * and its bytes with it
 */
export async function assertKept(
  db: Kysely<Tables>,
  table: 'file_cloud' | 'config_file',
  wanted: readonly { kid: string; name: string }[],
): Promise<void> {
  const rows = await db
    .selectFrom(table)
    .select('kid')
    .where('kid', '=', sql<string>`any(${wanted.map(({ kid }) => kid)}::uuid[])`)
    .orderBy('kid')
    .forKeyShare()
    .execute()
  const gone = wanted.find(({ kid }) => !rows.some((row) => row.kid === kid))
  if (gone) refuse('file_broken', { name: gone.name })
}

/** @throws `file_broken` of one whose bytes are known to be gone or changed: every device would fetch it in vain. */
export async function assertSound(
  db: Kysely<Tables>,
  wanted: readonly { object: string; name: string }[],
): Promise<void> {
  const broken = await db
    .selectFrom('object_check')
    .select('object')
    .where('object', '=', sql<string>`any(${wanted.map(({ object }) => object)}::text[])`)
    .where('fault', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  if (broken) refuse('file_broken', { name: wanted.find(({ object }) => object === broken.object)!.name })
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
    if (error instanceof ObjectMissing) return undefined
    throw error
  }
  return hash.digest('hex')
}

const forgetGone = ({ db }: Deps) =>
  sql`DELETE FROM object_check c WHERE NOT EXISTS (SELECT 1 FROM (${referring}) r WHERE r.object = c.object)`.execute(
    db,
  )
