import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'react-router'

export type ParamKind = 'text' | 'number' | 'boolean' | 'texts'
export type ParamSchema = Readonly<Record<string, ParamKind>>
type ValueOf<K extends ParamKind> = K extends 'text'
  ? string
  : K extends 'number'
    ? number
    : K extends 'boolean'
      ? boolean
      : string[]
export type ParamValues<S extends ParamSchema> = { [K in keyof S]?: ValueOf<S[K]> }

export type ListParams<S extends ParamSchema> = {
  page: number
  page_size: number
  sort: string | undefined
  order: 'asc' | 'desc' | undefined
  values: ParamValues<S>
  /** Changes the address. Anything but `page` returns to the first page. `null` or '' removes. */
  set: (patch: ParamPatch<S>, options?: { replace?: boolean }) => void
  /** Removes every filter, keeps page size and sorting. */
  clear: () => void
  /** The whole state as text: key of a saved view. */
  text: string
}
export type ParamPatch<S extends ParamSchema> = { [K in keyof S]?: ValueOf<S[K]> | null } & {
  page?: number
  page_size?: number
  sort?: string | null
  order?: 'asc' | 'desc' | null
}

export const default_page_size = 20

/** State of a list in the address, so that whoever opens the link sees the same rows. */
export function useListParams<const S extends ParamSchema>(schema: S): ListParams<S> {
  const [search, setSearch] = useSearchParams()
  const text = search.toString()
  // The schema is written inline by most callers; its text is what matters.
  const shape = JSON.stringify(schema)
  const read = useMemo(() => readParams(JSON.parse(shape) as S, new URLSearchParams(text)), [shape, text])

  const set = useCallback(
    (patch: ParamPatch<S>, options?: { replace?: boolean }) =>
      setSearch((before) => applyPatch(before, patch), { replace: options?.replace ?? false }),
    [setSearch],
  )
  const clear = useCallback(
    () => set(Object.fromEntries(Object.keys(JSON.parse(shape) as S).map((name) => [name, null])) as ParamPatch<S>),
    [set, shape],
  )
  return { ...read, set, clear, text }
}

/** Anything malformed in an address counts as absent: a link must never break a page. */
export function readParams<S extends ParamSchema>(schema: S, search: URLSearchParams) {
  const values: Record<string, unknown> = {}
  for (const [name, kind] of Object.entries(schema)) {
    const value = parse(kind, search.getAll(name))
    if (value !== undefined) values[name] = value
  }
  const order = search.get('order')
  return {
    values: values as ParamValues<S>,
    page: whole(search.get('page'), 1, 10_000) ?? 1,
    page_size: whole(search.get('page_size'), 1, 200) ?? default_page_size,
    sort: search.get('sort') ?? undefined,
    order: order === 'asc' || order === 'desc' ? order : undefined,
  } as const
}

function parse(kind: ParamKind, raw: string[]): unknown {
  const first = raw[0]
  if (first === undefined || first === '') return undefined
  if (kind === 'text') return first
  if (kind === 'texts') return raw.filter(Boolean)
  if (kind === 'boolean') return first === 'true' ? true : first === 'false' ? false : undefined
  return Number.isFinite(Number(first)) ? Number(first) : undefined
}

function whole(raw: string | null, min: number, max: number): number | undefined {
  const value = Number(raw)
  return raw !== null && Number.isInteger(value) && value >= min && value <= max ? value : undefined
}

export function applyPatch(before: URLSearchParams, patch: Record<string, unknown>): URLSearchParams {
  const after = new URLSearchParams(before)
  if (!('page' in patch)) after.delete('page')
  for (const [name, value] of Object.entries(patch)) {
    after.delete(name)
    if (value === undefined || value === null || value === '') continue
    if (name === 'page' && value === 1) continue
    if (Array.isArray(value)) for (const part of value) after.append(name, String(part))
    else after.set(name, String(value))
  }
  return after
}
