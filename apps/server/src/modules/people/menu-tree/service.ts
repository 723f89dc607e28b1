import { elementsOf, holds } from '@mdm/contract'
import type { Selectable } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { refuse } from '../../../refusal.ts'
import type { Ctx, SignedIn } from '../../../http/context.ts'
import { newKid } from '../../../lib/ids.ts'
import { missingEntries } from './delivered.ts'
import { seedLevels } from './seed.ts'

export type Menu = Selectable<Tables['menu_tree']>

/** Inserts the delivered entries that are missing, parents first. What was edited or deleted since stays as it is. */
export async function ensureMenus({ db }: Pick<Deps, 'db'>): Promise<void> {
  const levels = await missingEntries(db, seedLevels())
  if (levels.flat().length === 0) return
  await db.transaction().execute(async (trx) => {
    for (const level of levels.filter(({ length }) => length > 0)) {
      const there = await trx.selectFrom('menu_tree').select(['kid', 'code']).execute()
      const kids = new Map(there.map((row) => [row.code, row.kid]))
      const rows = level.map(({ parent, name, ...entry }) => ({
        ...entry,
        kid: newKid(),
        p_id: parent === null ? null : kids.get(parent)!,
        name: JSON.stringify(name),
        is_seeded: true,
      }))
      await trx
        .insertInto('menu_tree')
        .values(rows)
        .onConflict((oc) => oc.column('code').doNothing())
        .execute()
    }
  })
}

/** What the caller sees below `p_id`. Refused as `not_found` when there is no such entry. */
export async function list({ scope, session }: Ctx, p_id: string): Promise<Menu[]> {
  const menus = await scope
    .selectFrom('menu_tree')
    .selectAll()
    .where('end', '=', 'web')
    .orderBy('sort')
    .orderBy('code')
    .execute()
  if (p_id !== 'ROOT' && !menus.some((menu) => menu.kid === p_id)) return refuse('not_found')
  return visibleMenus(menus, session, p_id === 'ROOT' ? null : p_id)
}

/** The rules of specification, 6, on the whole tree in order: shown, permitted, of the caller's side, not empty. */
export function visibleMenus(menus: Menu[], session: SignedIn, p_id: string | null): Menu[] {
  const is_outside = session.account_type === 101 && session.enter_kid === null
  const isShown = (menu: Menu): boolean =>
    menu.visible === 1 &&
    menu.end_type === (is_outside ? 2 : 1) &&
    (menu.access_code === null || holdsSome(session.permissions, menu.access_code)) &&
    !(menu.code === 'operationLogList' && is_outside)
  const shown = menus.filter(isShown)
  const isContainer = (menu: Menu): boolean => menu.type === 'module' || menu.type === 'group'
  const below = (parent: string | null): Menu[] =>
    shown
      .filter((menu) => menu.p_id === parent)
      .flatMap((menu) => {
        const inner = below(menu.kid)
        return isContainer(menu) && inner.length === 0 ? [] : [menu, ...inner]
      })
  return below(p_id)
}

/** Whether any of the permissions that an entry's name or pattern stands for is held. */
const holdsSome = (held: readonly string[], access_code: string): boolean =>
  elementsOf([access_code]).some((permission) => holds(held, permission))
