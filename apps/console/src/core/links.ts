import { pageList } from '@mdm/contract'
import type { PageName, QueryOf } from '@mdm/contract'

type Value = string | number | boolean | readonly string[] | null | undefined
type Values = Record<string, Value>
type Link<N extends PageName> = {
  path: string
  to: [QueryOf<N>] extends [never]
    ? (values?: Values) => string
    : (values: { [K in QueryOf<N>]: string | number } & Values) => string
}

/** Addresses of pages: `link.deviceDetailInfo.to({ kid })`, `link.deviceList.to({ is_online: true })`. */
export const link = Object.fromEntries(
  pageList.map(({ name, path }) => [name, { path, to: (values: Values = {}) => path + searchOf(values) }]),
) as unknown as { readonly [N in PageName]: Link<N> }

function searchOf(values: Values): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === null || value === '') continue
    if (typeof value === 'object') for (const part of value) query.append(name, part)
    else query.set(name, String(value))
  }
  const text = query.toString()
  return text && `?${text}`
}
