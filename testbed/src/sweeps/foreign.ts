import { errors } from '@mdm/contract'
import type { World } from '../world.ts'
import type { Things } from './feature.ts'
import { anyThings, everyCall, features, validInputs } from './features.ts'
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
    .flatMap((call) => kidPaths(validInputs(anyThings)[call.path]).map((path) => ({ call, path })))

/** The valid input with the other tenant's id at `path`. Throws when there is none: the case would prove nothing. */
export function foreignInput(mine: Things, theirs: Things, call_path: string, path: Path) {
  const own = validInputs(mine)[call_path]
  const kid = path.reduce<unknown>((at, step) => (at as Record<string | number, unknown>)[step], own)
  const key = (Object.keys(mine) as (keyof Things)[]).find((name) => mine[name] === kid)
  if (key === undefined) throw new Error(`${call_path} ${path.join('.')} is no id of a thing that a feature makes`)
  return { foreign: theirs[key], input: replaced(own, path, theirs[key]) }
}

const tables = Object.values(features).flatMap((feature) => feature.tables ?? [])
/** What moves by itself: a device that reports, an upload that is being hashed, a webhook whose receiver is not there. */
const moving = /_at$|_since$|^state$|^version$|^progress$/

/** Rows of a tenant, as sorted text, to see that nothing of it was changed; an update that changes nothing moves a row. */
export async function rowsOf({ server: { deps } }: World, { account_kid, user_kid }: Things): Promise<string> {
  const { db } = deps
  const found = await Promise.all([
    // Each of them has this column; a union of so many types of rows is beyond the compiler.
    ...tables.map((table) =>
      db
        .selectFrom(table as 'terminal')
        .selectAll()
        .where('account_kid', '=', account_kid)
        .execute(),
    ),
    db.selectFrom('account').selectAll().where('kid', '=', account_kid).execute(),
    db.selectFrom('account').selectAll().where('parent_kid', '=', account_kid).execute(),
    db.selectFrom('session').selectAll().where('user_kid', '=', user_kid).execute(),
    db.selectFrom('api_token').selectAll().where('user_kid', '=', user_kid).execute(),
    // Deliveries are tried again and again; there must only be no more of them.
    db.selectFrom('webhook_delivery').select('kid').where('account_kid', '=', account_kid).execute(),
  ])
  const textOf = (row: object) => JSON.stringify(row, (key, value: unknown) => (moving.test(key) ? undefined : value))
  return found.map((rows) => rows.map(textOf).sort().join('\n')).join('\n\n')
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
