import type { In, Contract } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { containing, readPage } from '../../db/paging.ts'
import type { Tables } from '../../db/schema/tables.ts'
import { violation } from '../../db/violations.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../refusal.ts'
import { newKid } from '../../lib/ids.ts'

type Calls = Contract['opsClientCode']['calls']
type Db = Kysely<Tables>

export const paging = (db: Db, input: In<Calls['paging']>) =>
  readPage({
    query: db
      .selectFrom('client_code')
      .selectAll()
      .$if(Boolean(input.text), (q) =>
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

export const get = async (db: Db, kid: string) =>
  (await db.selectFrom('client_code').selectAll().where('kid', '=', kid).executeTakeFirst()) ?? refuse('not_found')

/** Which of the given names are held by another row than `src_kid`. */
export async function taken(db: Db, { code, name, src_kid }: In<Calls['exists']>): Promise<('code' | 'name')[]> {
  const rows = await db
    .selectFrom('client_code')
    .select(['code', 'name'])
    .where((eb) =>
      eb.or([
        eb(sql`lower(code)`, '=', (code ?? '').toLowerCase()),
        eb(sql`lower(name)`, '=', (name ?? '').toLowerCase()),
      ]),
    )
    .$if(src_kid !== undefined, (q) => q.where('kid', '!=', src_kid!))
    .execute()
  return rows.flatMap((row) => [
    ...(row.code.toLowerCase() === code?.toLowerCase() ? (['code'] as const) : []),
    ...(row.name.toLowerCase() === name?.toLowerCase() ? (['name'] as const) : []),
  ])
}

export async function insert({ db, clock }: Deps, draft: In<Calls['insert']>) {
  const now = clock.now()
  return unlessTaken(() =>
    db
      .insertInto('client_code')
      .values({ kid: newKid(), ...draft, created_at: now, updated_at: now })
      .returningAll()
      .executeTakeFirstOrThrow(),
  )
}

export async function update({ db, clock }: Deps, { kid, ...draft }: In<Calls['update']>) {
  const row = await unlessTaken(() =>
    db
      .updateTable('client_code')
      .set({ ...draft, updated_at: clock.now() })
      .where('kid', '=', kid)
      .returningAll()
      .executeTakeFirst(),
  )
  return row ?? refuse('not_found')
}

export const remove = async (db: Db, kid: string) =>
  (await db.deleteFrom('client_code').where('kid', '=', kid).returningAll().executeTakeFirst()) ?? refuse('not_found')

/** The unique indexes decide, so that two people who save at once cannot both succeed. */
const unlessTaken = <T>(run: () => Promise<T>): Promise<T> =>
  violation(run, { client_code_code: 'duplicate_code', client_code_name: 'duplicate_name' })
