import type { Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import type { Actor } from '../../actor.ts'
import { countLimit, readPage, upToLimit } from '../../db/paging.ts'
import type { Column, Total } from '../../db/paging.ts'
import { withUploadRoles } from '../terminal-config/service.ts'
import {
  anySort,
  columns,
  counterFor,
  inSomeOrder,
  isFiltered,
  matcherOf,
  matching,
  sortOf,
  tablesOf,
  totalOf,
} from '../terminal-filter/service.ts'
import type { From, Matcher, Sorted } from '../terminal-filter/service.ts'
import { rowsOf, hydrateRows } from './rows.ts'

type Input = In<Contract['terminal']['calls']['paging']>

/**
 * The same values behind a subquery, which no index is of: the planner, which guesses how many rows match, cannot walk
 * all devices in the order of the sort in search of a few.
 */
const columns_sorted_after_filtering: Record<string, Column> = Object.fromEntries(
  Object.entries(columns).map(([name, column]) => [name, { ...column, ref: sql`(select ${column.ref})` }]),
)

/** Up to so many matches are filtered first and sorted then; of more than that, a page is read along the sort's index. */
const sort_after_filtering_max = 2_000

/**
 * One page of devices: their kids, from an index of the sorted table with no more joins than filter and sort need, and
 * around that their rows by primary key. Skipped rows and rows that are only counted cost an index entry each.
 */
export async function paging(actor: Actor, input: Input) {
  const matcher = await matcherOf(actor, input)
  const tables = tablesOf(actor, matcher, input)
  const gathered = isOfOneTable(matcher, tables) ? await gather(actor, matcher, tables, input) : undefined
  if (gathered && (gathered.total_is_exact || isSeenInOrder(tables, input))) {
    const kids = gathered.items.map(({ kid }) => kid)
    return { ...gathered, items: await rowsOf(actor, kids) }
  }
  const known = gathered && { total: gathered.total, total_is_exact: false }
  const read = await reading(actor, matcher, input, { known })
  const page = await read(input)
  return { ...page, items: await withUploadRoles(actor, page.items) }
}

/** Every page of what `paging` answers but the upload rules, found and counted once; of each row `only` these fields. */
export async function* pages(
  actor: Actor,
  input: Omit<Input, 'page' | 'page_size' | 'after'>,
  { page_size, only }: { page_size: number; only: ReadonlySet<string> },
) {
  const read = await reading(actor, await matcherOf(actor, input), input, { only })
  const at = (after?: string) => read({ ...input, page: 1, page_size, after })
  let next: ReturnType<typeof at> | undefined = at()
  while (next) {
    const page: Awaited<typeof next> = await next
    // The database reads on while somebody does something with these; who leaves in between does not hear of a fault.
    next = page.next === null ? undefined : at(page.next)
    next?.catch(() => {})
    yield page.items
  }
}

/** Reads any page of one list, of which how many there are may be `known`; with `only` without saying how many. */
async function reading(
  actor: Actor,
  matcher: Matcher,
  input: Sorted,
  { known, only }: { known?: Total | undefined; only?: ReadonlySet<string> },
) {
  const { scope } = actor
  // How many there are decides how a page is found, unless an index has them in order.
  const total = known ?? (isInOrder(input, actor, matcher) ? undefined : await totalOf(actor, matcher))
  const is_late = total !== undefined && total.total <= sort_after_filtering_max
  const query = matching(scope, matcher, tablesOf(actor, matcher, input))
  return (at: Input) =>
    readPage({
      query,
      whole: (kids) => hydrateRows(scope, kids, only),
      input: at,
      columns: is_late ? columns_sorted_after_filtering : columns,
      key: sql`terminal.kid`,
      // Who walks through all of it counts by themselves.
      total: only ? 0 : (total ?? counterFor(actor, matcher)),
    })
}

/** Every match has to be looked at anyhow, and what it is sorted by is seen with it. */
const isOfOneTable = (matcher: Matcher, { has_terminal, has_state }: From): boolean =>
  isFiltered(matcher) && !matcher.is_by_index && has_terminal !== has_state

/**
 * Counts and sorts what matches in one statement. Where counting stops, it has not seen all that a page is made of, unless
 * it looked in the order of the sort.
 */
function gather(actor: Actor, matcher: Matcher, tables: From, input: Input) {
  const { scope } = actor
  const sort = sortOf(input)
  const { ref, key = sql`terminal.kid`, ...column }: Column = columns[sort]
  const matches = inSomeOrder(matching(scope, matcher, tables), matcher, tables, input.order ?? column.order)
    .select([sql<string>`${key}`.as('kid'), ref.as('value')])
    .limit(countLimit + 1)
  const counted = scope
    .selectFrom(matches.as('matched'))
    .select(['kid', 'value', sql<number>`(count(*) over ())::int`.as('count')])
  return readPage({
    query: scope.selectFrom(counted.as('found')).select('found.kid'),
    input,
    columns: { [sort]: { ...column, ref: sql`found.value` } },
    key: sql`found.kid`,
    total: { beside: sql<number>`found.count`, read: upToLimit, alone: () => totalOf(actor, matcher) },
  })
}

/** Everything lies in indexes in any order, one group's devices and those without a group in the order of registration. */
const isInOrder = (input: Sorted, { reach }: Actor, matcher: Matcher): boolean => {
  if (isFiltered(matcher)) return false
  const { groups } = matcher
  if (groups === undefined) return !reach
  return sortOf(input) === 'registered_at' && (groups === null || groups.length === 1)
}
const isSeenInOrder = (tables: From, input: Input): boolean =>
  input.after === undefined && sortOf(input) === anySort(tables)
