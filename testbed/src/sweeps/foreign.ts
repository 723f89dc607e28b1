import { errors } from '@mdm/contract'
import type { Things } from './feature.ts'
import { anyThings, everyCall, features, validInput } from './features.ts'
import { replaced } from './paths.ts'
import type { Path } from './paths.ts'

/** Every place in an input where a UUID stands, as a path. */
function kidPaths(value: unknown, path: Path = []): Path[] {
  if (typeof value === 'string') return /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(value) ? [path] : []
  if (Array.isArray(value)) return value.flatMap((v, i) => kidPaths(v, [...path, i]))
  if (value && typeof value === 'object') return Object.entries(value).flatMap(([k, v]) => kidPaths(v, [...path, k]))
  return []
}

/** Every place of a tenant's call where an id of another tenant could stand. */
export const foreignCases = () =>
  everyCall
    .filter((call) => call.scope !== 'ops' && call.needs !== 'public')
    .flatMap((call) => kidPaths(validInput(anyThings, call.path)).map((path) => ({ call, path })))

/** The valid input with the other tenant's id at `path`. Throws when there is none: the case would prove nothing. */
export function foreignInput(mine: Things, theirs: Things, call_path: string, path: Path) {
  const own = validInput(mine, call_path)
  const kid = path.reduce<unknown>((at, step) => (at as Record<string | number, unknown>)[step], own)
  const key = (Object.keys(mine) as (keyof Things)[]).find((name) => mine[name] === kid)
  if (key === undefined) throw new Error(`${call_path} ${path.join('.')} is no id of a thing that a feature makes`)
  return { foreign: theirs[key], input: replaced(own, path, theirs[key]) }
}

/** Refusals that say no more than "there is no such thing for you". */
const notFound = ['not_found', 'no_permission', ...Object.values(features).flatMap((f) => f.not_found ?? [])] as const
const notFoundResults = new Set<number>(notFound.map((name) => errors[name].result))

/** Whether a reply could as well be about an id that nobody has: a refusal that says so, or nothing at all. */
export function saysNotFound({ status, result, data }: { status: number; result: number; data: unknown }): boolean {
  if (status !== 200) return notFoundResults.has(result)
  const { items, exists, total, placed } = data as {
    items?: unknown[]
    exists?: boolean
    total?: number
    placed?: number
  }
  return exists === false || total === 0 || placed === 0 || JSON.stringify(items ?? data) === '[]'
}
