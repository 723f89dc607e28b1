// What the list of devices does for PostgreSQL's planner: none of it changes which devices a page shows, nor their order.
// list.ts is the list without these, and the one to copy; a list needs them when it has filters that no index answers.
import type { Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import type { Actor } from '../../../../actor.ts'
import { countLimit, readPage, upToLimit } from '../../../../db/paging.ts'
import type { Column, Total } from '../../../../db/paging.ts'
import {
  anySort,
  columns,
  inSomeOrder,
  isFiltered,
  matching,
  sortOf,
  tablesOf,
  totalOf,
} from '../../../fleet/terminal-filter/index.ts'
import type { From, Matcher, Sorted } from '../../../fleet/terminal-filter/index.ts'

type Input = In<Contract['terminal']['calls']['paging']>

/**
 * **Filter first, sort then.** For a filter with a sort the planner has two ways: find all matches and sort them, or walk
 * the sort's index until a page is full. It guesses how many match; where it guesses too many, it walks past every device
 * of the account in search of a few. Here the count is known, because the page shows it, so the choice is not left to a
 * guess. Few matches are sorted by a value behind a subquery, which no index is of. Many are left to the sort's index,
 * where a page is soon full.
 */
export const columnsFor = (total: Total | undefined): Record<string, Column> =>
  total !== undefined && total.total <= sort_after_filtering_max ? columns_sorted_after_filtering : columns

const sort_after_filtering_max = 2_000
const columns_sorted_after_filtering: Record<string, Column> = Object.fromEntries(
  Object.entries(columns).map(([name, column]) => [name, { ...column, ref: sql`(select ${column.ref})` }]),
)

/**
 * **Count only where the count decides.** Without conditions every order has an index that begins with the account, and
 * one group's devices and those without a group have one in the order of registration. There the page is read along it,
 * and the counter comes with it in the same statement: this saves the statement that would have counted before.
 */
export async function totalForPlan(actor: Actor, matcher: Matcher, input: Sorted): Promise<Total | undefined> {
  return isInOrder(input, actor, matcher) ? undefined : totalOf(actor, matcher)
}

function isInOrder(input: Sorted, { visible_groups }: Actor, matcher: Matcher): boolean {
  if (isFiltered(matcher)) return false
  const { groups } = matcher
  if (groups === undefined) return !visible_groups
  return sortOf(input) === 'registered_at' && (groups === null || groups.length === 1)
}

/**
 * **Count and sort in one statement.** A condition that no index answers (text, tags, fields, state) looks at every match
 * to count them. Where the filter and the sort are about one table, the value to sort by is seen with it: one statement
 * counts and sorts, where there were two that looked up the same devices. It stops behind the most that is counted
 * (decision 004). What it has seen is then the page only if it looked in the order of the sort; else there is no `page`
 * here, and `total` is what was learnt.
 */
export async function gather(actor: Actor, matcher: Matcher, input: Input) {
  const tables = tablesOf(actor, matcher, input)
  if (!isOfOneTable(matcher, tables)) return { page: undefined, total: undefined }
  const page = await countAndSort(actor, matcher, tables, input)
  const has_seen_page = page.total_is_exact || isSeenInOrder(tables, input)
  return { page: has_seen_page ? page : undefined, total: { total: page.total, total_is_exact: page.total_is_exact } }
}

const isOfOneTable = (matcher: Matcher, { has_terminal, has_state }: From): boolean =>
  isFiltered(matcher) && !matcher.is_by_index && has_terminal !== has_state

const isSeenInOrder = (tables: From, input: Input): boolean =>
  input.after === undefined && sortOf(input) === anySort(tables)

function countAndSort(actor: Actor, matcher: Matcher, tables: From, input: Input) {
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
    total: { column: sql<number>`found.count`, read: upToLimit, query: () => totalOf(actor, matcher) },
  })
}
