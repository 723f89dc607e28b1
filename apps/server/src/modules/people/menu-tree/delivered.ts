import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'

type Db = Kysely<Tables>
const setting = 'menus_removed'

/** Remembers that a delivered entry was deleted: it must not come back at the next start. */
export async function noteRemoved(trx: Db, code: string): Promise<void> {
  const value = JSON.stringify({ codes: [code] })
  await trx
    .insertInto('setting')
    .values({ key: setting, value })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({
        value: sql`jsonb_build_object('codes', (setting.value -> 'codes') || to_jsonb(${code}::text))`,
      }),
    )
    .execute()
}

/**
 * The delivered entries, level by level, that are neither there nor were deleted by anyone. What would stand below a
 * deleted entry is not missing either.
 */
export async function missingEntries<E extends { code: string; parent: string | null }>(
  db: Db,
  levels: readonly (readonly E[])[],
): Promise<E[][]> {
  const rows = await db.selectFrom('menu_tree').select('code').execute()
  const removed = await db.selectFrom('setting').select('value').where('key', '=', setting).executeTakeFirst()
  const gone = new Set((removed?.value as { codes: string[] } | undefined)?.codes)
  const there = new Set(rows.map((row) => row.code))
  return levels.map((level) => {
    const missing = level.filter(
      ({ code, parent }) => !there.has(code) && !gone.has(code) && (parent === null || there.has(parent)),
    )
    for (const { code } of missing) there.add(code)
    return missing
  })
}
