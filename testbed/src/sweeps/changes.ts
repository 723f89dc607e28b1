import { sql } from 'kysely'
import type { World } from '../world.ts'
import { features } from './features.ts'

type Row = Record<string, unknown>
type Change = { place: string; at: Date; was: Row | null; is: Row | null }

/** Where a tenant's rows are, and by which columns they are its own. Whose they are stands in `account_kid` unless it says. */
const owners = (account_kid: string, user_kid: string): [table: string, columns: string[], kid: string][] => [
  ...Object.values(features)
    .flatMap((feature) => feature.tables ?? [])
    .map((table): [string, string[], string] => [table, ['account_kid'], account_kid]),
  ['account', ['kid', 'parent_kid'], account_kid],
  ['session', ['user_kid'], user_kid],
  ['api_token', ['user_kid'], user_kid],
  ['webhook_delivery', ['account_kid'], account_kid],
]

/** What became of a tenant's rows since it was last asked: `-` and `+` before each as it was and is. */
export type Changes = (() => Promise<string[]>) & {
  /** Every one for itself, with its time, also where another took it back. One question after many calls is cheaper than one after each. */
  each(): Promise<{ at: Date; change: string[] }[]>
}

/** What moves by itself: a device that reports, an upload that is being hashed, a webhook whose receiver is not there. */
const moving = /_at$|_since$|^state$|^version$|^progress$/
const textOf = ({ place }: Change, row: Row | null) => {
  if (row === null) return ''
  // Deliveries are tried again and again; there must only be no more of them.
  const seen = place === 'webhook_delivery' ? { kid: row['kid'] } : row
  return `${place} ${JSON.stringify(seen, (key, value: unknown) => (moving.test(key) ? undefined : value))}`
}

/**
 * Watches the rows of a tenant: answers a function that tells what became of them since it was last asked. The database itself
 * notes each change, so that every call can be asked about, and none hides behind one that puts things back.
 */
export async function watchRows(w: World, of: { account_kid: string; user_kid: string }): Promise<Changes> {
  const { db } = w.server.deps
  await sql`CREATE TABLE IF NOT EXISTS sweep_change
    (owner text, place text, was jsonb, "is" jsonb, at timestamptz DEFAULT clock_timestamp())`.execute(db)
  await sql`CREATE OR REPLACE FUNCTION sweep_note() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO sweep_change VALUES (TG_ARGV[0], TG_TABLE_NAME,
        CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) END, CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) END);
      RETURN NULL;
    END $$`.execute(db)
  for (const [table, columns, kid] of owners(of.account_kid, of.user_kid))
    for (const [event, rows] of Object.entries({ insert: ['NEW'], update: ['OLD', 'NEW'], delete: ['OLD'] })) {
      const theirs = rows.flatMap((row) => columns.map((column) => `${row}.${column} = '${kid}'`)).join(' OR ')
      const name = `sweep_${event}_${of.account_kid.replaceAll('-', '')}`
      await sql`CREATE TRIGGER ${sql.ref(name)} AFTER ${sql.raw(event)} ON ${sql.table(table)}
        FOR EACH ROW WHEN (${sql.raw(theirs)}) EXECUTE FUNCTION sweep_note(${sql.lit(of.account_kid)})`.execute(db)
    }

  const taken = async () =>
    (await sql<Change>`DELETE FROM sweep_change WHERE owner = ${of.account_kid} RETURNING *`.execute(db)).rows
  const changes = async () => {
    const rows = await taken()
    const counts = new Map<string, number>()
    for (const change of rows)
      for (const [row, step] of [
        [change.was, -1],
        [change.is, 1],
      ] as const) {
        if (row === null) continue
        const text = textOf(change, row)
        counts.set(text, (counts.get(text) ?? 0) + step)
      }
    return [...counts].filter(([, count]) => count !== 0).map(([text, count]) => `${count > 0 ? '+' : '-'} ${text}`)
  }
  const each = async () =>
    (await taken())
      .map((change) => ({ at: change.at, change: [textOf(change, change.was), textOf(change, change.is)] }))
      .filter(({ change: [was, is] }) => was !== is)
  return Object.assign(changes, { each })
}
