import type { Deps } from '../../deps.ts'

/** What a gateway must know of a device after a restart; undefined of one that is no device of a gateway any more. */
export async function readKeptRow({ db }: Deps, terminal_kid: string): Promise<object | undefined> {
  const row = await db
    .selectFrom('terminal_agent')
    .select('kept')
    .where('terminal_kid', '=', terminal_kid)
    .executeTakeFirst()
  return row?.kept
}

export async function writeKeptRow(
  { db }: Deps,
  terminal_kid: string,
  kept: object,
  reset_due_at: Date | null,
): Promise<void> {
  await db
    .updateTable('terminal_agent')
    .set({ kept: JSON.stringify(kept), reset_due_at })
    .where('terminal_kid', '=', terminal_kid)
    .execute()
}
