import type { In, Contract } from '@mdm/contract'
import { sql } from 'kysely'
import type { Actor } from '../../actor.ts'
import { containing, readPage } from '../../db/paging.ts'
import { violation } from '../../db/violations.ts'
import { refuse } from '../../refusal.ts'
import { newKid } from '../../lib/ids.ts'

type Calls = Contract['opsClientCode']['calls']

export const paging = ({ scope }: Actor, input: In<Calls['paging']>) =>
  readPage({
    query: scope
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

export const get = async ({ scope }: Actor, kid: string) =>
  (await scope.selectFrom('client_code').selectAll().where('kid', '=', kid).executeTakeFirst()) ?? refuse('not_found')

/** Which of the given names are held by another row than `src_kid`. */
export async function taken(
  { scope }: Actor,
  { code, name, src_kid }: In<Calls['exists']>,
): Promise<('code' | 'name')[]> {
  const rows = await scope
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

export async function insert({ deps, scope }: Actor, draft: In<Calls['insert']>) {
  const now = deps.clock.now()
  return unlessTaken(() =>
    scope
      .insertInto('client_code')
      .values({ kid: newKid(), ...draft, created_at: now, updated_at: now })
      .returningAll()
      .executeTakeFirstOrThrow(),
  )
}

export async function update({ deps, scope }: Actor, { kid, ...draft }: In<Calls['update']>) {
  const row = await unlessTaken(() =>
    scope
      .updateTable('client_code')
      .set({ ...draft, updated_at: deps.clock.now() })
      .where('kid', '=', kid)
      .returningAll()
      .executeTakeFirst(),
  )
  return row ?? refuse('not_found')
}

export const remove = async ({ scope }: Actor, kid: string) =>
  (await scope.deleteFrom('client_code').where('kid', '=', kid).returningAll().executeTakeFirst()) ??
  refuse('not_found')

/** The unique indexes decide, so that two people who save at once cannot both succeed. */
const unlessTaken = <T>(run: () => Promise<T>): Promise<T> =>
  violation(run, { client_code_code: 'duplicate_code', client_code_name: 'duplicate_name' })
