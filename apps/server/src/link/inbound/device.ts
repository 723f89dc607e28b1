import type { Up } from '@mdm/device-link'
import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import { records } from '../../db/records.ts'
import type { Tables } from '../../db/schema/tables.ts'
import type { Heard } from '../../modules/configuration/electronic-fence/index.ts'
import { clampDeviceTime } from './clock.ts'
import { saidOf } from './location.ts'
import type { Said } from './location.ts'

type Parts = Omit<Up['state'], 'seq' | 'device_time'>
type Row = Pick<
  Tables['terminal_state'],
  | 'account_kid'
  | 'epoch'
  | 'boot_id'
  | 'earlier_boot_id'
  | 'config_version'
  | 'last_seq'
  | 'device_time'
  | 'last_online_at'
  | 'connected_at'
  | 'transport'
  | 'silent_at'
  | 'battery_level'
  | 'battery_charging'
  | 'network_type'
  | 'signal'
> & {
  terminal_kid: string
  is_online: boolean
  is_asleep: boolean
  clock_is_off: boolean
}

/** A device's current state while one batch is worked on: read once, changed in memory, written once. */
export type Device = Row & {
  parts: Parts
  /** All of them: a track is made of more than the last one. */
  locations: Said[]
  /** How it says that it stands to its fence. */
  fence: Heard['status']
  state_at: Date | null
  last_contact_at: Date | null
  /** Only what a connection or a hello changed; most messages change none of it. */
  link: Partial<Pick<Tables['terminal_state'], 'node_kid' | 'public_ip' | 'boot_at'>> & {
    is_changed?: boolean
  }
  is_shown: boolean
  /** It has said which configuration it holds. */
  has_said_config: boolean
}

type Read = Omit<Row, 'device_time' | 'last_online_at' | 'connected_at' | 'silent_at'> & {
  device_time: number | null
  last_online_at: number | null
  connected_at: number | null
  silent_at: number | null
}

// Instants come as numbers: parsing three of them from text costs more than all the other columns.
const ms = (column: string) => sql.raw(`(extract(epoch FROM ${column}) * 1000)::float8 AS ${column}`)
const lean = sql`terminal_kid, account_kid, config_version, last_seq, ${ms('device_time')}, is_online, is_asleep, clock_is_off, ${ms('last_online_at')},
  battery_level, battery_charging, network_type, signal`
const full = sql`${lean}, epoch, boot_id, earlier_boot_id, transport, ${ms('connected_at')}, ${ms('silent_at')}`

/**
 * The states of these devices, locked in the order of their ids; those that do not exist (any more) are missing. `is_full`
 * is for batches in which devices connect, leave or say hello: reports need less.
 */
export async function lockDevices(
  trx: Transaction<Tables>,
  kids: string[],
  { is_full, is_alone }: { is_full: boolean; is_alone: boolean },
): Promise<Map<string, Device>> {
  // The embedded database runs one transaction at a time: a row lock would only be one more write.
  const lock = is_alone ? sql`` : sql`FOR NO KEY UPDATE`
  const read = () =>
    sql<Read>`
      SELECT ${is_full ? full : lean} FROM terminal_state
      WHERE terminal_kid = ANY(${kids}::uuid[]) ORDER BY terminal_kid ${lock}
    `.execute(trx)
  let { rows } = await read()
  if (rows.length < kids.length) {
    const { numAffectedRows } = await sql`
      INSERT INTO terminal_state (terminal_kid, account_kid)
      SELECT kid, account_kid FROM terminal WHERE kid = ANY(${kids}::uuid[]) ORDER BY kid ON CONFLICT DO NOTHING
    `.execute(trx)
    // Another server may have added the row meanwhile: a device that is new to both is no stranger.
    if (numAffectedRows || !is_alone) rows = (await read()).rows
  }
  const date = (at: number | null | undefined) => (at == null ? null : new Date(at))
  return new Map(
    rows.map((row) => [
      row.terminal_kid,
      {
        ...row,
        device_time: date(row.device_time),
        last_online_at: date(row.last_online_at),
        connected_at: date(row.connected_at),
        silent_at: date(row.silent_at),
        parts: {},
        locations: [],
        fence: undefined,
        state_at: null,
        last_contact_at: null,
        link: {},
        is_shown: false,
        has_said_config: false,
      },
    ]),
  )
}

/** Takes over the parts a report has; of several reports of one batch the later one wins, part by part. */
export function mergeParts(
  device: Device,
  parts: Parts,
  { at, reported_at, is_kept }: { at: Date; reported_at: Date; is_kept: boolean },
): void {
  const { battery, network, sims, wifi, run, location, foreground_app, fence } = parts
  const into = device.parts
  if (battery) {
    into.battery = battery
    device.battery_level = battery.level
    device.battery_charging = battery.charging
  }
  if (network) {
    into.network = network
    device.network_type = network.type
    if (network.type === 'none') device.signal = null
  }
  if (sims) into.sims = sims
  if (wifi) into.wifi = wifi
  if (run) into.run = run
  if (location) {
    const said = saidOf(device, location, at, reported_at)
    // Dated as in the track.
    into.location = location.at === undefined ? said.location : { ...said.location, at: said.at.toISOString() }
    if (is_kept) device.locations.push(said)
  }
  if (foreground_app !== undefined) into.foreground_app = foreground_app
  if (fence) device.fence = { ...fence, clamped_at: clampDeviceTime(fence.at, at).at }
  const signal = network?.signal ?? wifi?.signal ?? sims?.find((sim) => sim.signal !== undefined)?.signal
  if (signal !== undefined) device.signal = signal
  device.state_at = at
  device.is_shown = true
}

/** Writes what the batch changed: one statement for reports, one more when devices came or went. */
export async function writeDevices(trx: Transaction<Tables>, devices: Iterable<Device>): Promise<void> {
  const touched = [...devices]
  const reported = touched.filter((device) => device.last_contact_at !== null)
  if (reported.length > 0) {
    const rows = reported.map((d) => ({
      k: d.terminal_kid,
      c: d.last_contact_at,
      t: d.device_time,
      o: d.clock_is_off,
      q: d.last_seq,
      v: d.config_version,
      a: d.state_at,
      l: d.battery_level,
      g: d.battery_charging,
      n: d.network_type,
      s: d.signal,
      ...d.parts,
    }))
    await sql`
      UPDATE terminal_state s SET last_contact_at = r.c, device_time = r.t, clock_is_off = r.o, last_seq = r.q,
        config_version = r.v,
        state_at = COALESCE(r.a, s.state_at), battery_level = r.l, battery_charging = r.g, network_type = r.n, signal = r.s,
        battery = COALESCE(r.battery, s.battery), network = COALESCE(r.network, s.network), sims = COALESCE(r.sims, s.sims),
        wifi = COALESCE(r.wifi, s.wifi), run = COALESCE(r.run, s.run), location = COALESCE(r.location, s.location),
        foreground_app = COALESCE(r.foreground_app, s.foreground_app)
      FROM ${records(rows).as(`r(k uuid, c timestamptz, t timestamptz, o boolean, q bigint, v bigint, a timestamptz,
        l real, g text, n text, s real, battery jsonb, network jsonb, sims jsonb, wifi jsonb, run jsonb, location jsonb,
        foreground_app text)`)}
      WHERE s.terminal_kid = r.k
    `.execute(trx)
  }
  const linked = touched.filter((device) => device.link.is_changed)
  if (linked.length > 0) {
    const rows = linked.map((d) => ({
      k: d.terminal_kid,
      is_online: d.is_online,
      is_asleep: d.is_asleep,
      epoch: d.epoch,
      connected_at: d.connected_at,
      last_online_at: d.last_online_at,
      transport: d.transport,
      silent_at: d.silent_at,
      boot_id: d.boot_id,
      earlier_boot_id: d.earlier_boot_id,
      ...d.link,
      is_moved: d.link.node_kid !== undefined,
    }))
    await sql`
      UPDATE terminal_state s SET is_online = r.is_online, is_asleep = r.is_asleep, epoch = r.epoch, connected_at = r.connected_at,
        last_online_at = r.last_online_at, boot_id = r.boot_id,
        earlier_boot_id = r.earlier_boot_id, boot_at = COALESCE(r.boot_at, s.boot_at),
        node_kid = CASE WHEN r.is_moved THEN r.node_kid ELSE s.node_kid END,
        transport = r.transport, silent_at = r.silent_at, public_ip = COALESCE(r.public_ip, s.public_ip)
      FROM ${records(rows).as(`r(k uuid, is_online boolean, is_asleep boolean, epoch text, connected_at timestamptz,
        last_online_at timestamptz, boot_id text, earlier_boot_id text, boot_at timestamptz, node_kid uuid,
        transport text, silent_at timestamptz, public_ip text, is_moved boolean)`)}
      WHERE s.terminal_kid = r.k
    `.execute(trx)
  }
}
