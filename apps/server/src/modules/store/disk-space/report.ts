import { contentTypes } from '@mdm/contract'
import type { Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { containing, readPage } from '../../../db/paging.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'

type Calls = Contract['opsContentReport']['calls']
type Db = Kysely<Tables>
type Period = { from: Date; to: Date }
const default_ms = 30 * 24 * 3_600_000

/** What customers and sub-accounts store, and what they pushed in the period. */
export async function paging({ db, clock }: Deps, input: In<Calls['paging']>) {
  const period = periodOf(clock.now(), input)
  return readPage({
    query: stored(db).$if(Boolean(input.text), (q) => q.where(sql`lower(a.name)`, 'like', containing(input.text!))),
    // Pushes are counted for the accounts on the page only.
    hydrate: (kids) =>
      stored(db)
        .innerJoinLateral(
          () =>
            pushes(db, period)
              .where('account_kid', '=', sql<string>`a.kid`)
              .as('pushed'),
          (join) => join.onTrue(),
        )
        .select(['a.kid', 'a.name', 'a.type'])
        .select(['f.item_count as file_count', 'f.used_bytes as file_used', spaceIn('f').as('file_space')])
        .select(['p.item_count as app_count', 'p.used_bytes as app_used', spaceIn('p').as('app_space')])
        .select(['pushed.push_count', 'pushed.download_count', 'pushed.failed_count'])
        .where('a.kid', '=', sql<string>`any(${kids}::uuid[])`)
        .execute(),
    input,
    columns: {
      name: { ref: sql`lower(a.name)` },
      file_used: { ref: sql`f.used_bytes`, order: 'desc' },
      file_count: { ref: sql`f.item_count`, order: 'desc' },
      app_used: { ref: sql`p.used_bytes`, order: 'desc' },
    },
    key: sql`a.kid`,
  })
}

export async function total({ db, clock }: Deps, input: In<Calls['total']>) {
  const sum = (column: string) => sql<number>`COALESCE(sum(${sql.ref(column)}), 0)::bigint`
  // Sub-accounts have no space beside their customer's.
  const customers = (column: string) =>
    sql<number>`COALESCE(sum(${sql.ref(column)}) FILTER (WHERE a.type = 1), 0)::bigint`
  const space = await stored(db)
    .select([sum('f.item_count').as('file_count'), sum('f.used_bytes').as('file_used')])
    .select([sum('p.item_count').as('app_count'), sum('p.used_bytes').as('app_used')])
    .select([customers('f.max_bytes').as('file_space'), customers('p.max_bytes').as('app_space')])
    .executeTakeFirstOrThrow()
  const pushed = await db
    .selectFrom('account as a')
    .innerJoinLateral(
      () =>
        pushes(db, periodOf(clock.now(), input))
          .where('account_kid', '=', sql<string>`a.kid`)
          .as('pushed'),
      (join) => join.onTrue(),
    )
    .where('a.type', 'in', [1, 2])
    .select([sum('pushed.push_count').as('push_count'), sum('pushed.download_count').as('download_count')])
    .select(sum('pushed.failed_count').as('failed_count'))
    .executeTakeFirstOrThrow()
  return { ...space, ...pushed }
}

const stored = (db: Db) =>
  db
    .selectFrom('account as a')
    .innerJoin('disk_space as f', (join) => join.onRef('f.account_kid', '=', 'a.kid').on('f.area', '=', 'file_disk'))
    .innerJoin('disk_space as p', (join) => join.onRef('p.account_kid', '=', 'a.kid').on('p.area', '=', 'app_center'))
    .where('a.type', 'in', [1, 2])

/** What an account `a` may store at most: its share, or without one what its customer may. */
export const spaceIn = (alias: string) =>
  sql<number>`COALESCE(${sql.ref(`${alias}.max_bytes`)}, (SELECT above.max_bytes FROM disk_space above
    WHERE above.account_kid = a.parent_kid AND above.area = ${sql.ref(`${alias}.area`)}), 0)`

/** From the counters of the tasks: their devices are not read. */
export const pushes = (db: Db, { from, to }: Period) =>
  db
    .selectFrom('push_task')
    .where('type', '=', sql<'file'>`any(${contentTypes}::text[])`)
    .where('created_at', '>=', from)
    .where('created_at', '<=', to)
    .select([
      sql<number>`count(*)::integer`.as('push_count'),
      sql<number>`COALESCE(sum(completed), 0)::bigint`.as('download_count'),
      sql<number>`COALESCE(sum(failed), 0)::bigint`.as('failed_count'),
    ])

function periodOf(now: Date, { from, to }: { from?: string | undefined; to?: string | undefined }): Period {
  const end = to === undefined ? now : new Date(to)
  return { from: from === undefined ? new Date(end.getTime() - default_ms) : new Date(from), to: end }
}
