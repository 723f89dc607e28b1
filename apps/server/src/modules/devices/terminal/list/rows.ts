import { remoteKinds } from '@mdm/contract'
import type { FenceStatus, TerminalDetail } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Actor } from '../../../../actor.ts'
import { withKeptPlan } from '../../../../db/kept-plans.ts'
import { inOrderOf } from '../../../../db/paging.ts'
import type { Tables } from '../../../../db/schema/tables.ts'
import { refuse } from '../../../../refusal.ts'
import { areRolesSet, withUploadRoles } from '../../../configuration/terminal-config/index.ts'

type Db = Kysely<Tables>
type AsDates<T> = {
  [K in keyof T]: K extends `${string}_at` | 'device_time' | 'quarantined_until' ? Date | Extract<T[K], null> : T[K]
}

const joined = (scope: Db) =>
  scope
    .selectFrom('terminal')
    .innerJoin('terminal_state', 'terminal_state.terminal_kid', 'terminal.kid')
    .leftJoin('terminal_group', 'terminal_group.kid', 'terminal.terminal_group_kid')
    .leftJoin('terminal_lost', (join) =>
      join
        .onRef('terminal_lost.account_kid', '=', 'terminal.account_kid')
        .onRef('terminal_lost.sn', '=', 'terminal.sn')
        .on('terminal_lost.found_at', 'is', null),
    )

const part = <T>(of: 'wifi' | 'battery', name: string) =>
  sql<T | null>`(terminal_state.${sql.raw(of)} ->> ${sql.lit(name)})`
const row_columns = [
  'terminal.kid',
  'terminal.sn',
  'terminal.name',
  'terminal.model',
  'terminal.os_name',
  'terminal.os_version',
  'terminal.uid',
  'terminal.version_code',
  'terminal.ver',
  'terminal.terminal_group_kid',
  'terminal_group.name as terminal_group_name',
  'terminal_state.is_online',
  'terminal_state.is_asleep',
  'terminal_state.last_online_at',
  'terminal.quarantined_until',
  'terminal_lost.lost_at',
  'terminal.registered_at',
  'terminal.agent_kind',
  'terminal.service_version',
  'terminal.task_types',
  'terminal_state.battery_level',
  'terminal_state.battery_charging',
  'terminal_state.network_type',
  'terminal_state.signal',
  'terminal.imei',
  'terminal.host as device_name',
  'terminal_state.is_metered',
  'terminal_state.is_roaming',
  'terminal_state.foreground_app',
  sql<FenceStatus>`case terminal_state.fence_state when 'inside' then 1 when 'outside' then 2 else 0 end`.as(
    'location_fence_status',
  ),
  'terminal.tags',
  'terminal.fields',
  part<string>('wifi', 'ssid').as('ap_name'),
  part<string>('battery', 'health').as('battery_health'),
  sql<number | null>`${part('battery', 'temperature')}::real`.as('battery_temperature'),
] as const

const nameOf = (column: (typeof row_columns)[number]): string =>
  typeof column === 'string' ? column.split(/ as |\./).at(-1)! : String(column.alias)

/** These devices as a list shows them, in any order; `only` these fields beside the kid, where somebody needs no others. */
export const hydrateRows = (scope: Db, kids: readonly string[], only?: ReadonlySet<string>) => {
  const wanted = only
    ? row_columns.filter((column) => column === 'terminal.kid' || only.has(nameOf(column)))
    : row_columns
  const query = joined(scope)
    .select(wanted as unknown as typeof row_columns)
    .select(areRolesSet(scope).as('are_roles_set'))
    .where('terminal.kid', '=', sql<string>`any(${kids}::uuid[])`)
  // A choice of fields is one of very many, and an export's own: its plans would fill the connections.
  return only ? query.execute() : withKeptPlan(scope, query)
}

/** These devices as a list shows them, in the order of `kids`; one that is gone meanwhile is left out. */
export async function rowsOf(
  actor: Pick<Actor, 'deps' | 'scope' | 'account_kid' | 'visible_groups'>,
  kids: readonly string[],
) {
  if (kids.length === 0) return []
  const rows = await hydrateRows(actor.scope, kids)
  return inOrderOf(kids, await withUploadRoles(actor, rows))
}

export const rowOf = async (actor: Actor, kid: string) => (await rowsOf(actor, [kid]))[0] ?? refuse('not_found')

export async function detailOf(actor: Actor, kid: string): Promise<AsDates<TerminalDetail>> {
  const found = await joined(actor.scope)
    .select([
      ...row_columns,
      'terminal.registration_code',
      'terminal.qrcode_kid',
      'terminal.note',
      'terminal.renewal_asked_at',
      'terminal.protocol_version',
      'terminal.tunnels',
      'terminal.resolution',
      'terminal.host',
      'terminal_state.public_ip',
      'terminal_state.transport',
      'terminal_state.connected_at',
      'terminal_state.last_contact_at',
      'terminal_state.device_time',
      'terminal_state.clock_is_off',
      'terminal_state.boot_at',
      'terminal_state.state_at',
      'terminal_state.battery',
      'terminal_state.network',
      'terminal_state.sims',
      'terminal_state.wifi',
      'terminal_state.run',
      'terminal_state.location',
    ])
    .where('terminal.kid', '=', kid)
    .execute()
  const [row] = await withUploadRoles(actor, found)
  if (!row) return refuse('not_found')
  // A newer agent may open what this server does not know.
  return { ...row, tunnels: row.tunnels && remoteKinds.filter((kind) => row.tunnels?.includes(kind)) }
}
