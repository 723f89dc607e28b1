import type { Paged } from '@mdm/contract'
import { isKid } from '@mdm/device-link'
import { sql } from 'kysely'
import type { AliasableExpression, Kysely, RawBuilder, SelectQueryBuilder } from 'kysely'
import { Refusal } from '../refusal.ts'
/** Counting stops here: a list says "10,000+" rather than scan a table. */
export const countLimit = 10_000
type Input = {
  page: number
  page_size: number
  sort?: string | undefined
  order?: 'asc' | 'desc' | undefined
  after?: string | undefined
}
export type Column = {
  ref: RawBuilder<unknown>
  is_nullable?: boolean
  order?: 'asc' | 'desc'
  /** The tie-breaker as the column's own table has it: a range over two tables cannot use an index. */
  key?: RawBuilder<unknown>
}
export type Total = { total: number; total_is_exact: boolean }
/** Says how many there are in the statement of the page, or in one of its own. */
export type Counter = {
  /** Selected with the rows of the page. */
  column: AliasableExpression<number>
  /** What `column` says as a total. */
  read: (count: number) => Total
  /** A statement of its own. */
  query: () => Promise<Total>
}
type KnownTotal = number | Total | Counter | undefined
type Cursor = { sort: string; order: 'asc' | 'desc'; value: string | null; key: string }

/**
 * One page of any list, by page number for the first 10,000 rows and by cursor at any depth.
 *
 * `query` has its joins, filters and selections; `columns` says what each sort name is in SQL and which one is the
 * default (the first); `key` breaks ties and must be unique. Of long rows `query` need select nothing: `hydrate` reads what is
 * shown of these kids, in any order, in a statement of its own that is planned in no time; who is gone by then is left out.
 * `total` is what is already known, or the counter that knows, which is read in the statement of the page, or undefined to
 * count matches up to `countLimit`. Every combination of `columns` and equality filters wants an index (…equality, column,
 * key): then a page costs its own rows, wherever it lies.
 */
export async function readPage<DB, TB extends keyof DB, Row, Whole = Row>(options: {
  query: SelectQueryBuilder<DB, TB, Row>
  hydrate?: (kids: readonly string[]) => Promise<(Whole & { kid: string })[]>
  input: Input
  columns: Record<string, Column>
  key: RawBuilder<unknown>
  total?: KnownTotal
}): Promise<Paged<Whole>> {
  const { query, hydrate, input, columns, total } = options
  const sort = input.sort ?? Object.keys(columns)[0]!
  const column = columns[sort]
  if (!column) throw new Error(`no column to sort ${sort} by`)
  const cursor = input.after === undefined ? undefined : readCursor(input.after)
  const key = column.key ?? options.key
  const order = cursor?.order ?? input.order ?? column.order ?? 'asc'
  if (cursor && cursor.sort !== sort) throw badCursor()
  const skipped = cursor ? 0 : (input.page - 1) * input.page_size
  if (skipped >= countLimit)
    throw new Refusal('bad_input', {}, { page: { name: 'page_beyond', details: { rows: countLimit } } })

  const wanted = input.page_size + 1
  const inOrder = sql`${column.ref} ${sql.raw(order)}, ${key} ${sql.raw(order)}`
  const readRows = async () => {
    const rows: (Row & Tail)[] = []
    for (const part of partsFrom(column, order, cursor, key)) {
      if (rows.length >= wanted) break
      const page = part(query as SelectQueryBuilder<DB, TB, object>)
        .orderBy(inOrder)
        .limit(wanted - rows.length)
        .offset(skipped) as SelectQueryBuilder<DB, TB, Row>
      const found = await page
        .select([
          sql<string | null>`${column.ref}::text`.as('cursor_value'),
          sql<string>`${key}::text`.as('cursor_key'),
          ...(isCounter(total) ? [total.column.as('cursor_total')] : []),
        ])
        .execute()
        .catch((error: unknown) => {
          // A cursor that says what its column cannot hold: data exceptions are class 22.
          throw cursor && (error as { code?: string }).code?.startsWith('22') ? badCursor() : error
        })
      rows.push(...(found as (Row & Tail)[]))
    }
    const shown = rows.slice(0, input.page_size)
    const last = rows.length > shown.length ? shown.at(-1) : undefined
    const next = last ? writeCursor({ sort, order, value: last.cursor_value, key: last.cursor_key }) : null
    const counted = rows[0]?.cursor_total
    return {
      next,
      counted,
      items: hydrate ? await hydrated(shown, hydrate) : (shown.map(cutTail) as unknown as Whole[]),
    }
  }
  const reading = readRows()
  const counting = isCounter(total)
    ? reading.then(({ counted }) => (counted === undefined ? total.query() : total.read(counted)))
    : totalOf(query, total)
  const [{ next, items }, counts] = await Promise.all([reading, counting])
  return { next, items, page: input.page, page_size: input.page_size, ...counts }
}
const isCounter = (total: KnownTotal): total is Counter => typeof total === 'object' && 'read' in total
const exactly = (total: number): Total => ({ total, total_is_exact: true })
/** Of what was counted up to `countLimit` and one more. */
export const upToLimit = (count: number): Total => ({
  total: Math.min(count, countLimit),
  total_is_exact: count <= countLimit,
})

/** A statement of one row, from counters that triggers keep. */
export const counterOf = (statement: SelectQueryBuilder<any, any, { total: number }>): Counter => ({
  column: statement.$asScalar(),
  read: exactly,
  query: async () => exactly((await statement.executeTakeFirstOrThrow()).total),
})
export const countedBy = async (counter: number | Counter): Promise<Total> =>
  typeof counter === 'number' ? exactly(counter) : counter.query()

async function hydrated<Whole>(
  shown: readonly Tail[],
  hydrate: (kids: readonly string[]) => Promise<(Whole & { kid: string })[]>,
): Promise<Whole[]> {
  if (shown.length === 0) return []
  const kids = shown.map(({ cursor_key }) => cursor_key)
  return inOrderOf(kids, await hydrate(kids))
}

/** The rows of these kids in the order of `kids`; one that is not there is left out. */
export function inOrderOf<Row extends { kid: string }>(kids: readonly string[], rows: readonly Row[]): Row[] {
  const byKid = new Map(rows.map((row) => [row.kid, row]))
  return kids.flatMap((kid) => byKid.get(kid) ?? [])
}
/** What was selected last, last first: so it costs a fifth of copying the rest. */
function cutTail<Row extends Partial<Tail>>(row: Row): Omit<Row, keyof Tail> {
  delete row.cursor_total
  delete row.cursor_key
  delete row.cursor_value
  return row
}
type Tail = { cursor_value: string | null; cursor_key: string; cursor_total?: number }

type Part = <DB, TB extends keyof DB>(query: SelectQueryBuilder<DB, TB, object>) => SelectQueryBuilder<DB, TB, object>

/**
 * Index ranges that follow a cursor, in order. `asc` ends with nulls and `desc` begins with them, as an ascending
 * index read forwards or backwards does; a range over both at once would need a filter instead of an index.
 */
function partsFrom(
  column: Column,
  order: 'asc' | 'desc',
  cursor: Cursor | undefined,
  key: RawBuilder<unknown>,
): Part[] {
  if (!cursor) return [(q) => q]
  const { ref } = column
  const beyond = sql.raw(order === 'asc' ? '>' : '<')
  const valuesAfter: Part = (q) => q.where(sql<boolean>`(${ref}, ${key}) ${beyond} (${cursor.value}, ${cursor.key})`)
  const nullsAfter: Part = (q) => q.where(sql<boolean>`${ref} IS NULL AND ${key} ${beyond} ${cursor.key}`)
  if (!column.is_nullable) return [valuesAfter]
  if (order === 'asc')
    return cursor.value === null ? [nullsAfter] : [valuesAfter, (q) => q.where(sql<boolean>`${ref} IS NULL`)]
  return cursor.value === null ? [nullsAfter, (q) => q.where(sql<boolean>`${ref} IS NOT NULL`)] : [valuesAfter]
}

async function totalOf<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  known: number | Total | undefined,
): Promise<Total> {
  if (known !== undefined) return typeof known === 'number' ? exactly(known) : known
  const counted = await query
    .clearSelect()
    .clearOrderBy()
    .select(sql<number>`1`.as('one'))
    .limit(countLimit + 1)
    .execute()
  return upToLimit(counted.length)
}

/** Counts the rows of a query up to `countLimit`, in the database. */
export async function cappedCount<DB, TB extends keyof DB>(
  db: Kysely<DB>,
  query: SelectQueryBuilder<DB, TB, object>,
): Promise<Total> {
  const matches = query.select(sql<number>`1`.as('one')).limit(countLimit + 1)
  const { n } = await (db as unknown as Kysely<object>)
    .selectFrom(matches.as('matches'))
    .select(sql<number>`count(*)::int`.as('n'))
    .executeTakeFirstOrThrow()
  return upToLimit(n)
}

const writeCursor = (cursor: Cursor): string =>
  Buffer.from(JSON.stringify([cursor.sort, cursor.order, cursor.value, cursor.key])).toString('base64url')
function readCursor(after: string): Cursor {
  try {
    const [sort, order, value, key] = JSON.parse(Buffer.from(after, 'base64url').toString('utf8')) as unknown[]
    const is_valid =
      typeof sort === 'string' &&
      (order === 'asc' || order === 'desc') &&
      (value === null || typeof value === 'string') &&
      typeof key === 'string' &&
      isKid(key)
    if (is_valid) return { sort, order, value, key } as Cursor
  } catch {
    // Not one of ours: refused below like any other.
  }
  throw badCursor()
}
const badCursor = (): Refusal => new Refusal('bad_input', {}, { after: { name: 'not_cursor' } })

/** `text` as a LIKE pattern that finds it anywhere, its own wildcards taken literally; columns are lower-case. */
export const containing = (text: string): string => `%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
