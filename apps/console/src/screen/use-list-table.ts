import type { Out, Paged, Sent } from '@mdm/contract'
import { useCallback, useMemo, useState } from 'react'
import { send, useCall } from '../api.ts'
import type * as z from 'zod'
import type { AnyCall, ReadResult } from '../api.ts'
import { useListParams } from './params.ts'
import type { ListParams, ParamKind, ParamSchema } from './params.ts'

export type Row<C> = Out<C> extends Paged<infer R> ? R : never
type FilterSchema<C> = { readonly [K in keyof Sent<C>]?: ParamKind }

export type Selection<R> = {
  kids: readonly string[]
  rows: readonly R[]
  set: (rows: readonly R[]) => void
  clear: () => void
  /** What is selected is what `all` found. */
  is_all: boolean
  /** Selects what matches the filters on every page, at most `max_selected`. */
  all: () => Promise<void>
  /** Everything that matches is meant, however many there are: then no row is selected by itself. */
  is_match: boolean
  take_match: () => void
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
  enabled?: boolean
  /** Only for what has no live event. */
  refetchMs?: number
}

type Selected<R> = { rows: readonly R[]; is_all: boolean; /** The filters it stands for. */ match?: string }
const none = { rows: [], is_all: false }

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
  const params = useListParams<S>(options.filters)
  const { page, after, page_size, sort, order, text } = params
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

  const [{ rows: selected, is_all, match }, setSelected] = useState<Selected<R>>(none)
  const clear = useCallback(() => setSelected(none), [])
  const set = (rows: readonly R[]) => setSelected({ rows: rows.slice(0, max_selected), is_all: false })
  const all = async () => {
    const found: R[] = []
    for (let at = 1; found.length < max_selected; at++) {
      const next = (await send(call, { ...filter, page: at, page_size: 200 } as Sent<C>)) as Paged<R>
      found.push(...next.items)
      if (next.items.length < 200) break
    }
    setSelected({ rows: found.slice(0, max_selected), is_all: true })
  }

  return {
    id: options.id,
    call,
    input,
    params: { ...params, values } as unknown as ListParams<ParamSchema>,
    values,
    set: params.set,
    query,
    rows: data?.items ?? [],
    total: data?.total ?? 0,
    total_is_exact: data?.total_is_exact ?? true,
    next: data?.next ?? null,
    is_filtered: Object.keys(values).length > 0,
    selection: {
      kids: selected.map((row) => row.kid),
      rows: selected,
      is_all,
      set,
      clear,
      all,
      // Other filters match other rows, which nobody has seen selected.
      is_match: match === text,
      take_match: () => setSelected({ ...none, match: text }),
    },
  }
}
