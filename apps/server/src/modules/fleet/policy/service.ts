import type { Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import { containing, readPage } from '../../../db/paging.ts'
import { violation } from '../../../db/violations.ts'
import type { Deps } from '../../../deps.ts'
import { refuse } from '../../../refusal.ts'
import { newKid } from '../../../lib/ids.ts'

type Calls = Contract['opsPolicy']['calls']

export const paging = ({ db }: Deps, input: In<Calls['paging']>) =>
  readPage({
    query: db
      .selectFrom('policy')
      .selectAll()
      .$if(Boolean(input.text), (q) => q.where(sql`lower(name)`, 'like', containing(input.text!))),
    input,
    columns: {
      name: { ref: sql`name` },
      days: { ref: sql`days` },
      updated_at: { ref: sql`updated_at`, order: 'desc' },
    },
    key: sql`kid`,
  })

export async function exists({ db }: Deps, { name, src_kid }: In<Calls['exists']>): Promise<boolean> {
  const found = await db
    .selectFrom('policy')
    .select('kid')
    .where(sql`lower(name)`, '=', name.toLowerCase())
    .$if(src_kid !== undefined, (q) => q.where('kid', '!=', src_kid!))
    .executeTakeFirst()
  return found !== undefined
}

export const assertThere = async ({ db }: Deps, kid: string): Promise<void> =>
  void ((await db.selectFrom('policy').select('kid').where('kid', '=', kid).executeTakeFirst()) ?? refuse('not_found'))

export function insert({ db, clock }: Deps, draft: In<Calls['insert']>) {
  const now = clock.now()
  return unlessTaken(() =>
    db
      .insertInto('policy')
      .values({ kid: newKid(), ...draft, created_at: now, updated_at: now })
      .returningAll()
      .executeTakeFirstOrThrow(),
  )
}

/** Devices that are on it keep the days that were agreed on when they came. */
export async function update({ db, clock }: Deps, { kid, ...draft }: In<Calls['update']>) {
  const row = await unlessTaken(() =>
    db
      .updateTable('policy')
      .set({ ...draft, updated_at: clock.now() })
      .where('kid', '=', kid)
      .returningAll()
      .executeTakeFirst(),
  )
  return row ?? refuse('not_found')
}

/** One that holds devices, or is about to, stays. */
export const remove = ({ db }: Deps, kid: string) =>
  db.transaction().execute(async (trx) => {
    const found = await trx.selectFrom('policy').selectAll().where('kid', '=', kid).forUpdate().executeTakeFirst()
    if (!found) return refuse('not_found')
    const running = await trx
      .selectFrom('batch_job')
      .select('kid')
      .where('policy_kid', '=', kid)
      .where('state', '=', 'running')
      .executeTakeFirst()
    if (found.terminal_count > 0 || running) return refuse('policy_in_use')
    await trx.deleteFrom('policy').where('kid', '=', kid).execute()
    return found
  })

const unlessTaken = <T>(run: () => Promise<T>): Promise<T> => violation(run, { policy_name: 'duplicate_name' })
