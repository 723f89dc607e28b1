import type { ApiAuthorisation, Down, LostMode } from '@mdm/device-link'
import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import { transactionThen } from '../../db/after-commit.ts'
import { records } from '../../db/records.ts'
import type { Tables } from '../../db/schema/tables.ts'
import type { Deps } from '../../deps.ts'
import type { Features } from '../../features.ts'
import { holdsSecrets, unsealAll } from '../../lib/sealed-values.ts'
import { groupBy } from '../group-by.ts'
import { eventKid, insertEvents } from '../inbound/event.ts'
import { checked_in } from '../peer.ts'
import { resendAfter } from './owed.ts'
import type { Beyond, Owed, Taking } from './owed.ts'
import type { Transport } from './transport.ts'

/** The configuration that a device ought to hold, what is known of the one it holds, and when it was sent. */
type Wanted = {
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
  judges_polygons: boolean
  max_packet: number | null
}

const configurationRows = sql`
  SELECT c.terminal_kid, c.account_kid, t.terminal_group_kid, c.version, c.config, c.is_dirty, c.is_forced,
    c.sends, c.sent_at, s.is_online, s.transport, s.config_version, t.config_sections, t.judges_fence, t.judges_polygons, t.max_packet
  FROM terminal_config_delivery c JOIN terminal t ON t.kid = c.terminal_kid
    JOIN terminal_state s ON s.terminal_kid = c.terminal_kid`

/** Fewer than of tasks, as the levels above each device are read to work out what it ought to hold. */
const batch_size = 500

/**
 * Configurations. What a device ought to hold is worked out once something was saved, whether it is there or not: it gets a new
 * version only if it is something else than before. It is sent to those who are connected, again and again until they say that
 * they go by it. Who is not there is left alone: hello compares what the device holds with what it ought to.
 */
export function owedConfigurations(
  deps: Deps,
  { isLeft, isReachable }: Pick<Transport, 'isLeft' | 'isReachable'>,
): Owed<Wanted> {
  /** One that checks in is told while it is here; one that is connected also where only its row knows that it is. */
  const isSentNow = (row: Wanted) => row.is_online && (row.transport !== checked_in || isReachable(row))
  return {
    table: 'terminal_config_delivery',
    batch_size,
    async take({ trx, now, after, full }: Taking) {
      // Both rows are locked, so that a hello of this moment is seen or comes after.
      const { rows } = await sql<Wanted>`${configurationRows}
        WHERE c.send_at <= ${now} AND NOT c.terminal_kid = ANY(${full}::uuid[])
          AND NOT ${isLeft()}
        ORDER BY c.send_at LIMIT ${batch_size} FOR NO KEY UPDATE OF c, s SKIP LOCKED
      `.execute(trx)
      const work = await workOut(deps, trx, rows)
      const sending = work.filter((row) => isSentNow(row) && row.version !== (row.config_version ?? 0))
      await markSent(trx, now, sending)
      const is_sent = new Set(sending)
      const rest = work.filter((row) => !is_sent.has(row))
      if (rest.length > 0) {
        const kids = rest.map((row) => row.terminal_kid)
        await sql`UPDATE terminal_config_delivery SET send_at = NULL WHERE terminal_kid = ANY(${kids}::uuid[])`.execute(
          trx,
        )
        // One that turned out to be the same has nothing to wait for.
        const moves = await deps.features.configurations.endConfirmed(trx, kids, now)
        if (moves) after(() => deps.features.pushes.tellMoves(deps, moves))
      }
      return { due: rows.length, away: [], write: async () => write(deps, sending) }
    },
    async refuseLarge(rows) {
      for (const { row, beyond } of rows) await tellTooLarge(deps, row, beyond)
    },
  }
}

/** What a device that has come does not hold yet is due, however lately it was sent. Says whether something is. */
export async function recallConfiguration({ db, clock }: Pick<Deps, 'db' | 'clock'>, kid: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE terminal_config_delivery c SET sends = 0, send_at = ${clock.now()} FROM terminal_state s
    WHERE c.terminal_kid = ${kid}::uuid AND s.terminal_kid = c.terminal_kid
      AND (c.is_dirty OR c.version <> COALESCE(s.config_version, 0))
  `.execute(db)
  return Boolean(numAffectedRows)
}

async function write(deps: Deps, rows: readonly Wanted[]) {
  const outgoing = []
  for (const row of rows) {
    deps.live.publish(row.account_kid, { type: 'terminal_config', kid: row.terminal_kid })
    try {
      outgoing.push({ row, name: 'config' as const, payload: await payloadOf(deps, row) })
    } catch (error) {
      deps.log.error({ err: error, terminal_kid: row.terminal_kid }, 'a configuration was not sent')
    }
  }
  return outgoing
}

/** A version that is more than its device takes was not sent, and is not sent again: the events of the device say so. */
async function tellTooLarge(deps: Deps, row: Wanted, beyond: Beyond): Promise<void> {
  const { terminal_kid, account_kid, version, sends } = row
  const now = deps.clock.now()
  await transactionThen(deps.db, async (trx, after) => {
    // What has become due meanwhile, by a hello or by something that was saved, stays due.
    await sql`
      UPDATE terminal_config_delivery SET send_at = NULL, sent_at = NULL
      WHERE terminal_kid = ${terminal_kid} AND version = ${version} AND sends = ${sends + 1} AND NOT is_dirty
    `.execute(trx)
    const said = { type: 'config_too_large', at: now, received_at: now, detail: { version, ...beyond } }
    const kid = eventKid(terminal_kid, said.type, version)
    await insertEvents({ trx, deps, after }, [{ kid, account_kid, terminal_kid, ...said, is_dated_here: true }])
  })
}

async function markSent(trx: Transaction<Tables>, now: Date, rows: readonly Wanted[]): Promise<void> {
  if (rows.length === 0) return
  const sent = rows.map((row) => ({ k: row.terminal_kid, n: row.sends + 1, at: resendAfter(now, row.sends) }))
  await sql`
    UPDATE terminal_config_delivery d SET sends = r.n, send_at = r.at, sent_at = ${now}::timestamptz
    FROM ${records(sent).as('r(k uuid, n integer, at timestamptz)')}
    WHERE d.terminal_kid = r.k
  `.execute(trx)
}

/**
 * Before its turn, and without sending: what one device ought to hold. Its turn of this moment is waited for. True where it
 * was worked out here: a turn that came meanwhile has passed the device over.
 */
export async function workOutOne(deps: Pick<Deps, 'db' | 'features'>, kid: string): Promise<boolean> {
  return deps.db.transaction().execute(async (trx) => {
    const { rows } = await sql<Wanted>`${configurationRows}
      WHERE c.terminal_kid = ${kid}::uuid AND c.is_dirty FOR NO KEY UPDATE OF c`.execute(trx)
    await workOut(deps, trx, rows)
    return rows.length > 0
  })
}

type SealedFence = ReturnType<Features['fences']['fenceForDevice']>
type Told = Omit<Down['config']['config'], 'fence'> & {
  fence?: SealedFence
  lost?: LostMode
  api_authorisation?: ApiAuthorisation
}

/**
 * What of its configuration a device is told: secrets only of what it has said that it can obey, and a fence only where it watches
 * that itself. A device that has not said what it can obey is told everything that agents have always known.
 */
function toldTo(
  config: Told,
  {
    config_sections,
    judges_fence,
    judges_polygons,
  }: Pick<Wanted, 'config_sections' | 'judges_fence' | 'judges_polygons'>,
): Told {
  const { fence, api_authorisation, lost, ...rest } = config
  const told = Object.entries(rest).filter(
    ([section, value]) => !config_sections || config_sections.includes(section) || !holdsSecrets(value),
  )
  return {
    ...Object.fromEntries(told),
    ...(fence && judges_fence && (judges_polygons || fence.shape === 'circle') && { fence }),
    ...(api_authorisation && config_sections?.includes('api_authorisation') && { api_authorisation }),
    ...(lost && config_sections?.includes('lost') && { lost }),
  } as Told
}

/** What is sealed at rest is opened on its way out, and nowhere else. */
async function payloadOf(deps: Deps, due: Wanted): Promise<string> {
  const { version } = due
  const { fence, ...rest } = toldTo(due.config as Told, due)
  const open = (holdsSecrets(rest) ? await unsealAll(deps, rest) : rest) as Omit<Down['config']['config'], 'fence'>
  const told = { ...open, ...(fence && { fence: await deps.features.fences.openFence(deps, fence) }) }
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
async function workOut(
  { features }: Pick<Deps, 'features'>,
  trx: Transaction<Tables>,
  rows: Wanted[],
): Promise<Wanted[]> {
  const { fences, configurations } = features
  const { configForDevice, groupPath, profilesFor, stagedValuesOf, isEqual, levelsOf, settingsOf, withStaged } =
    configurations
  const dirty = rows.filter((row) => row.is_dirty)
  if (dirty.length === 0) return rows
  const accounts = [...new Set(dirty.map((row) => row.account_kid))]
  const kids = dirty.map((row) => row.terminal_kid)
  const set = await trx
    .selectFrom('terminal_config')
    .select(['account_kid', 'section', 'ltscope', 'terminal_group_kid', 'profile_kid', 'terminal_kid', 'value'])
    .where((eb) => eb.or([eb('account_kid', 'in', accounts), eb('account_kid', 'is', null)]))
    .where((eb) => eb.or([eb('ltscope', '<', 40), eb('terminal_kid', '=', sql<string>`any(${kids}::uuid[])`)]))
    .execute()
  const platform = set.filter((row) => row.account_kid === null)
  const settings = new Map(
    [...groupBy(set, (row) => row.account_kid)].map(([kid, mine]) => [kid, settingsOf([...mine, ...platform])]),
  )
  const of_platform = settingsOf(platform)
  const has_profiles = set.some((row) => row.profile_kid !== null)
  const profilesOf = has_profiles ? await profilesFor(trx, accounts, kids) : () => []
  const has_groups = has_profiles || set.some((row) => row.ltscope === 30)
  const groups = has_groups
    ? await trx
        .selectFrom('terminal_group')
        .select(['kid', 'parent_kid'])
        .where('account_kid', 'in', accounts)
        .execute()
    : []
  const parents = new Map(groups.map(({ kid, parent_kid }) => [kid, parent_kid]))
  const nothing = settingsOf<(typeof set)[number]>([])
  const stagedFor = await stagedValuesOf(trx, accounts, kids)
  const has_fences = set.some(({ section }) => section === 'fence')
  const fenced = has_fences ? await fences.fencesOf(trx, kids) : []
  const fenceOf = new Map(fenced.flatMap(({ terminal_kid, fence }) => (fence ? [[terminal_kid, fence] as const] : [])))
  const apiLists = await features.api_lists.apiListsOf(trx, kids)
  const lostDevices = await features.lost_devices.lostOf(trx, kids)
  const worked = dirty.map((row) => {
    const path = has_groups ? groupPath(parents, row.terminal_group_kid) : []
    const fence = fenceOf.get(row.terminal_kid)
    const api_authorisation = apiLists.get(row.terminal_kid)
    const lost = lostDevices.get(row.terminal_kid)
    const of_levels = configForDevice(
      withStaged(settings.get(row.account_kid) ?? of_platform, stagedFor(row.terminal_kid)),
      levelsOf(path, row.terminal_kid, profilesOf({ terminal_kid: row.terminal_kid, groups: path })),
    )
    const config = {
      ...of_levels,
      ...(lost && { lost }),
      ...(lost?.is_lost && { collection: features.lost_devices.collectedWhileLost(of_levels['collection']) }),
      ...(fence && { fence: fences.fenceForDevice(fence) }),
      ...(api_authorisation && { api_authorisation }),
    }
    // A device that was never sent a configuration goes by the preset.
    const before = row.config ?? ((row.config_version ?? 0) === 0 ? configForDevice(nothing, levelsOf([])) : null)
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
