import type { Paged, Sent } from '@mdm/contract'
import { useMemo, useState } from 'react'
import { useCall } from '../../core/api.ts'
import type * as z from 'zod'
import type { AnyCall, ReadResult } from '../../core/api.ts'
import { firstRows } from './first-rows.ts'
import type { Row } from './first-rows.ts'
import { useListParams } from './params.ts'
import type { ListParams, ParamKind, ParamSchema } from './params.ts'

type FilterSchema<C> = { readonly [K in keyof Sent<C>]?: ParamKind }

export type Selection<R> = {
  kids: readonly string[]
  rows: readonly R[]
  /** Those of them that are not among the rows on screen. */
  elsewhere: readonly R[]
  set: (rows: readonly R[]) => void
  clear: () => void
  /** What is selected is what `all` found. */
  is_all: boolean
  /** Selects what matches the filters on every page, in the order of the list, at most `max_selected`. */
  all: () => Promise<void>
  /** Everything that matches is meant, however many there are: then no row is selected by itself. */
  is_match: boolean
  take_match: () => void
  /** The rows that stand there are those of other filters: none is selected under these. */
  is_closed: boolean
}
/** The most devices that one call acts on (terminal_kids of the contract). */
export const max_selected = 1000

export type List<R extends { kid: string }> = {
  /** Key under which columns and views of this list are remembered. */
  id: string
  call: AnyCall
  /** What the rows are the answer to, on every page: filters and order. */
  input: Record<string, unknown>
  params: ListParams<ParamSchema>
  query: Pick<
    ReadResult<AnyCall>,
    'error' | 'isPending' | 'isFetching' | 'dataUpdatedAt' | 'refetch' | 'isPlaceholderData'
  >
  rows: readonly R[]
  total: number
  total_is_exact: boolean
  /** Cursor of the next page; null on the last one. */
  next: string | null
  is_filtered: boolean
  selection: Selection<R>
}

type Options<C, S> = {
  id: string
  /** Which inputs of the call live in the address, and their kind. */
  filters: S
  /** Inputs that the page itself gives: `{ terminal_kid }`. */
  fixed?: Partial<Sent<C>>
  /** The dialog that the list stands in, over a list of the page. */
  dialog?: string
  enabled?: boolean
  /** Only for what has no live event. */
  refetchMs?: number
}

type Selected<R> = {
  rows: readonly R[]
  is_all: boolean
  is_match: boolean
  /** The filters it was made under. */ of: string
}
const none = { rows: [], is_all: false, is_match: false }

/** What the call would not take counts as absent, as it does in `readParams`: a link must never break a page. */
function takenBy(call: AnyCall, schema: ParamSchema, values: Record<string, unknown>): Record<string, unknown> {
  const shape = call.input.shape as Record<string, z.ZodType | undefined> | undefined
  const is_taken = ([name, value]: [string, unknown]) =>
    schema[name] !== 'json' || shape?.[name]?.safeParse(value).success
  return Object.fromEntries(Object.entries(values).filter(is_taken))
}

/** One paged call as a list: its filters, page and sorting in the address, its rows live, its selection across pages. */
export function useListTable<C extends AnyCall, const S extends FilterSchema<C> & ParamSchema>(
  call: C,
  options: Options<C, S>,
): List<Row<C> & { kid: string }> & { values: ListParams<S>['values']; set: ListParams<S>['set'] } {
  type R = Row<C> & { kid: string }
  const params = useListParams<S>(options.filters, options.dialog)
  const { page, after, page_size, sort, order } = params
  const given = JSON.stringify(params.values)
  const schema = JSON.stringify(options.filters)
  const values = useMemo(
    () => takenBy(call, JSON.parse(schema) as ParamSchema, JSON.parse(given) as object as Record<string, unknown>),
    [call, schema, given],
  ) as ListParams<S>['values']
  const filter = { ...values, ...options.fixed }
  const place = after === undefined ? { page } : { after }
  const input = { ...(sort && { sort }), ...(order && { order }), ...filter }
  const query = useCall(call, { ...place, page_size, ...input } as Sent<C>, {
    keepPrevious: true,
    enabled: options.enabled,
    refetchMs: options.refetchMs,
  })
  const data = query.data as Paged<R> | undefined

  const of = JSON.stringify(filter)
  // Under new filters the rows of those before stand there until the answer comes.
  const [answered, setAnswered] = useState(of)
  if (answered !== of && !query.isPlaceholderData) setAnswered(of)
  const [kept, setSelected] = useState<Selected<R>>({ ...none, of })
  // What was selected under other filters goes with its rows; set while rendering, so that no frame shows the one with
  // the other.
  if (kept.of !== of) setSelected({ ...none, of })
  const selected: Selected<R> = kept.of === of ? kept : { ...none, of }
  const kids = useMemo(() => selected.rows.map((row) => row.kid), [selected.rows])
  const clear = () => setSelected({ ...none, of })
  const set = (rows: readonly R[]) => setSelected({ ...none, rows: rows.slice(0, max_selected), of })
  const all = async () => {
    const rows = (await firstRows(call, input as Sent<C>, max_selected)) as R[]
    // What was selected or cleared since then counts, and so do other filters.
    setSelected((now) => (now === kept ? { ...none, rows, is_all: true, of } : now))
  }
  const rows = data?.items ?? []
  const shown = new Set(rows.map(({ kid }) => kid))

  return {
    id: options.id,
    call,
    input,
    params: { ...params, values } as unknown as ListParams<ParamSchema>,
    values,
    set: params.set,
    query,
    rows,
    total: data?.total ?? 0,
    total_is_exact: data?.total_is_exact ?? true,
    next: data?.next ?? null,
    is_filtered: Object.keys(values).length > 0,
    selection: {
      kids,
      rows: selected.rows,
      elsewhere: selected.rows.filter(({ kid }) => !shown.has(kid)),
      is_all: selected.is_all,
      is_closed: answered !== of && query.isPlaceholderData,
      set,
      clear,
      all,
      is_match: selected.is_match,
      take_match: () => setSelected({ ...none, is_match: true, of }),
    },
  }
}
