import { errors } from '@mdm/contract'
import type { ErrorName } from '@mdm/contract'
import type { World } from '../world.ts'
import { everyCall, replaced, validInputs } from './inputs.ts'
import type { Things } from './inputs.ts'

type Path = (string | number)[]

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
  if (key === undefined) throw new Error(`${call_path} ${path.join('.')} is no id of makeThings`)
  return { foreign: theirs[key], input: replaced(own, path, theirs[key]) }
}

const tables = [
  'terminal',
  'terminal_group',
  'terminal_group_user_manged',
  'terminal_dynamic_group',
  'terminal_tag',
  'terminal_config',
  'custom_field',
  'file_cloud',
  'upload',
  'qrcode',
  'push_task_terminal',
  'device_transfer',
  'terminal_export',
  'scrap_schedule',
  'location_refresh',
  'batch_job',
  'user_account',
  'role',
  'webhook',
  'disk_space',
] as const
/** What moves by itself: a device that reports, an upload that is being hashed, a webhook whose receiver is not there. */
const moving = /_at$|_since$|^state$|^version$|^progress$/

/** Rows of a tenant, as sorted text, to see that nothing of it was changed; an update that changes nothing moves a row. */
export async function rowsOf({ server: { deps } }: World, { account_kid, user_kid }: Things): Promise<string> {
  const { db } = deps
  const found = await Promise.all([
    ...tables.map((table) => db.selectFrom(table).selectAll().where('account_kid', '=', account_kid).execute()),
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

/** The shape of the inputs is known before a world exists; any UUID does for finding where ids stand. */
const anyKid = '00000000-0000-7000-8000-000000000000'
const anyThings: Things = {
  account_kid: anyKid,
  user_kid: anyKid,
  terminal_kid: anyKid,
  group_kid: anyKid,
  dynamic_group_kid: anyKid,
  custom_field_kid: anyKid,
  push_task_kid: anyKid,
  file_kid: anyKid,
  transfer_kid: anyKid,
  export_kid: anyKid,
  scrap_kid: anyKid,
  upload_kid: anyKid,
  qrcode_kid: anyKid,
  permanent_kid: anyKid,
  apk_kid: anyKid,
  log_kid: anyKid,
  person_kid: anyKid,
  role_kid: anyKid,
  sub_account_kid: anyKid,
  webhook_kid: anyKid,
  delivery_kid: anyKid,
  session_kid: anyKid,
  api_token_kid: anyKid,
  announced: { sn: 'X', registration_code: 'AAAAAA' },
}

/** Refusals that say no more than "there is no such thing for you". */
const notFound: ErrorName[] = [
  'not_found',
  'no_permission',
  'group_unknown',
  'qrcode_invalid',
  'device_not_found',
  'task_not_cancelable',
  'task_not_retryable',
  'role_unknown',
  'custom_field_unknown',
]
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
