import { isFinal } from '@mdm/contract'
import { protocolVersions } from '@mdm/device-link'
import type { Up } from '@mdm/device-link'
import { sql } from 'kysely'
import { records } from '../../db/records.ts'
import { publishCoalesced } from '../coalesce.ts'
import { groupBy } from '../group-by.ts'
import { clampDeviceTime, rawDeviceTime } from './clock.ts'
import { configHeld } from './config.ts'
import { mergeParts } from './device.ts'
import { bootKid, insertEvents } from './event.ts'
import type { NewEvent } from './event.ts'
import { eventsLeft, mayReport } from './hourly.ts'
import type { Batch, ItemOf } from './items.ts'
import { refused } from './refused.ts'
import { insertReports, reportOf } from './report.ts'

/** A device says all about itself: what it is, whether it booted since, and which tasks it holds. */
export async function hello(batch: Batch, items: ItemOf<'hello'>[]): Promise<void> {
  const { deps, devices, outbound } = batch
  // A device that said hello twice within a batch means the second one.
  const latest = new Map(items.filter(({ kid }) => devices.has(kid)).map((item) => [item.kid, item]))
  const booted: NewEvent[] = []
  const reports: ReturnType<typeof reportOf>[] = []
  for (const { kid, at, body } of latest.values()) {
    const device = devices.get(kid)!
    device.last_contact_at = at
    device.device_time = rawDeviceTime(body.device_time)
    const { at: reported_at, is_off } = clampDeviceTime(body.device_time, at)
    device.clock_is_off = is_off
    const boot_at = body.boot_at === undefined ? at : clampDeviceTime(body.boot_at, at).at
    if (device.boot_id !== null && device.boot_id !== body.boot_id && eventsLeft(batch, kid, [1]) > 0)
      booted.push({
        kid: bootKid(kid, boot_at),
        account_kid: device.account_kid,
        terminal_kid: kid,
        type: 'boot',
        at: boot_at,
        received_at: at,
        detail: {},
      })
    if (device.boot_id !== body.boot_id) {
      Object.assign(device.link, { boot_at })
      // A boot is over once there was another, or there are two machines.
      if (device.earlier_boot_id === body.boot_id) batch.after(() => outbound.suspect(kid))
      device.earlier_boot_id = device.boot_id
    }
    device.boot_id = body.boot_id
    device.link.is_changed = true
    device.config_version = body.config_version ?? 0
    device.has_said_config = true
    if (body.state) {
      const is_kept = mayReport(batch, kid)
      const said = { received_at: at, device_time: reported_at, seq: device.last_seq ?? 0, parts: body.state }
      if (is_kept) reports.push(reportOf(device, said))
      mergeParts(device, body.state, { at, reported_at, is_kept })
    }
    const { account_kid } = device
    batch.after(() => publishCoalesced(deps, `info ${kid}`, account_kid, { type: 'terminal_info', kid }))
  }
  const said = [...latest.values()]
  await redeliverChanged(batch, said)
  await writeTerminals(batch, said)
  await writePackages(batch, said)
  await insertEvents(batch, booted)
  await insertReports(batch, reports)
  await configHeld(
    batch,
    said.map(({ kid, body }) => ({ kid, version: body.config_version ?? 0 })),
  )
  await reconcile(batch, said)
  await refused(batch, said.filter(speaksOtherwise).map(unspoken))
}

const speaksOtherwise = ({ body }: ItemOf<'hello'>): boolean =>
  body.inventory.protocol_version !== undefined && !protocolVersions.includes(body.inventory.protocol_version)

/** An agent that was replaced may speak a version that this server does not: it is told, as it is when it announces itself. */
const unspoken = ({ kid, at, body }: ItemOf<'hello'>): ItemOf<'refused'> => {
  const message = `this server speaks ${protocolVersions.join(', ')}, not ${body.inventory.protocol_version}`
  const path = 'inventory.protocol_version'
  return {
    kind: 'refused',
    kid,
    at,
    body: { name: 'hello', is_whole: false, parts: [{ path, reason: 'out_of_range', message }] },
  }
}

/** Delivers anew what was withheld from a device that could not apply it, or was sent to one that no longer can. */
async function redeliverChanged({ trx, after, outbound }: Batch, items: ItemOf<'hello'>[]): Promise<void> {
  const rows = items.map(({ kid, body: { inventory } }) => ({
    kid,
    sections: inventory.config_sections?.toSorted(),
    judges_fence: inventory.judges_fence ?? false,
    judges_polygons: inventory.judges_polygons ?? false,
  }))
  if (rows.length === 0) return
  const { numAffectedRows } = await sql`
    INSERT INTO terminal_config_delivery (terminal_kid, account_kid, send_at)
    SELECT t.kid, t.account_kid, 'epoch'::timestamptz
    FROM ${records(rows).as('r(kid uuid, sections text[], judges_fence boolean, judges_polygons boolean)')}
      JOIN terminal t ON t.kid = r.kid
    WHERE t.first_connected_at IS NOT NULL
      AND (t.judges_fence <> r.judges_fence OR t.judges_polygons <> r.judges_polygons
        OR r.sections <> (SELECT array_agg(s ORDER BY s COLLATE "C") FROM unnest(t.config_sections) AS s))
    ORDER BY t.kid
    ON CONFLICT (terminal_kid) DO UPDATE SET is_dirty = true, is_forced = true, sends = 0, send_at = 'epoch'::timestamptz
  `.execute(trx)
  if (numAffectedRows) after(() => outbound.wakeConfigurations())
}

async function writeTerminals({ trx }: Batch, items: ItemOf<'hello'>[]): Promise<void> {
  const rows = items.map(({ kid, at, body: { inventory } }) => {
    const { packages: _, agent = 'mdm', ...facts } = inventory
    return { kid, at, agent, ...facts }
  })
  if (rows.length === 0) return
  await sql`
    UPDATE terminal t SET model = COALESCE(r.model, t.model), os_name = COALESCE(r.os_name, t.os_name),
      os_version = COALESCE(r.os_version, t.os_version), service_version = COALESCE(r.service_version, t.service_version),
      protocol_version = COALESCE(r.protocol_version, t.protocol_version), resolution = COALESCE(r.resolution, t.resolution),
      imei = COALESCE(r.imei, t.imei), host = COALESCE(r.host, t.host),
      task_types = COALESCE(r.task_types, t.task_types), config_sections = COALESCE(r.config_sections, t.config_sections),
      judges_fence = COALESCE(r.judges_fence, false), judges_polygons = COALESCE(r.judges_polygons, false), max_packet = r.max_packet, tunnels = r.tunnels, abis = COALESCE(r.abis, t.abis), sdk = COALESCE(r.sdk, t.sdk),
      package_kinds = COALESCE(r.package_kinds, t.package_kinds), os_formats = COALESCE(r.os_formats, t.os_formats),
      uid = COALESCE(r.uid, t.uid), version_code = COALESCE(r.version_code, t.version_code), ver = COALESCE(r.ver, t.ver),
      first_connected_at = COALESCE(t.first_connected_at, r.at),
      agent_kind = CASE WHEN t.agent_kind IN ('mdm', 'browser') THEN r.agent ELSE t.agent_kind END
    FROM ${records(rows).as(`r(kid uuid, at timestamptz, model text, os_name text, os_version text,
      service_version text, protocol_version integer, resolution text, imei text, host text, uid text, agent text,
      version_code bigint, ver bigint, task_types text[], config_sections text[], abis text[], sdk integer,
      package_kinds text[], os_formats text[], judges_fence boolean, judges_polygons boolean, max_packet integer, tunnels text[])`)}
    WHERE t.kid = r.kid
  `.execute(trx)
}

async function writePackages({ deps, trx, devices }: Batch, items: ItemOf<'hello'>[]): Promise<void> {
  const rows = items
    .filter(({ body }) => body.inventory.packages !== undefined)
    .map(({ kid, at, body }) => ({
      kid,
      account_kid: devices.get(kid)!.account_kid,
      packages: body.inventory.packages,
      at,
    }))
  if (rows.length === 0) return
  const { rows: changed } = await sql<{ kid: string }>`
    SELECT r.kid FROM ${records(rows).as('r(kid uuid, packages jsonb)')}
    LEFT JOIN terminal_inventory i ON i.terminal_kid = r.kid WHERE i.packages IS DISTINCT FROM r.packages
  `.execute(trx)
  const news = new Set(changed.map(({ kid }) => kid))
  await deps.features.installed_apps.keepInstalled(
    trx,
    rows.flatMap(({ kid, packages }) => (news.has(kid) ? [{ terminal_kid: kid, packages: packages! }] : [])),
  )
  await sql`
    INSERT INTO terminal_inventory (terminal_kid, account_kid, packages, updated_at)
    SELECT * FROM ${records(rows).as('r(kid uuid, account_kid uuid, packages jsonb, at timestamptz)')}
    ON CONFLICT (terminal_kid) DO UPDATE SET packages = excluded.packages, updated_at = excluded.updated_at
  `.execute(trx)
}

/**
 * Work that the two ends do not see alike is sent again: the device answers a repeat with what it knows, so nothing has to
 * be concluded here. What it still works on although it has ended here (deadline, retry) is cancelled.
 */
async function reconcile(batch: Batch, items: ItemOf<'hello'>[]): Promise<void> {
  const { trx, outbound } = batch
  const { lockRows, openStates } = batch.deps.features.pushes
  if (items.length === 0) return
  const kids = items.map(({ kid }) => kid)
  const open = await lockRows(trx, sql`p.terminal_kid = ANY(${kids}::uuid[]) AND p.state = ANY(${openStates}::text[])`)
  const openOf = groupBy(open, (row) => row.terminal_kid)
  const due: { push_task_kid: string; terminal_kid: string; at: Date }[] = []
  for (const { kid, at, body } of items) {
    const held = new Map((body.tasks ?? []).map((task) => [keyOf(task), task]))
    const rows = openOf.get(kid) ?? []
    for (const row of rows) {
      const there = held.get(`${row.push_task_kid}.${row.attempt}`)
      if (there?.state === row.state && !row.cancel_asked_at) continue
      due.push({ push_task_kid: row.push_task_kid, terminal_kid: kid, at })
    }
    const known = new Set(rows.map((row) => `${row.push_task_kid}.${row.attempt}`))
    for (const [key, task] of held)
      if (!isFinal(task.state) && !known.has(key))
        batch.after(() => outbound.tell(kid, 'cancel', { task_kid: task.task_kid, attempt: task.attempt }))
  }
  if (due.length === 0) return
  await sql`
    UPDATE push_task_terminal p SET send_at = r.at
    FROM ${records(due).as('r(push_task_kid uuid, terminal_kid uuid, at timestamptz)')}
    WHERE p.push_task_kid = r.push_task_kid AND p.terminal_kid = r.terminal_kid
  `.execute(trx)
  batch.after(() => {
    outbound.forgetSends(due)
    outbound.wakeTasks()
  })
}
const keyOf = (task: NonNullable<Up['hello']['tasks']>[number]): string => `${task.task_kid}.${task.attempt}`
