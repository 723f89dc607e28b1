import { downTopic } from '@mdm/device-link'
import type { Down } from '@mdm/device-link'
import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import { transactionThen } from '../db/after-commit.ts'
import type { Tables } from '../db/schema/tables.ts'
import type { Deps } from '../deps.ts'
import { wakeLoop, wake } from '../lib/background.ts'
import { fencesOf, forDevice as fenceForDevice, opened } from '../modules/electronic-fence/service.ts'
import type { SealedFence } from '../modules/electronic-fence/service.ts'
import {
  forDevice,
  groupPath,
  heldOf,
  holdsSecrets,
  isEqual,
  levelsOf,
  settingsOf,
  unsealAll,
  configurationChanges,
  withHeld,
} from '../modules/terminal-config/service.ts'
import { groupBy } from './group-by.ts'
import { eventKid, insertEvents } from './inbound/event.ts'
import { resend_ms } from './outbound.ts'
import { beyondPacket } from './packet.ts'
import type { Delivery } from './peer.ts'
import { count } from './stats.ts'

const batch_size = 500
/** Saving wakes the sender; a device that changed its group, or work of another server, is found by looking. */
const tick_ms = { embedded: 10_000, postgres: 3_000 }

type Due = {
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
  config_version: number | null
  config_sections: string[] | null
  judges_fence: boolean
  max_packet: number | null
}

const dueRows = sql`
  SELECT c.terminal_kid, c.account_kid, t.terminal_group_kid, c.version, c.config, c.is_dirty, c.is_forced,
    c.sends, c.sent_at, s.is_online, s.config_version, t.config_sections, t.judges_fence, t.max_packet
  FROM terminal_config_delivery c JOIN terminal t ON t.kid = c.terminal_kid
    JOIN terminal_state s ON s.terminal_kid = c.terminal_kid`

/**
 * Works out what devices ought to hold once something was saved, whether they are there or not: it gets a new version only if
 * it is something else than before. It is sent to those who are connected, again and again until they say that they go by it.
 * Who is not there is left alone: hello compares what the device holds with what it ought to.
 */
export function startConfigSender(
  deps: Deps,
  options: {
    deliver(kid: string, topic: string, payload: string): Promise<Delivery>
    /** An external broker reaches every device from every node. */
    node_kid: string | null
  },
) {
  const loop = wakeLoop(
    async (isClosed) => {
      while (!isClosed() && (await sendDue()) === batch_size);
    },
    (error) => deps.log.warn({ err: error }, 'sending of configurations failed'),
  )

  /** One batch; says how many rows were due. */
  async function sendDue(): Promise<number> {
    const now = deps.clock.now()
    const { due, told } = await deps.db.transaction().execute(async (trx) => {
      // Both rows are locked, so that a hello of this moment is seen or comes after.
      const { rows } = await sql<Due>`${dueRows}
        WHERE c.send_at <= ${now}
          AND (${options.node_kid}::uuid IS NULL OR NOT s.is_online OR s.node_kid = ${options.node_kid}::uuid)
        ORDER BY c.send_at LIMIT ${batch_size} FOR NO KEY UPDATE OF c, s SKIP LOCKED
      `.execute(trx)
      if (rows.length === 0) return { due: 0, told: [] }
      const work = await workOut(trx, rows)
      const told = work.filter((row) => row.is_online && row.version !== (row.config_version ?? 0))
      await noteSent(trx, now, told)
      const is_told = new Set(told)
      const rest = work.filter((row) => !is_told.has(row))
      await park(
        trx,
        rest.map((row) => row.terminal_kid),
      )
      return { due: rows.length, told }
    })
    // One that turned out to be the same has nothing to wait for.
    if (told.length < due) wake(deps, configurationChanges)
    for (const row of told) {
      count('configs_sent')
      send(row).catch((error: unknown) =>
        deps.log.debug({ err: error, terminal_kid: row.terminal_kid }, 'configuration not sent'),
      )
      deps.live.publish(row.account_kid, { type: 'terminal_config', kid: row.terminal_kid })
    }
    return due
  }

  async function send(row: Due): Promise<void> {
    const payload = await payloadOf(deps, row)
    const beyond = beyondPacket(row, 'config', payload)
    if (beyond) await tellTooLarge(deps, row, beyond)
    else await options.deliver(row.terminal_kid, downTopic(row.terminal_kid, 'config'), payload)
  }

  /** Before its turn, and without sending: what one device ought to hold. Its turn of this moment is waited for. */
  async function workOutOne(kid: string): Promise<void> {
    await deps.db.transaction().execute(async (trx) => {
      const { rows } = await sql<Due>`${dueRows}
        WHERE c.terminal_kid = ${kid}::uuid AND c.is_dirty FOR NO KEY UPDATE OF c`.execute(trx)
      await workOut(trx, rows)
    })
  }

  const stop = deps.clock.every(tick_ms[deps.database.kind], () => {
    loop.wake()
    return loop.running()
  })
  return {
    wake: loop.wake,
    workOutOne,
    async close(): Promise<void> {
      stop()
      await loop.close()
    },
  }
}

type Told = Omit<Down['config']['config'], 'fence'> & { fence?: SealedFence }

/**
 * What of its configuration a device is told: secrets only of what it has said that it can obey, and a fence only where it watches
 * that itself. A device that has not said what it can obey is told everything.
 */
export function toldTo(
  config: Told,
  { config_sections, judges_fence }: Pick<Due, 'config_sections' | 'judges_fence'>,
): Told {
  const { fence, ...rest } = config
  const told = Object.entries(rest).filter(
    ([section, value]) => !config_sections || config_sections.includes(section) || !holdsSecrets(value),
  )
  return { ...Object.fromEntries(told), ...(fence && judges_fence && { fence }) } as Told
}

/** What is sealed at rest is opened on its way out, and nowhere else. */
async function payloadOf(deps: Deps, due: Due): Promise<string> {
  const { version } = due
  const { fence, ...rest } = toldTo(due.config as Told, due)
  const open = (holdsSecrets(rest) ? await unsealAll(deps, rest) : rest) as Omit<Down['config']['config'], 'fence'>
  const told = { ...open, ...(fence && { fence: await opened(deps, fence) }) }
  return JSON.stringify({ version, config: told } satisfies Down['config'])
}

const park = (trx: Transaction<Tables>, kids: string[]) =>
  sql`UPDATE terminal_config_delivery SET send_at = NULL WHERE terminal_kid = ANY(${kids}::uuid[])`.execute(trx)

/** A version that is more than its device takes was not sent, and is not sent again: the events of the device say so. */
async function tellTooLarge(deps: Deps, row: Due, beyond: { bytes: number; max_packet: number }): Promise<void> {
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

async function noteSent(trx: Transaction<Tables>, now: Date, told: readonly Due[]): Promise<void> {
  if (told.length === 0) return
  const rows = told.map((row) => {
    const wait = resend_ms[Math.min(row.sends, resend_ms.length - 1)]!
    return { k: row.terminal_kid, n: row.sends + 1, at: new Date(now.getTime() + wait) }
  })
  await sql`
    UPDATE terminal_config_delivery d SET sends = r.n, send_at = r.at, sent_at = ${now}::timestamptz
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r(k uuid, n integer, at timestamptz)
    WHERE d.terminal_kid = r.k
  `.execute(trx)
}

/** Of a version that is new, nothing was sent yet. */
async function noteWanted(trx: Transaction<Tables>, worked: readonly Due[]): Promise<void> {
  const rows = worked.map(({ terminal_kid: k, version: v, config: c }) => ({ k, v, c }))
  await sql`
    UPDATE terminal_config_delivery d SET version = r.v, config = r.c, is_dirty = false, is_forced = false,
      sent_at = CASE WHEN d.version = r.v THEN d.sent_at END
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r(k uuid, v bigint, c jsonb)
    WHERE d.terminal_kid = r.k
  `.execute(trx)
}

/** The rows with what their devices ought to hold now, which is kept. */
async function workOut(trx: Transaction<Tables>, rows: Due[]): Promise<Due[]> {
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
  const heldBy = await heldOf(trx, accounts, kids)
  const has_fences = set.some(({ section }) => section === 'fence')
  const fences = has_fences ? await fencesOf(trx, kids) : []
  const fenceOf = new Map(fences.flatMap(({ terminal_kid, fence }) => (fence ? [[terminal_kid, fence] as const] : [])))
  const worked = dirty.map((row) => {
    const path = has_groups ? groupPath(parents, row.terminal_group_kid) : []
    const fence = fenceOf.get(row.terminal_kid)
    const config = {
      ...forDevice(
        withHeld(settings.get(row.account_kid) ?? of_platform, heldBy(row.terminal_kid)),
        levelsOf(path, row.terminal_kid),
      ),
      ...(fence && { fence: fenceForDevice(fence) }),
    }
    // What it goes by that was never told anything.
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
