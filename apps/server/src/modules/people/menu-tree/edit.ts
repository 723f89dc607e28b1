import { elementsOf } from '@mdm/contract'
import type { Contract, In, MenuEntry } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Deps } from '../../../deps.ts'
import { retrying } from '../../../db/retrying.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { violation } from '../../../db/violations.ts'
import { Refusal, refuse } from '../../../refusal.ts'
import { newKid } from '../../../lib/ids.ts'
import { noteRemoved } from './delivered.ts'
import type { Menu } from './service.ts'
import { fits, MenuTree } from './tree.ts'

type Calls = Contract['opsMenuTree']['calls']
type Db = Kysely<Tables>

export async function listAll({ db }: Deps): Promise<MenuEntry[]> {
  const tree = await readTree(db)
  return tree.below(null).map((row) => entry(tree, row))
}

export async function get({ db }: Deps, kid: string): Promise<MenuEntry> {
  const tree = await readTree(db)
  return entry(tree, tree.row(kid))
}

export async function isTaken({ db }: Deps, { code, src_kid }: In<Calls['exists']>): Promise<boolean> {
  const row = await db
    .selectFrom('menu_tree')
    .select('kid')
    .where('code', '=', code)
    .$if(src_kid !== undefined, (q) => q.where('kid', '!=', src_kid!))
    .executeTakeFirst()
  return row !== undefined
}

export async function insert({ db }: Deps, { p_id, ...draft }: In<Calls['insert']>): Promise<{ kid: string }> {
  assertAccessCode(draft.access_code)
  const kid = newKid()
  await change(db, async (trx, tree) => {
    const parent = tree.place(p_id, draft.type)
    await trx
      .insertInto('menu_tree')
      .values({
        ...draft,
        kid,
        p_id: parent?.kid ?? null,
        name: JSON.stringify(draft.name),
        end_type: parent?.end_type ?? draft.end_type,
        sort: draft.sort ?? tree.end(parent?.kid ?? null),
      })
      .execute()
  })
  return { kid }
}

/** Everything of a custom entry; of a delivered one what it is called, where it stands and whether it is shown. */
export async function update({ db }: Deps, { kid, p_id, ...draft }: In<Calls['update']>): Promise<void> {
  if (draft.access_code !== undefined) assertAccessCode(draft.access_code)
  await change(db, async (trx, tree) => {
    const row = tree.row(kid)
    const fixed = ['code', 'type', 'path', 'access_code'] as const
    const is_same = fixed.every((key) => draft[key] === undefined || row[key] === draft[key])
    if (row.is_seeded && !is_same) refuse('menu_is_delivered')
    const parent = tree.place(p_id ?? row.p_id ?? 'ROOT', draft.type, kid)
    if (tree.children(kid).some((child) => !fits(child.type, draft.type))) refuse('menu_has_children')
    const parent_kid = parent?.kid ?? null
    await trx
      .updateTable('menu_tree')
      .set({
        ...draft,
        p_id: parent_kid,
        name: JSON.stringify(draft.name),
        sort: draft.sort ?? (parent_kid === row.p_id ? row.sort : tree.end(parent_kid)),
      })
      .where('kid', '=', kid)
      .execute()
    await takeSide(trx, tree, kid, parent?.end_type ?? draft.end_type)
  })
}

/** Puts an entry before one of its new siblings, or last, and numbers them anew. */
export async function move({ db }: Deps, { kid, target_parent_kid, before_kid }: In<Calls['move']>): Promise<Menu> {
  return change(db, async (trx, tree) => {
    const row = tree.row(kid)
    const parent = tree.place(target_parent_kid, row.type, kid)
    const siblings = tree.children(parent?.kid ?? null).filter((other) => other.kid !== kid)
    const found = siblings.findIndex((other) => other.kid === before_kid)
    if (before_kid !== null && before_kid !== kid && found < 0)
      throw new Refusal('bad_input', {}, { before_kid: { name: 'not_of_parent' } })
    // Before itself is where it is.
    if (before_kid === kid) return row
    const order = siblings.toSpliced(found < 0 ? siblings.length : found, 0, row).map((each) => each.kid)
    await trx
      .updateTable('menu_tree')
      .set({ p_id: parent?.kid ?? null })
      .where('kid', '=', kid)
      .execute()
    await sql`
      UPDATE menu_tree m SET sort = o.at * 10 FROM unnest(${order}::uuid[]) WITH ORDINALITY AS o(kid, at)
      WHERE m.kid = o.kid AND m.sort <> o.at * 10`.execute(trx)
    await takeSide(trx, tree, kid, parent?.end_type ?? row.end_type)
    return row
  })
}

export async function remove({ db }: Deps, kid: string): Promise<Menu> {
  return change(db, async (trx, tree) => {
    const row = tree.row(kid)
    if (tree.children(kid).length > 0) refuse('menu_has_children')
    await trx.deleteFrom('menu_tree').where('kid', '=', kid).execute()
    if (row.is_seeded) await noteRemoved(trx, row.code)
    return row
  })
}

/** One change at a time, so that no two of them together make a circle or lose a number. */
const change = <T>(db: Db, run: (trx: Db, tree: MenuTree) => Promise<T>): Promise<T> =>
  violation(
    () =>
      retrying(() =>
        db.transaction().execute(async (trx) => {
          await sql`LOCK TABLE menu_tree IN SHARE ROW EXCLUSIVE MODE`.execute(trx)
          return run(trx, await readTree(trx))
        }),
      ),
    { menu_tree_code_key: 'duplicate_code' },
  )

const readTree = async (db: Db): Promise<MenuTree> =>
  new MenuTree(await db.selectFrom('menu_tree').selectAll().orderBy('sort').orderBy('code').execute())

const entry = (tree: MenuTree, row: Menu): MenuEntry => ({
  ...row,
  encoding: tree.encoding(row),
  has_child: tree.children(row.kid).length > 0,
})

/** What stands below an entry is shown where the entry is: on the other side nobody would ever see it. */
async function takeSide(trx: Db, tree: MenuTree, kid: string, end_type: Menu['end_type']): Promise<void> {
  const kids = [kid, ...tree.below(kid).map((row) => row.kid)]
  await trx
    .updateTable('menu_tree')
    .set({ end_type })
    .where('kid', 'in', kids)
    .where('end_type', '!=', end_type)
    .execute()
}

function assertAccessCode(access_code: string | null): void {
  if (access_code === null || elementsOf([access_code]).length > 0) return
  throw new Refusal('bad_input', {}, { access_code: { name: 'permission_unknown' } })
}
