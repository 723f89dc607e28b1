import { sql } from 'kysely'
import type { Tables } from '../db/schema/tables.ts'
import { newKid } from '../lib/ids.ts'
import { testActor } from './actor.ts'
import type { TestDeps } from './deps.ts'

/** Whoever pushes, as a call's context is. */
export const pusher = (deps: TestDeps, account_kid: string) => ({
  ...testActor(deps, account_kid),
  may: () => true,
})

export async function insertFile(deps: TestDeps, account_kid: string, name: string) {
  const file = {
    kid: newKid(),
    account_kid,
    name,
    size: 3,
    md5: 'a'.repeat(32),
    sha256: 'b'.repeat(64),
    content_type: 'application/octet-stream',
    object: newKid(),
    created_by_kid: newKid(),
    created_by: 'Ann',
    created_at: deps.clock.now(),
  }
  await deps.db.insertInto('file_cloud').values(file).execute()
  return file
}

export async function count(deps: TestDeps, table: keyof Tables): Promise<number> {
  const { rows } = await sql<{ n: number }>`SELECT count(*) AS n FROM ${sql.table(table)}`.execute(deps.db)
  return rows[0]!.n
}
