import type { Actor } from '../../../actor.ts'
import type { Contract, In, Language, OscsModel } from '@mdm/contract'
import { oscs_choices_max } from '@mdm/contract'
import { sql } from 'kysely'
import { containing, readPage } from '../../../db/paging.ts'
import { violation } from '../../../db/violations.ts'
import { newKid } from '../../../lib/ids.ts'
import { refuse } from '../../../refusal.ts'
import { baseFiles } from './file-work.ts'
import { dropObjects, filesOf, keepFile, shownFile, taken, tell } from './files.ts'
import type { Db, FileRow } from './files.ts'
import { wake } from '../../../lib/background.ts'

type Calls = Contract['opsOscsModel']['calls']

const rowsOf = ({ deps }: Actor) =>
  deps.db
    .selectFrom('oscs_model')
    .innerJoin('os_uid', 'os_uid.kid', 'oscs_model.uid_kid')
    .selectAll('oscs_model')
    .select((eb) => [
      'os_uid.code as uid_code',
      'os_uid.display_name as uid_name',
      eb
        .selectFrom('oscs_base')
        .select(sql<number>`count(*)::int`.as('count'))
        .whereRef('oscs_base.model_kid', '=', 'oscs_model.kid')
        .$asScalar()
        .as('base_count'),
    ])
type Found = Awaited<ReturnType<ReturnType<typeof rowsOf>['executeTakeFirstOrThrow']>>

const shown = (row: Found, files: readonly FileRow[], language: Language): OscsModel => ({
  ...row,
  base_count: row.base_count ?? 0,
  sum: shownFile(
    files.find(({ model_kid }) => model_kid === row.kid)!,
    language,
  ),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})

export async function paging(who: Actor, input: In<Calls['paging']>, language: Language) {
  const { text } = input
  const page = await readPage({
    query: rowsOf(who).$if(Boolean(text), (q) =>
      q.where((eb) =>
        eb.or([
          eb(sql`lower(oscs_model.code)`, 'like', containing(text!)),
          eb(sql`lower(oscs_model.name)`, 'like', containing(text!)),
          eb(sql`lower(os_uid.code)`, 'like', containing(text!)),
        ]),
      ),
    ),
    input,
    columns: {
      code: { ref: sql`lower(oscs_model.code)` },
      updated_at: { ref: sql`oscs_model.updated_at`, order: 'desc' },
    },
    key: sql`oscs_model.kid`,
  })
  const files = await filesOf(
    who,
    'model_kid',
    page.items.map(({ kid }) => kid),
  )
  return { ...page, items: page.items.map((row) => shown(row, files, language)) }
}

export async function get(who: Actor, kid: string, language: Language): Promise<OscsModel> {
  const row = await rowsOf(who).where('oscs_model.kid', '=', kid).executeTakeFirst()
  if (!row) return refuse('not_found')
  return shown(row, await filesOf(who, 'model_kid', [kid]), language)
}

export async function listUid({ deps }: Actor, { text, kid }: In<Calls['list_uid']>) {
  const rows = deps.db.selectFrom('os_uid').select(['kid', 'code', 'display_name']).where('type', '=', 'standard')
  const found = await rows
    .$if(Boolean(text), (q) =>
      q.where((eb) =>
        eb.or([
          eb(sql`lower(code)`, 'like', containing(text!)),
          eb(sql`lower(display_name)`, 'like', containing(text!)),
        ]),
      ),
    )
    .orderBy('code')
    .limit(oscs_choices_max)
    .execute()
  if (kid === undefined || found.some((row) => row.kid === kid)) return found
  const own = await rows.where('kid', '=', kid).executeTakeFirst()
  return own ? [own, ...found.slice(0, oscs_choices_max - 1)] : found
}

/** The UID of a standard OS, which nobody deletes until the end of the transaction. */
async function assertStandard(trx: Db, kid: string): Promise<void> {
  const uid = await trx.selectFrom('os_uid').select('type').where('kid', '=', kid).forShare().executeTakeFirst()
  if (uid?.type !== 'standard') refuse('uid_base_wrong')
}

const unlessTaken = <T>(run: () => Promise<T>): Promise<T> => violation(run, { oscs_model_code: 'duplicate_model' })

export async function insert(actor: Actor, { sum_upload_kid, ...draft }: In<Calls['insert']>): Promise<string> {
  const { deps, user } = actor
  const file = await taken(actor, 'sum', sum_upload_kid)
  const kid = newKid()
  const now = deps.clock.now()
  await unlessTaken(() =>
    deps.db.transaction().execute(async (trx) => {
      await assertStandard(trx, draft.uid_kid)
      await trx
        .insertInto('oscs_model')
        .values({ kid, ...draft, created_by_kid: user.kid, created_by: user.name, created_at: now, updated_at: now })
        .execute()
      await keepFile(trx, actor, { model_kid: kid }, file)
    }),
  )
  wake(deps, baseFiles)
  tell(actor)
  return kid
}

/** A new platform package goes into builds from now on; those that are under way keep the one that they began with. */
export async function update(actor: Actor, { kid, sum_upload_kid, ...said }: In<Calls['update']>): Promise<string> {
  const { deps } = actor
  const file = sum_upload_kid === undefined ? undefined : await taken(actor, 'sum', sum_upload_kid)
  const { code, objects } = await unlessTaken(() =>
    deps.db.transaction().execute(async (trx) => {
      const old = await locked(trx, kid)
      if (said.uid_kid !== undefined && said.uid_kid !== old.uid_kid) {
        await assertUnused(trx, kid)
        await assertStandard(trx, said.uid_kid)
      }
      if (file && (await isBuilding(trx, kid))) refuse('os_build_of_base')
      await trx
        .updateTable('oscs_model')
        .set({ ...said, updated_at: deps.clock.now() })
        .where('kid', '=', kid)
        .execute()
      return {
        code: said.code ?? old.code,
        objects: file ? await keepFile(trx, actor, { model_kid: kid }, file) : [],
      }
    }),
  )
  await dropObjects(actor, objects)
  if (file) wake(deps, baseFiles)
  tell(actor)
  return code
}

export async function remove(actor: Actor, kid: string): Promise<string> {
  const { code, objects } = await actor.deps.db.transaction().execute(async (trx) => {
    const old = await locked(trx, kid)
    await assertUnused(trx, kid)
    const files = await trx.deleteFrom('oscs_file').where('model_kid', '=', kid).returning('object').execute()
    await trx.deleteFrom('oscs_model').where('kid', '=', kid).execute()
    return { code: old.code, objects: files.map(({ object }) => object) }
  })
  await dropObjects(actor, objects)
  tell(actor)
  return code
}

const locked = async (trx: Db, kid: string) =>
  (await trx.selectFrom('oscs_model').selectAll().where('kid', '=', kid).forUpdate().executeTakeFirst()) ??
  refuse('not_found')

async function assertUnused(trx: Db, kid: string): Promise<void> {
  const { count } = await trx
    .selectFrom('oscs_base')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('model_kid', '=', kid)
    .executeTakeFirstOrThrow()
  if (count > 0) refuse('oscs_model_in_use', { count })
}

/** Whether a build that is not over, of any account, was begun with the platform package of this model. */
async function isBuilding(trx: Db, kid: string): Promise<boolean> {
  const found = await trx
    .selectFrom('os_build')
    .innerJoin('os_custom', 'os_custom.kid', 'os_build.os_custom_kid')
    .innerJoin('oscs_base', 'oscs_base.kid', 'os_custom.base_kid')
    .select('os_build.kid')
    .where('oscs_base.model_kid', '=', kid)
    .where('os_build.state', 'in', ['waiting', 'running'])
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}
