import type { ApiAuthorisationRow, Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { containing, readPage } from '../../../db/paging.ts'
import { violation } from '../../../db/violations.ts'
import type { Deps } from '../../../deps.ts'
import { objectSource } from '../../../files/object-store.ts'
import { wholeUpload } from '../../../files/own-upload.ts'
import type { Ctx } from '../../../http/context.ts'
import { newKid } from '../../../lib/ids.ts'
import { refuse } from '../../../refusal.ts'
import { inWorker, requesterOf } from '../../../workers/service.ts'
import { changeLists } from './lists.ts'
import type { Db } from './lists.ts'

type Calls = Contract['opsOsMdmApi']['calls']
type Draft = In<Calls['insert']>
const choices_max = 50

export const paging = ({ db }: Deps, input: In<Calls['paging']>) =>
  readPage({
    query: db
      .selectFrom('api_authorisation as a')
      .$if(Boolean(input.text), (q) =>
        q.where((eb) => {
          const wanted = containing(input.text!)
          const digits = containing(input.text!.replaceAll(':', ''))
          return eb.or([
            eb(sql`lower(a.package)`, 'like', wanted),
            eb('a.cert_sha1', 'like', digits),
            eb(sql`lower(a.remark)`, 'like', wanted),
          ])
        }),
      )
      .$if(input.uid_kid !== undefined, (q) =>
        q.where('a.kid', 'in', (eb) =>
          eb.selectFrom('api_authorisation_uid').select('api_authorisation_kid').where('uid_kid', '=', input.uid_kid!),
        ),
      ),
    hydrate: (kids) => rowsOf(db, kids),
    input,
    columns: { updated_at: { ref: sql`a.updated_at`, order: 'desc' }, package: { ref: sql`a.package` } },
    key: sql`a.kid`,
  })

async function rowsOf(db: Db, kids: readonly string[]): Promise<ApiAuthorisationRow[]> {
  const rows = await db
    .selectFrom('api_authorisation')
    .select(['kid', 'package', 'cert_sha1', 'remark', 'updated_by', 'created_at', 'updated_at'])
    .select(sql<number>`cardinality(methods)`.as('method_count'))
    .select((eb) =>
      eb
        .selectFrom('api_authorisation_uid as c')
        .innerJoin('os_uid as u', 'u.kid', 'c.uid_kid')
        .whereRef('c.api_authorisation_kid', '=', 'api_authorisation.kid')
        .select(
          sql<ApiAuthorisationRow['uids']>`COALESCE(jsonb_agg(jsonb_build_object('kid', u.kid, 'code', u.code,
            'display_name', u.display_name) ORDER BY u.code), '[]')`.as('uids'),
        )
        .$asScalar()
        .$notNull()
        .as('uids'),
    )
    .where('kid', '=', sql<string>`any(${[...kids]}::uuid[])`)
    .execute()
  return rows.map(({ created_at, updated_at, ...row }) => ({
    ...row,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  }))
}

async function rowOf(db: Db, kid: string): Promise<ApiAuthorisationRow> {
  const [row] = await rowsOf(db, [kid])
  return row ?? refuse('not_found')
}

export async function get({ db }: Deps, kid: string) {
  const row = await rowOf(db, kid)
  const { methods } = await db
    .selectFrom('api_authorisation')
    .select('methods')
    .where('kid', '=', kid)
    .executeTakeFirstOrThrow()
  return { ...row, methods }
}

export const listUids = ({ db }: Deps, text: string | undefined) =>
  db
    .selectFrom('os_uid')
    .select(['kid', 'code', 'display_name'])
    .$if(Boolean(text), (q) =>
      q.where((eb) =>
        eb.or([
          eb(sql`lower(code)`, 'like', containing(text!)),
          eb(sql`lower(display_name)`, 'like', containing(text!)),
        ]),
      ),
    )
    .orderBy('code')
    .orderBy('kid')
    .limit(choices_max)
    .execute()

/** Whose app it is, as the package itself says and proves. The upload is not kept. */
export async function inspect(ctx: Ctx, upload_kid: string) {
  const { deps, scope, user } = ctx
  const upload = await wholeUpload(deps, scope, user.kid, upload_kid)
  if (upload.claimed_at) return refuse('not_found')
  const source = objectSource(deps.objects, upload.object, upload.size)
  const facts = await inWorker(deps, 'package', {}, source, requesterOf(ctx))
  return { package: facts.package, label: facts.label, version_name: facts.version_name, signers: facts.signers }
}

const unlessTaken = <T>(run: () => Promise<T>): Promise<T> =>
  violation(run, { api_authorisation_app: 'api_app_taken', api_authorisation_uid_uid_kid_fkey: 'os_uid_unknown' })

export async function insert(actor: Actor, { uid_kids, ...draft }: Draft): Promise<ApiAuthorisationRow> {
  const { deps, user } = actor
  const kid = newKid()
  const now = deps.clock.now()
  await unlessTaken(() =>
    changeLists(actor, async (trx) => {
      const by = { created_by: user.name, created_at: now, updated_by: user.name, updated_at: now }
      await trx
        .insertInto('api_authorisation')
        .values({ kid, ...draft, methods: [...new Set(draft.methods)], ...by })
        .execute()
      await setUids(trx, kid, uid_kids)
      return uid_kids
    }),
  )
  return rowOf(deps.db, kid)
}

export async function update(actor: Actor, { kid, ...changed }: In<Calls['update']>): Promise<ApiAuthorisationRow> {
  const { deps, user } = actor
  const { uid_kids, methods, ...draft } = changed
  await unlessTaken(() =>
    changeLists(actor, async (trx) => {
      const before = await lockUids(trx, kid)
      await trx
        .updateTable('api_authorisation')
        .set({
          ...draft,
          ...(methods && { methods: [...new Set(methods)] }),
          updated_by: user.name,
          updated_at: deps.clock.now(),
        })
        .where('kid', '=', kid)
        .execute()
      if (uid_kids) await setUids(trx, kid, uid_kids)
      return [...before, ...(uid_kids ?? [])]
    }),
  )
  return rowOf(deps.db, kid)
}

export async function remove(actor: Actor, kid: string): Promise<string> {
  const { package: name } = await rowOf(actor.deps.db, kid)
  await changeLists(actor, async (trx) => {
    const before = await lockUids(trx, kid)
    await trx.deleteFrom('api_authorisation').where('kid', '=', kid).execute()
    return before
  })
  return name
}

/** The UIDs of one that nobody else changes until the transaction ends. */
async function lockUids(trx: Db, kid: string): Promise<string[]> {
  const found = await trx.selectFrom('api_authorisation').select('kid').where('kid', '=', kid).forUpdate().execute()
  if (found.length === 0) refuse('not_found')
  const uids = await trx
    .selectFrom('api_authorisation_uid')
    .select('uid_kid')
    .where('api_authorisation_kid', '=', kid)
    .execute()
  return uids.map(({ uid_kid }) => uid_kid)
}

async function setUids(trx: Db, api_authorisation_kid: string, uid_kids: readonly string[]): Promise<void> {
  await trx.deleteFrom('api_authorisation_uid').where('api_authorisation_kid', '=', api_authorisation_kid).execute()
  await trx
    .insertInto('api_authorisation_uid')
    .values([...new Set(uid_kids)].map((uid_kid) => ({ api_authorisation_kid, uid_kid })))
    .execute()
}
