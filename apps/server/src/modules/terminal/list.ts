import type { Contract, In, TerminalFilter } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely, SelectQueryBuilder } from 'kysely'
import { cappedCount, countedBy, counterOf, countLimit, readPage, upToLimit } from '../../db/paging.ts'
import type { Column, Counter, Total } from '../../db/paging.ts'
import type { Tables } from '../../db/schema/tables.ts'
import { withUploadRoles } from '../terminal-config/service.ts'
import { countInGroups, countWithoutGroup } from '../terminal-group/service.ts'
import { matcherOf } from './filter.ts'
import type { Matcher, Searcher, Viewer } from './filter.ts'
import { rowsOf, hydrateRows } from './rows.ts'

type Db = Kysely<Tables>
type Input = In<Contract['terminal']['calls']['paging']>
type Sorted = Pick<Input, 'sort'>
type Kids = SelectQueryBuilder<Tables, 'terminal' | 'terminal_state', object>

const state_kid = sql<string>`terminal_state.terminal_kid`
const columns = {
  registered_at: { ref: sql`terminal.registered_at`, order: 'desc' },
  sn: { ref: sql`terminal.sn` },
  name: { ref: sql`terminal.name` },
  model: { ref: sql`terminal.model` },
  os_version: { ref: sql`terminal.os_version` },
  last_online_at: { ref: sql`terminal_state.last_online_at`, key: state_kid, is_nullable: true, order: 'desc' },
  battery_level: { ref: sql`terminal_state.battery_level`, key: state_kid, is_nullable: true },
} satisfies Record<NonNullable<Input['sort']>, Column>
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
export async function paging(viewer: Searcher, input: Input) {
  const matcher = await matcherOf(viewer, input)
  const tables = tablesOf(viewer, matcher, input)
  const gathered = isOfOneTable(matcher, tables) ? await gather(viewer, matcher, tables, input) : undefined
  if (gathered && (gathered.total_is_exact || isSeenInOrder(tables, input))) {
    const kids = gathered.items.map(({ kid }) => kid)
    return { ...gathered, items: await rowsOf(viewer, kids) }
  }
  const known = gathered && { total: gathered.total, total_is_exact: false }
  const read = await reading(viewer, matcher, input, { known })
  const page = await read(input)
  return { ...page, items: await withUploadRoles(viewer, page.items) }
}

/** Every page of what `paging` answers but the upload rules, found and counted once; of each row `only` these fields. */
export async function* pages(
  viewer: Searcher,
  input: Omit<Input, 'page' | 'page_size' | 'after'>,
  { page_size, only }: { page_size: number; only: ReadonlySet<string> },
) {
  const read = await reading(viewer, await matcherOf(viewer, input), input, { only })
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
  viewer: Viewer,
  matcher: Matcher,
  input: Sorted,
  { known, only }: { known?: Total | undefined; only?: ReadonlySet<string> },
) {
  const { scope } = viewer
  // How many there are decides how a page is found, unless an index has them in order.
  const total = known ?? (isInOrder(input, viewer, matcher) ? undefined : await totalOf(viewer, matcher))
  const is_late = total !== undefined && total.total <= sort_after_filtering_max
  const query = matching(scope, matcher, tablesOf(viewer, matcher, input))
  return (at: Input) =>
    readPage({
      query,
      whole: (kids) => hydrateRows(scope, kids, only),
      input: at,
      columns: is_late ? columns_sorted_after_filtering : columns,
      key: sql`terminal.kid`,
      // Who walks through all of it counts by themselves.
      total: only ? 0 : (total ?? counterFor(viewer, matcher)),
    })
}

/** Every match has to be looked at anyhow, and what it is sorted by is seen with it. */
const isOfOneTable = (matcher: Matcher, { has_terminal, has_state }: From): boolean =>
  isFiltered(matcher) && !matcher.is_by_index && has_terminal !== has_state

/**
 * Counts and sorts what matches in one statement. Where counting stops, it has not seen all that a page is made of, unless
 * it looked in the order of the sort.
 */
function gather(viewer: Viewer, matcher: Matcher, tables: From, input: Input) {
  const { scope } = viewer
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
    total: { beside: sql<number>`found.count`, read: upToLimit, alone: () => totalOf(viewer, matcher) },
  })
}

/** Everything lies in indexes in any order, one group's devices and those without a group in the order of registration. */
const isInOrder = (input: Sorted, { reach }: Viewer, matcher: Matcher): boolean => {
  if (isFiltered(matcher)) return false
  const { groups } = matcher
  if (groups === undefined) return !reach
  return sortOf(input) === 'registered_at' && (groups === null || groups.length === 1)
}

const sortOf = ({ sort }: Sorted): NonNullable<Input['sort']> => sort ?? 'registered_at'
const isFiltered = ({ conditions }: Matcher): boolean => conditions.length > 0

type From = { has_terminal: boolean; has_state: boolean }
/** What the filter and the sort need; without an input, the least that the filter can do with. */
function tablesOf({ reach }: Viewer, matcher: Matcher, input?: Sorted): From {
  const by_state = input !== undefined && 'key' in columns[sortOf(input)]
  const has_state = by_state || matcher.has_state
  const by_terminal = input === undefined ? !has_state : !by_state
  return {
    has_state,
    has_terminal: by_terminal || matcher.has_terminal || matcher.groups !== undefined || reach !== undefined,
  }
}

function matching(scope: Db, { groups, conditions }: Matcher, tables: From): Kids {
  let query = from(scope, tables)
  if (groups === null) query = query.where('terminal.terminal_group_kid', 'is', null)
  if (groups?.length === 1) query = query.where('terminal.terminal_group_kid', '=', groups[0]!.kid)
  else if (groups)
    query = query.where('terminal.terminal_group_kid', '=', sql<string>`any(${groups.map(({ kid }) => kid)}::uuid[])`)
  for (const condition of conditions) query = query.where(condition)
  return query
}

function from(scope: Db, { has_terminal, has_state }: From): Kids {
  if (!has_state) return scope.selectFrom('terminal') as unknown as Kids
  if (!has_terminal) return scope.selectFrom('terminal_state') as unknown as Kids
  return scope
    .selectFrom('terminal')
    .innerJoin('terminal_state', 'terminal_state.terminal_kid', 'terminal.kid') as unknown as Kids
}

/** Counters while nothing but the group is filtered, else a count that stops (paging.ts). */
export async function totalOf(viewer: Viewer, matcher: Matcher): Promise<Total> {
  const { scope } = viewer
  if (!isFiltered(matcher)) return countedBy(counterFor(viewer, matcher))
  const tables = tablesOf(viewer, matcher)
  return cappedCount(scope, inSomeOrder(matching(scope, matcher, tables), matcher, tables))
}

/** In an order that an index of this account has: a scan would pass through the devices of all others. */
function inSomeOrder(matches: Kids, { is_by_index }: Matcher, tables: From, order: 'asc' | 'desc' = 'asc'): Kids {
  if (is_by_index) return matches
  const { ref, key = sql`terminal.kid` }: Column = columns[anySort(tables)]
  return matches.orderBy(ref, order).orderBy(key, order)
}
const anySort = ({ has_terminal }: From) => (has_terminal ? 'registered_at' : 'last_online_at')

const isSeenInOrder = (tables: From, input: Input): boolean =>
  input.after === undefined && sortOf(input) === anySort(tables)

/** However many there are: for what is about to happen to all of them. */
export async function count(viewer: Searcher, filter: TerminalFilter): Promise<number> {
  const matcher = await matcherOf(viewer, filter)
  if (!isFiltered(matcher)) return (await countedBy(counterFor(viewer, matcher))).total
  const { n } = await matching(viewer.scope, matcher, tablesOf(viewer, matcher))
    .select(sql<number>`count(*)::int`.as('n'))
    .executeTakeFirstOrThrow()
  return n
}

/** Every device that matches, in the order of their kids. */
export async function kidsMatching(viewer: Searcher, filter: TerminalFilter): Promise<string[]> {
  const matcher = await matcherOf(viewer, filter)
  const tables = { ...tablesOf(viewer, matcher), has_terminal: true }
  const rows = await matching(viewer.scope, matcher, tables).select('terminal.kid').orderBy('terminal.kid').execute()
  return rows.map(({ kid }) => kid)
}

/** What matches as a subquery; undefined when that is every device of the account. */
export async function kidsOf(viewer: Searcher, filter: TerminalFilter) {
  const matcher = await matcherOf(viewer, filter)
  if (matcher.groups === undefined && !viewer.reach && !isFiltered(matcher)) return undefined
  const tables = tablesOf(viewer, matcher)
  const kid = tables.has_terminal ? sql<string>`terminal.kid` : state_kid
  return matching(viewer.scope, matcher, tables).select(kid.as('kid'))
}

function counterFor({ scope, account_kid, reach }: Viewer, { groups }: Matcher): Counter | number {
  if (groups) return groups.reduce((sum, group) => sum + group.terminal_count, 0)
  if (reach) return groups === null ? 0 : countInGroups(scope, reach)
  return groups === null ? countWithoutGroup(scope, account_kid) : countAll(scope, account_kid)
}

export const countAll = (scope: Db, account_kid: string): Counter =>
  counterOf(
    scope.selectFrom('account').select('account.terminal_count as total').where('account.kid', '=', account_kid),
  )
