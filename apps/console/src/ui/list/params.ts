import { useCallback, useMemo } from 'react'
import { useLocation } from 'react-router'
import { paramsIn, useSearch, withParamsIn } from '../../core/address.ts'
import type { ChangeSearch } from '../../core/address.ts'

/** `json` is an object, written as JSON: a range, a tree of conditions. */
export type ParamKind = 'text' | 'number' | 'boolean' | 'texts' | 'json'
export type ParamSchema = Readonly<Record<string, ParamKind>>
type ValueOf<K extends ParamKind> = K extends 'text'
  ? string
  : K extends 'number'
    ? number
    : K extends 'boolean'
      ? boolean
      : K extends 'texts'
        ? string[]
        : object
type ParamValues<S extends ParamSchema> = { [K in keyof S]?: ValueOf<S[K]> }

export type ListParams<S extends ParamSchema> = {
  page: number
  /** Cursor of the page, where page numbers have ended. */
  after: string | undefined
  /** Cursors of the pages one came by, this one last; only its own when the address came from elsewhere. */
  trail: readonly string[]
  page_size: number
  sort: string | undefined
  order: 'asc' | 'desc' | undefined
  values: ParamValues<S>
  /** Changes the address. Anything but `page` returns to the first page. `null` or '' removes. */
  set: (patch: ParamPatch<S>, options?: { replace?: boolean }) => void
  /** Removes every filter, keeps page size and sorting. */
  clear: () => void
  /** To the page that begins after a cursor; `trail` ends with it. */
  follow: (page: number, trail: readonly string[]) => void
  /** Filters, sorting and page size as text: what a saved view keeps. Nothing else that the address says. */
  text: string
  /** Puts such a text into force. */
  restore: (text: string) => void
}
type ParamPatch<S extends ParamSchema> = { [K in keyof S]?: ValueOf<S[K]> | null } & {
  page?: number
  page_size?: number
  sort?: string | null
  order?: 'asc' | 'desc' | null
}

const default_page_size = 20
/** The server answers by page number for the first 10,000 rows, by cursor at any depth. */
const numbered_rows = 10_000
export const lastNumbered = (page_size: number): number => Math.ceil(numbered_rows / page_size)

/** State of a list in the address, so that whoever opens the link sees the same rows; of one in a dialog, apart from the page's. */
export function useListParams<const S extends ParamSchema>(schema: S, dialog?: string): ListParams<S> {
  const [search, changeWhole] = useSearch()
  const { state } = useLocation()
  const address = (dialog === undefined ? search : paramsIn(dialog, search)).toString()
  const changeSearch = useCallback<ChangeSearch>(
    (change, options) =>
      dialog === undefined
        ? changeWhole(change, options)
        : changeWhole((before) => withParamsIn(dialog, before, change(paramsIn(dialog, before))), options),
    [changeWhole, dialog],
  )
  // The schema is written inline by most callers; its text is what matters.
  const shape = JSON.stringify(schema)
  const read = useMemo(() => {
    const known = JSON.parse(shape) as S
    const parts = new URLSearchParams(address)
    return { ...readParams(known, parts), text: ownPart(known, parts).toString() }
  }, [shape, address])
  const trail = read.after === undefined ? [] : trailOf(state, read.after)

  const set = useCallback(
    (patch: ParamPatch<S>, options?: { replace?: boolean }) =>
      changeSearch((before) => applyPatch(before, patch), { replace: options?.replace ?? false }),
    [changeSearch],
  )
  const clear = useCallback(
    () => set(Object.fromEntries(Object.keys(JSON.parse(shape) as S).map((name) => [name, null])) as ParamPatch<S>),
    [set, shape],
  )
  const follow = useCallback(
    (page: number, cursors: readonly string[]) => {
      const after = cursors.at(-1) ?? null
      changeSearch((before) => applyPatch(before, { page, after }), { state: { trail: cursors.slice(-most_cursors) } })
    },
    [changeSearch],
  )
  const restore = useCallback(
    (text: string) => changeSearch((before) => withOwnPart(JSON.parse(shape) as S, before, new URLSearchParams(text))),
    [changeSearch, shape],
  )
  return { ...read, trail, set, clear, follow, restore }
}

/** Going back so many pages is what the history entry remembers. */
const most_cursors = 500
function trailOf(state: unknown, after: string): readonly string[] {
  const trail = (state as { trail?: unknown } | null)?.trail
  return Array.isArray(trail) && trail.at(-1) === after ? (trail as string[]) : [after]
}

const listNames = ['sort', 'order', 'page_size']
/** What of an address is the list's: a tab's address also says which record it is of. */
export function ownPart(schema: ParamSchema, search: URLSearchParams): URLSearchParams {
  const names = [...Object.keys(schema), ...listNames]
  return new URLSearchParams([...search].filter(([name]) => names.includes(name)))
}

export function withOwnPart(schema: ParamSchema, before: URLSearchParams, own: URLSearchParams): URLSearchParams {
  const gone = [...Object.keys(schema), ...listNames, 'page', 'after']
  const kept = [...before].filter(([name]) => !gone.includes(name))
  return new URLSearchParams([...kept, ...ownPart(schema, own)])
}

/** Anything malformed in an address counts as absent: a link must never break a page. */
export function readParams<S extends ParamSchema>(schema: S, search: URLSearchParams) {
  const values: Record<string, unknown> = {}
  for (const [name, kind] of Object.entries(schema)) {
    const value = parse(kind, search.getAll(name))
    if (value !== undefined) values[name] = value
  }
  const order = search.get('order')
  const page_size = wholeNumber(search.get('page_size'), 1, 200) ?? default_page_size
  const after = search.get('after') || undefined
  return {
    values: values as ParamValues<S>,
    page: wholeNumber(search.get('page'), 1, after ? Number.MAX_SAFE_INTEGER : lastNumbered(page_size)) ?? 1,
    after,
    page_size,
    sort: search.get('sort') ?? undefined,
    order: order === 'asc' || order === 'desc' ? order : undefined,
  } as const
}

function parse(kind: ParamKind, raw: string[]): unknown {
  const first = raw[0]
  if (first === undefined || first === '') return undefined
  if (kind === 'text') return first
  if (kind === 'texts') return raw.filter(Boolean)
  if (kind === 'json') return objectIn(first)
  if (kind === 'boolean') return first === 'true' ? true : first === 'false' ? false : undefined
  return Number.isFinite(Number(first)) ? Number(first) : undefined
}

function objectIn(text: string): object | undefined {
  try {
    const value = JSON.parse(text) as unknown
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

function wholeNumber(raw: string | null, min: number, max: number): number | undefined {
  const value = Number(raw)
  return raw !== null && Number.isInteger(value) && value >= min && value <= max ? value : undefined
}

export function applyPatch(before: URLSearchParams, patch: Record<string, unknown>): URLSearchParams {
  const after = new URLSearchParams(before)
  if (!('page' in patch)) after.delete('page')
  // A cursor belongs to one page of one order of one set of rows.
  if (!('after' in patch)) after.delete('after')
  for (const [name, value] of Object.entries(patch)) {
    after.delete(name)
    if (value === undefined || value === null || value === '') continue
    if (name === 'page' && value === 1) continue
    if (Array.isArray(value)) for (const part of value) after.append(name, String(part))
    else after.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
  }
  return after
}

/** The two instants of a filter by time: two values, or one that is `{ from, to }`. */
export function timesOf(
  { key, until }: { key: string; until?: string },
  values: Readonly<Record<string, unknown>>,
): [from: unknown, to: unknown] {
  if (until !== undefined) return [values[key], values[until]]
  const { from, to } = (values[key] ?? {}) as { from?: unknown; to?: unknown }
  return [from, to]
}
