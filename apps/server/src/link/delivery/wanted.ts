import type { ApiAuthorisation, Down } from '@mdm/device-link'
import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import { records } from '../../db/records.ts'
import type { Tables } from '../../db/schema/tables.ts'
import type { Deps } from '../../deps.ts'
import type { Features } from '../../features.ts'
import { holdsSecrets, unsealAll } from '../../lib/sealed-values.ts'
import { groupBy } from '../group-by.ts'

/** The configuration that a device ought to hold, what is known of the one it holds, and when it was sent. */
export type Wanted = {
  terminal_kid: string
  account_kid: string
  terminal_group_kid: string | null
  version: number
  config: unknown
  is_dirty: boolean
  is_forced: boolean
  sends: number
  sent_at: Date | null
  is_online: boolean
  transport: Tables['terminal_state']['transport']
  config_version: number | null
  config_sections: string[] | null
  judges_fence: boolean
  max_packet: number | null
}

export const configurationRows = sql`
  SELECT c.terminal_kid, c.account_kid, t.terminal_group_kid, c.version, c.config, c.is_dirty, c.is_forced,
    c.sends, c.sent_at, s.is_online, s.transport, s.config_version, t.config_sections, t.judges_fence, t.max_packet
  FROM terminal_config_delivery c JOIN terminal t ON t.kid = c.terminal_kid
    JOIN terminal_state s ON s.terminal_kid = c.terminal_kid`

/** Before its turn, and without sending: what one device ought to hold. Its turn of this moment is waited for. */
export async function workOutOne(deps: Pick<Deps, 'db' | 'features'>, kid: string): Promise<void> {
  await deps.db.transaction().execute(async (trx) => {
    const { rows } = await sql<Wanted>`${configurationRows}
      WHERE c.terminal_kid = ${kid}::uuid AND c.is_dirty FOR NO KEY UPDATE OF c`.execute(trx)
    await workOut(deps, trx, rows)
  })
}

type SealedFence = ReturnType<Features['fences']['forDevice']>
type Told = Omit<Down['config']['config'], 'fence'> & { fence?: SealedFence; api_authorisation?: ApiAuthorisation }

/**
 * What of its configuration a device is told: secrets only of what it has said that it can obey, and a fence only where it watches
 * that itself. A device that has not said what it can obey is told everything.
 */
export function toldTo(
  config: Told,
  { config_sections, judges_fence }: Pick<Wanted, 'config_sections' | 'judges_fence'>,
): Told {
  const { fence, api_authorisation, ...rest } = config
  const told = Object.entries(rest).filter(
    ([section, value]) => !config_sections || config_sections.includes(section) || !holdsSecrets(value),
  )
  return {
    ...Object.fromEntries(told),
    ...(fence && judges_fence && { fence }),
    ...(api_authorisation && config_sections?.includes('api_authorisation') && { api_authorisation }),
  } as Told
}

/** What is sealed at rest is opened on its way out, and nowhere else. */
export async function payloadOf(deps: Deps, due: Wanted): Promise<string> {
  const { version } = due
  const { fence, ...rest } = toldTo(due.config as Told, due)
  const open = (holdsSecrets(rest) ? await unsealAll(deps, rest) : rest) as Omit<Down['config']['config'], 'fence'>
  const told = { ...open, ...(fence && { fence: await deps.features.fences.opened(deps, fence) }) }
  return JSON.stringify({ version, config: told } satisfies Down['config'])
}

/** Of a version that is new, nothing was sent yet. */
async function noteWanted(trx: Transaction<Tables>, worked: readonly Wanted[]): Promise<void> {
  const rows = worked.map(({ terminal_kid: k, version: v, config: c }) => ({ k, v, c }))
  await sql`
    UPDATE terminal_config_delivery d SET version = r.v, config = r.c, is_dirty = false, is_forced = false,
      sent_at = CASE WHEN d.version = r.v THEN d.sent_at END
    FROM ${records(rows).as('r(k uuid, v bigint, c jsonb)')}
    WHERE d.terminal_kid = r.k
  `.execute(trx)
}

/** The rows with what their devices ought to hold now, which is kept. */
export async function workOut(
  { features }: Pick<Deps, 'features'>,
  trx: Transaction<Tables>,
  rows: Wanted[],
): Promise<Wanted[]> {
  const { fences, configurations } = features
  const { forDevice, groupPath, stagedValuesOf, isEqual, levelsOf, settingsOf, withStaged } = configurations
  const dirty = rows.filter((row) => row.is_dirty)
  if (dirty.length === 0) return rows
  const accounts = [...new Set(dirty.map((row) => row.account_kid))]
  const kids = dirty.map((row) => row.terminal_kid)
  const set = await trx
    .selectFrom('terminal_config')
    .select(['account_kid', 'section', 'ltscope', 'terminal_group_kid', 'terminal_kid', 'value'])
    .where((eb) => eb.or([eb('account_kid', 'in', accounts), eb('account_kid', 'is', null)]))
    .where((eb) => eb.or([eb('ltscope', '<', 40), eb('terminal_kid', '=', sql<string>`any(${kids}::uuid[])`)]))
    .execute()
  const platform = set.filter((row) => row.account_kid === null)
  const settings = new Map(
    [...groupBy(set, (row) => row.account_kid)].map(([kid, mine]) => [kid, settingsOf([...mine, ...platform])]),
  )
  const of_platform = settingsOf(platform)
  const has_groups = set.some((row) => row.ltscope === 30)
  const groups = has_groups
    ? await trx
        .selectFrom('terminal_group')
        .select(['kid', 'parent_kid'])
        .where('account_kid', 'in', accounts)
        .execute()
    : []
  const parents = new Map(groups.map(({ kid, parent_kid }) => [kid, parent_kid]))
  const nothing = settingsOf<(typeof set)[number]>([])
  const heldBy = await stagedValuesOf(trx, accounts, kids)
  const has_fences = set.some(({ section }) => section === 'fence')
  const fenced = has_fences ? await fences.fencesOf(trx, kids) : []
  const fenceOf = new Map(fenced.flatMap(({ terminal_kid, fence }) => (fence ? [[terminal_kid, fence] as const] : [])))
  const apiLists = await features.api_lists.apiListsOf(trx, kids)
  const worked = dirty.map((row) => {
    const path = has_groups ? groupPath(parents, row.terminal_group_kid) : []
    const fence = fenceOf.get(row.terminal_kid)
    const api_authorisation = apiLists.get(row.terminal_kid)
    const config = {
      ...forDevice(
        withStaged(settings.get(row.account_kid) ?? of_platform, heldBy(row.terminal_kid)),
        levelsOf(path, row.terminal_kid),
      ),
      ...(fence && { fence: fences.forDevice(fence) }),
      ...(api_authorisation && { api_authorisation }),
    }
    // A device that was never sent a configuration goes by the preset.
    const before = row.config ?? ((row.config_version ?? 0) === 0 ? forDevice(nothing, levelsOf([])) : null)
    const is_same = !row.is_forced && isEqual(before, config)
    const held = row.config_version ?? 0
    // Changes while a device is away are one version: one that was never sent takes in what came after it.
    const is_unsent = row.sent_at === null && row.version > held
    const version = is_same || is_unsent ? row.version : Math.max(row.version, held) + 1
    return { ...row, config, version }
  })
  await noteWanted(trx, worked)
  const by_kid = new Map(worked.map((row) => [row.terminal_kid, row]))
  return rows.map((row) => by_kid.get(row.terminal_kid) ?? row)
}
