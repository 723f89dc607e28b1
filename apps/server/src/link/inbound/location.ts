import type { Up } from '@mdm/device-link'
import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import { records } from '../../db/records.ts'
import type { Tables } from '../../db/schema/tables.ts'
import type { Deps } from '../../deps.ts'
import { publishCoalesced } from '../coalesce.ts'
import { clampDeviceTime } from './clock.ts'

/** What is worth a row of its own in the track of a device (specification, 9). */
const step_metres = 30
const step_ms = 24 * 3_600_000

export type Location = NonNullable<Up['state']['location']>
/** Where a device says that it is; `at` is when it measured that, clamped to `received_at`. */
export type Said = { terminal_kid: string; account_kid: string; location: Location; at: Date; received_at: Date }

/**
 * `reported_at` stands in for what carries no time of its own: the time of the report, clamped. An accuracy of 0 is what
 * receivers say that do not know it.
 */
export const saidOf = (
  device: { terminal_kid: string; account_kid: string },
  { accuracy, ...location }: Location,
  received_at: Date,
  reported_at: Date,
): Said => ({
  terminal_kid: device.terminal_kid,
  account_kid: device.account_kid,
  location: { ...location, ...(accuracy && { accuracy }) },
  at: location.at === undefined ? reported_at : clampDeviceTime(location.at, received_at).at,
  received_at,
})

type Known = { terminal_kid: string; longitude: number; latitude: number; at: number }

/**
 * Keeps where devices were, and answers which positions are new. A step that is too small goes into neither the track
 * nor the map, unless somebody asked for it; one that comes late goes into the track alone.
 */
export async function keepLocations(
  trx: Transaction<Tables>,
  said: readonly Said[],
  { is_asked = false } = {},
): Promise<Said[]> {
  if (said.length === 0) return []
  const kids = [...new Set(said.map(({ terminal_kid }) => terminal_kid))]
  const { rows } = await sql<Known>`
    SELECT terminal_kid, longitude, latitude, (extract(epoch FROM at) * 1000)::float8 AS at
    FROM terminal_position WHERE terminal_kid = ANY(${kids}::uuid[])`.execute(trx)
  const known = new Map(rows.map((row) => [row.terminal_kid, row]))
  const newest = new Map<string, Said>()
  const track: Said[] = []
  for (const each of said.toSorted((a, b) => a.at.getTime() - b.at.getTime())) {
    const { longitude, latitude } = each.location
    const before = known.get(each.terminal_kid)
    const ms = before ? each.at.getTime() - before.at : 0
    const is_step =
      is_asked || !before || Math.abs(ms) >= step_ms || metresBetween(before, each.location) >= step_metres
    if (before && (ms === 0 || !is_step)) continue
    track.push(each)
    if (before && ms < 0) continue
    known.set(each.terminal_kid, { terminal_kid: each.terminal_kid, longitude, latitude, at: each.at.getTime() })
    newest.set(each.terminal_kid, each)
  }
  if (track.length === 0) return []
  const moved = [...newest.values()]
  const of = (from: readonly Said[]) =>
    sql`SELECT * FROM ${records(from.map(rowOf)).as(`r(terminal_kid uuid, account_kid uuid, longitude float8,
      latitude float8, accuracy real, provider text, at timestamptz, received_at timestamptz)`)}`
  const columns = sql`(terminal_kid, account_kid, longitude, latitude, accuracy, provider, at, received_at)`
  await sql`INSERT INTO terminal_track ${columns} ${of(track)}`.execute(trx)
  await sql`
    INSERT INTO terminal_position ${columns} ${of(moved)}
    ON CONFLICT (terminal_kid) DO UPDATE SET longitude = excluded.longitude, latitude = excluded.latitude,
      accuracy = excluded.accuracy, provider = excluded.provider, at = excluded.at, received_at = excluded.received_at
  `.execute(trx)
  return moved
}
const rowOf = ({ location: { longitude, latitude, accuracy, provider }, ...rest }: Said) => ({
  ...rest,
  longitude,
  latitude,
  accuracy,
  provider,
})

export function publishLocations(deps: Deps, moved: readonly Said[]): void {
  for (const { terminal_kid: kid, account_kid, location, at } of moved)
    publishCoalesced(deps, `location ${kid}`, account_kid, {
      type: 'terminal_location',
      kid,
      longitude: location.longitude,
      latitude: location.latitude,
      at: at.toISOString(),
    })
}

type Place = { longitude: number; latitude: number }
/** Near enough for a step: on a plane that touches the earth between the two. */
function metresBetween(a: Place, b: Place): number {
  const per_degree = 111_320
  const width = Math.cos((((a.latitude + b.latitude) / 2) * Math.PI) / 180)
  const across = (((b.longitude - a.longitude + 540) % 360) - 180) * width * per_degree
  return Math.hypot(across, (b.latitude - a.latitude) * per_degree)
}
