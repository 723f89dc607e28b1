import type { Actor } from '../../../actor.ts'
import type { Contract, In, Language, OscsBase } from '@mdm/contract'
import { sql } from 'kysely'
import { containing, readPage } from '../../../db/paging.ts'
import { violation } from '../../../db/violations.ts'
import { newKid } from '../../../lib/ids.ts'
import { refuse } from '../../../refusal.ts'
import { baseFiles } from './file-work.ts'
import { assertNamed, dropObjects, filesOf, keepFile, shownFile, taken, tell } from './files.ts'
import type { Db, FileRow } from './files.ts'
import { wake } from '../../../lib/background.ts'

type Calls = Contract['opsOscsBase']['calls']

const rowsOf = ({ deps }: Actor) =>
  deps.db
    .selectFrom('oscs_base')
    .innerJoin('oscs_model', 'oscs_model.kid', 'oscs_base.model_kid')
    .innerJoin('os_uid', 'os_uid.kid', 'oscs_model.uid_kid')
    .selectAll('oscs_base')
    .select((eb) => [
      'oscs_model.code as model_code',
      'os_uid.code as uid_code',
      eb
        .selectFrom('os_custom')
        .select(sql<number>`count(*)::int`.as('count'))
        .whereRef('os_custom.base_kid', '=', 'oscs_base.kid')
        .$asScalar()
        .as('custom_count'),
    ])
type Found = Awaited<ReturnType<ReturnType<typeof rowsOf>['executeTakeFirstOrThrow']>>

function shown(row: Found, files: readonly FileRow[], language: Language): OscsBase {
  const file = (kind: 'os' | 'config') =>
    shownFile(
      files.find((one) => one.base_kid === row.kid && one.kind === kind)!,
      language,
    )
  return {
    ...row,
    custom_count: row.custom_count ?? 0,
    os: file('os'),
    config: file('config'),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

export async function paging(who: Actor, input: In<Calls['paging']>, language: Language) {
  const { text, model_kid } = input
  const page = await readPage({
    query: rowsOf(who)
      .$if(Boolean(text), (q) =>
        q.where((eb) =>
          eb.or([
            eb(sql`lower(oscs_base.base_os_version)`, 'like', containing(text!)),
            eb(sql`lower(oscs_model.code)`, 'like', containing(text!)),
          ]),
        ),
      )
      .$if(model_kid !== undefined, (q) => q.where('oscs_base.model_kid', '=', model_kid!)),
    input,
    columns: {
      base_os_version: { ref: sql`lower(oscs_base.base_os_version)` },
      updated_at: { ref: sql`oscs_base.updated_at`, order: 'desc' },
    },
    key: sql`oscs_base.kid`,
  })
  const files = await filesOf(
    who,
    'base_kid',
    page.items.map(({ kid }) => kid),
  )
  return { ...page, items: page.items.map((row) => shown(row, files, language)) }
}

export async function get(who: Actor, kid: string, language: Language): Promise<OscsBase> {
  const row = await rowsOf(who).where('oscs_base.kid', '=', kid).executeTakeFirst()
  if (!row) return refuse('not_found')
  return shown(row, await filesOf(who, 'base_kid', [kid]), language)
}

/** The UID of a model, which nobody deletes or gives another UID until the end of the transaction. */
async function uidOf(trx: Db, model_kid: string): Promise<string> {
  const found = await trx
    .selectFrom('oscs_model')
    .innerJoin('os_uid', 'os_uid.kid', 'oscs_model.uid_kid')
    .select('os_uid.code')
    .where('oscs_model.kid', '=', model_kid)
    .forShare('oscs_model')
    .executeTakeFirst()
  return found ? found.code : refuse('oscs_model_unknown')
}

const unlessTaken = <T>(run: () => Promise<T>): Promise<T> => violation(run, { oscs_base_version: 'base_os_exists' })

export async function insert(actor: Actor, input: In<Calls['insert']>): Promise<string> {
  const { deps, user } = actor
  const { os_upload_kid, config_upload_kid, ...draft } = input
  const os = await taken(actor, 'os', os_upload_kid)
  const config = await taken(actor, 'config', config_upload_kid)
  const kid = newKid()
  const now = deps.clock.now()
  await unlessTaken(() =>
    deps.db.transaction().execute(async (trx) => {
      assertNamed(os.file_name, await uidOf(trx, draft.model_kid))
      await trx
        .insertInto('oscs_base')
        .values({ kid, ...draft, created_by_kid: user.kid, created_by: user.name, created_at: now, updated_at: now })
        .execute()
      for (const file of [os, config]) await keepFile(trx, actor, { base_kid: kid }, file)
    }),
  )
  wake(deps, baseFiles)
  tell(actor)
  return kid
}

/** What custom OS are built on is fixed while there are any: they would be others under the same name. */
export async function update(actor: Actor, input: In<Calls['update']>): Promise<string> {
  const { deps } = actor
  const { kid, os_upload_kid, config_upload_kid, ...said } = input
  const os = os_upload_kid === undefined ? undefined : await taken(actor, 'os', os_upload_kid)
  const config = config_upload_kid === undefined ? undefined : await taken(actor, 'config', config_upload_kid)
  const { name, objects } = await unlessTaken(() =>
    deps.db.transaction().execute(async (trx) => {
      const old = await locked(trx, kid)
      const next = { ...old, ...said }
      const fixed = ['model_kid', 'base_os_version', 'version_code'] as const
      const is_other = fixed.some((field) => next[field] !== old[field])
      if (is_other || os || config) await assertUnused(trx, kid)
      const uid = await uidOf(trx, next.model_kid)
      if (os || next.model_kid !== old.model_kid) assertNamed(os?.file_name ?? (await osNameOf(trx, kid)), uid)
      await trx
        .updateTable('oscs_base')
        .set({ ...said, updated_at: deps.clock.now() })
        .where('kid', '=', kid)
        .execute()
      const objects: string[] = []
      for (const file of [os, config]) if (file) objects.push(...(await keepFile(trx, actor, { base_kid: kid }, file)))
      return { name: next.base_os_version, objects }
    }),
  )
  await dropObjects(actor, objects)
  if (os || config) wake(deps, baseFiles)
  tell(actor)
  return name
}

const osNameOf = async (trx: Db, base_kid: string): Promise<string> =>
  (
    await trx
      .selectFrom('oscs_file')
      .select('file_name')
      .where('base_kid', '=', base_kid)
      .where('kind', '=', 'os')
      .executeTakeFirstOrThrow()
  ).file_name

export async function remove(actor: Actor, kid: string): Promise<string> {
  const { name, objects } = await actor.deps.db.transaction().execute(async (trx) => {
    const old = await locked(trx, kid)
    await assertUnused(trx, kid)
    const files = await trx.deleteFrom('oscs_file').where('base_kid', '=', kid).returning('object').execute()
    await trx.deleteFrom('oscs_base').where('kid', '=', kid).execute()
    return { name: old.base_os_version, objects: files.map(({ object }) => object) }
  })
  await dropObjects(actor, objects)
  tell(actor)
  return name
}

const locked = async (trx: Db, kid: string) =>
  (await trx.selectFrom('oscs_base').selectAll().where('kid', '=', kid).forUpdate().executeTakeFirst()) ??
  refuse('not_found')

async function assertUnused(trx: Db, kid: string): Promise<void> {
  const { count } = await trx
    .selectFrom('os_custom')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('base_kid', '=', kid)
    .executeTakeFirstOrThrow()
  if (count > 0) refuse('oscs_base_in_use', { count })
}
