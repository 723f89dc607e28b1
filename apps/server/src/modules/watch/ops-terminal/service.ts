import type { Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely, SelectQueryBuilder } from 'kysely'
import { cappedCount, containing, readPage } from '../../../db/paging.ts'
import type { Column, Total } from '../../../db/paging.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { accountCanBeEntered } from '../../../http/session-row.ts'
import { shownState } from '../../people/customer/index.ts'

type Input = In<Contract['opsTerminal']['calls']['paging']>
type Db = Kysely<Tables>
type Kids = SelectQueryBuilder<Tables, 'terminal', { kid: string }>

const columns = {
  registered_at: { ref: sql`terminal.registered_at`, order: 'desc' },
  sn: { ref: sql`terminal.sn` },
} satisfies Record<NonNullable<Input['sort']>, Column>
/**
 * Behind a subquery, which no index is of: few matches are found by what they are asked for and sorted then. Left to
 * guess how many there are, the planner might walk all devices in the order of the sort in search of them.
 */
const columns_sorted_after_filtering = {
  registered_at: { ...columns.registered_at, ref: sql`(select terminal.registered_at)` },
  sn: { ref: sql`(select terminal.sn)` },
} satisfies Record<NonNullable<Input['sort']>, Column>
const sort_after_filtering_max = 2_000
/** Three letters or digits in a row make a trigram wherever they stand. */
const trigram = /[\p{L}\p{N}]{3}/u

/** Devices of every customer: kids from an index, and around them the rows of the page. */
export async function paging({ db, clock }: Deps, input: Input) {
  const now = clock.now()
  const kids = matching(db, input)
  const total = await totalOf(db, input, kids)
  const { items, ...page } = await readPage({
    query: kids,
    hydrate: (kids) =>
      db
        .selectFrom('terminal')
        .innerJoin('terminal_state', 'terminal_state.terminal_kid', 'terminal.kid')
        .innerJoin('account as a', 'a.kid', 'terminal.account_kid')
        .select(['terminal.kid', 'terminal.sn', 'terminal.name', 'terminal.imei', 'terminal.model'])
        .select(['terminal.os_version', 'terminal.registered_at'])
        .select(['terminal_state.is_online', 'terminal_state.last_online_at'])
        .select(['a.kid as account_kid', 'a.name as account_name', shownState('a', now).as('account_state')])
        .select(accountCanBeEntered('a', now).as('can_enter'))
        .where('terminal.kid', '=', sql<string>`any(${kids}::uuid[])`)
        .execute(),
    input,
    columns: isFiltered(input) && total.total <= sort_after_filtering_max ? columns_sorted_after_filtering : columns,
    key: sql`terminal.kid`,
    total,
  })
  return {
    ...page,
    items: items.map(({ can_enter, ...row }) => ({ ...row, can: can_enter ? ['enter' as const] : [] })),
  }
}

const isFiltered = ({ text, account_text, is_online }: Input) =>
  Boolean(text || account_text) || is_online !== undefined

/** Devices that match the filters; exported for the test that reads its plan. */
export function matching(db: Db, { text, account_text, is_online }: Input): Kids {
  return db
    .selectFrom('terminal')
    .select('terminal.kid')
    .$if(Boolean(text), (q) => q.where(startsOrContains(text!)))
    .$if(Boolean(account_text), (q) => q.where('terminal.account_kid', 'in', named(db, account_text!).select('kid')))
    .$if(is_online !== undefined, (q) =>
      q.where('terminal.kid', 'in', (eb) =>
        eb
          .selectFrom('terminal_state')
          .select('terminal_kid')
          .where(is_online ? sql<boolean>`is_online` : offline),
      ),
    )
}

/** One range of an index for each account; without the accounts there is no index of those who are not there. */
const offline = sql<boolean>`NOT is_online AND account_kid = ANY(ARRAY(SELECT kid FROM account WHERE type IN (1, 2)))`

function startsOrContains(text: string) {
  if (trigram.test(text)) return sql<boolean>`terminal.search like ${containing(text)}`
  return sql<boolean>`lower(terminal.sn) like ${containing(text).slice(1)}`
}

/** Customers and their sub-accounts whose name has this in it. */
export const named = (db: Db, account_text: string) =>
  db
    .selectFrom('account')
    .where('type', 'in', [1, 2])
    .where(sql`lower(name)`, 'like', containing(account_text))

/** From the counters of the accounts where they say it, else by counting up to a limit. */
async function totalOf(db: Db, input: Input, kids: Kids): Promise<Total> {
  if (input.text || input.is_online !== undefined) return cappedCount(db, kids)
  const { total } = await named(db, input.account_text ?? '')
    .select(sql<number>`COALESCE(sum(terminal_count), 0)::bigint`.as('total'))
    .executeTakeFirstOrThrow()
  return { total, total_is_exact: true }
}
