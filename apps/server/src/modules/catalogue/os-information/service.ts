import { kidOf } from '@mdm/contract'
import type { Answer, In, InformationCalls, InformationName } from '@mdm/contract'
import { sql } from 'kysely'
import type { ExpressionBuilder, Kysely, Selectable } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { containing, readPage } from '../../../db/paging.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { violation } from '../../../db/violations.ts'
import { newKid } from '../../../lib/ids.ts'
import { refuse } from '../../../refusal.ts'

type Db = Kysely<Tables>
type Row = Selectable<Tables['os_information']>
type Draft = In<InformationCalls['insert']>

/** UIDs that use a row of the list. */
const uidCount = (list: InformationName) => (eb: ExpressionBuilder<Tables, 'os_information'>) =>
  eb
    .selectFrom('os_uid')
    .select(sql<number>`count(*)::int`.as('n'))
    .whereRef(`os_uid.${kidOf(list)}`, '=', 'os_information.kid')
    .as('uid_count')

const rowsOf = (scope: Db, list: InformationName) =>
  scope.selectFrom('os_information').selectAll().select(uidCount(list)).where('list', '=', list)

/** Details are absent where the list has none of them. */
const shown = <R extends Row>(row: R): Answer<InformationCalls['get']> & Pick<R, 'kid'> =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as never

export async function paging({ scope }: Actor, list: InformationName, input: In<InformationCalls['paging']>) {
  const page = await readPage({
    query: rowsOf(scope, list).$if(Boolean(input.text), (q) =>
      q.where((eb) =>
        eb.or([
          eb(sql`lower(code)`, 'like', containing(input.text!)),
          eb(sql`lower(name)`, 'like', containing(input.text!)),
        ]),
      ),
    ),
    input,
    columns: {
      code: { ref: sql`code` },
      name: { ref: sql`name` },
      updated_at: { ref: sql`updated_at`, order: 'desc' },
    },
    key: sql`kid`,
  })
  return { ...page, items: page.items.map(shown) }
}

export async function get({ scope }: { scope: Db }, list: InformationName, kid: string) {
  const row = await rowsOf(scope, list).where('kid', '=', kid).executeTakeFirst()
  return row ? shown(row) : refuse('not_found')
}

/** Which of the given codes and names other rows of the list than `src_kid` have, in lower case. */
export async function taken(
  { scope }: Actor,
  list: InformationName,
  { codes, names, src_kid }: { codes: readonly string[]; names: readonly string[]; src_kid?: string | undefined },
): Promise<{ codes: Set<string>; names: Set<string> }> {
  const lower = (texts: readonly string[]) => texts.map((text) => text.toLowerCase())
  const any = (texts: readonly string[]) => sql<string>`any(${lower(texts)}::text[])`
  const rows = await scope
    .selectFrom('os_information')
    .select([sql<string>`lower(code)`.as('code'), sql<string>`lower(name)`.as('name')])
    .where('list', '=', list)
    .where((eb) => eb.or([eb(sql`lower(code)`, '=', any(codes)), eb(sql`lower(name)`, '=', any(names))]))
    .$if(src_kid !== undefined, (q) => q.where('kid', '!=', src_kid!))
    .execute()
  const asked = { codes: new Set(lower(codes)), names: new Set(lower(names)) }
  return {
    codes: new Set(rows.map(({ code }) => code).filter((code) => asked.codes.has(code))),
    names: new Set(rows.map(({ name }) => name).filter((name) => asked.names.has(name))),
  }
}

export async function insert(actor: Actor, list: InformationName, draft: Draft) {
  const { deps, scope } = actor
  const now = deps.clock.now()
  const { kid } = await unlessTaken(() =>
    scope
      .insertInto('os_information')
      .values({ kid: newKid(), list, ...draft, created_at: now, updated_at: now })
      .returning('kid')
      .executeTakeFirstOrThrow(),
  )
  return get(actor, list, kid)
}

/** A code is part of the UIDs that use it, which are part of devices: it stays as it is while there are any. */
export const update = ({ deps, scope }: Actor, list: InformationName, input: In<InformationCalls['update']>) =>
  unlessTaken(() =>
    scope.transaction().execute(async (trx) => {
      const { kid, ...draft } = input
      // Who makes a UID of it meanwhile waits, or has it made before.
      const old = await trx
        .selectFrom('os_information')
        .select('code')
        .where('kid', '=', kid)
        .where('list', '=', list)
        .forUpdate()
        .executeTakeFirst()
      if (!old) return refuse('not_found')
      if (old.code !== draft.code) await assertUnused(trx, list, kid)
      await trx
        .updateTable('os_information')
        .set({ ...draft, updated_at: deps.clock.now() })
        .where('kid', '=', kid)
        .execute()
      return get({ scope: trx }, list, kid)
    }),
  )

export const remove = ({ scope }: Actor, list: InformationName, kid: string) =>
  scope.transaction().execute(async (trx) => {
    const query = trx.selectFrom('os_information').select('code').where('kid', '=', kid).where('list', '=', list)
    const row = await query.forUpdate().executeTakeFirst()
    if (!row) return refuse('not_found')
    await assertUnused(trx, list, kid)
    await trx.deleteFrom('os_information').where('kid', '=', kid).execute()
    return row
  })

async function assertUnused(trx: Db, list: InformationName, kid: string): Promise<void> {
  const { uid_count } = await get({ scope: trx }, list, kid)
  if (uid_count > 0) refuse('information_in_use', { count: uid_count })
}

/** Adds all rows but those whose code or name somebody has used since the sheet was looked at. */
export async function importRows({ deps, scope }: Actor, list: InformationName, drafts: readonly Draft[]) {
  const now = deps.clock.now()
  const rows = drafts.map((draft) => ({ kid: newKid(), list, ...draft, created_at: now, updated_at: now }))
  const made = await scope
    .insertInto('os_information')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .returning('kid')
    .execute()
  const kids = new Set(made.map(({ kid }) => kid))
  return { imported: rows.filter(({ kid }) => kids.has(kid)), left_out: rows.filter(({ kid }) => !kids.has(kid)) }
}

/** The unique indexes decide, so that two people who save at once cannot both succeed. */
const unlessTaken = <T>(run: () => Promise<T>): Promise<T> =>
  violation(run, { os_information_code: 'duplicate_code', os_information_name: 'duplicate_name' })
