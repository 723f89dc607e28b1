import { location_limits } from '@mdm/contract'
import type { Bounds, Contract, In, TerminalFilter } from '@mdm/contract'
import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { kidsOf } from '../../fleet/terminal-filter/index.ts'

type Calls = Contract['terminalLocation']['calls']
/** Devices that would stand within so many pixels of each other are one cluster. */
const cell_pixels = 64
const tile_pixels = 256

/** Positions are places on the square that web maps draw the world on: fractions from its upper left corner. */
const xOf = (longitude: number): number => (longitude + 180) / 360
const edge_latitude = 85.0511
function yOf(latitude: number): number {
  const radians = (Math.min(Math.max(latitude, -edge_latitude), edge_latitude) * Math.PI) / 180
  return 0.5 - Math.log(Math.tan(Math.PI / 4 + radians / 2)) / (2 * Math.PI)
}
const longitudeOf = (x: number): number => x * 360 - 180
const latitudeOf = (y: number): number => (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI

/** The positions of what matches. Everything that an account has needs no look at the devices themselves. */
async function positions(actor: Actor, filter: TerminalFilter) {
  const all = actor.scope.selectFrom('terminal_position')
  const matching = await kidsOf(actor, filter)
  return matching ? all.where('terminal_position.terminal_kid', 'in', matching) : all
}

function within({ west, south, east, north }: Bounds): RawBuilder<boolean> {
  const [left, right] = [xOf(west), xOf(east)]
  const across =
    left <= right
      ? sql<boolean>`map_x between ${left} and ${right}`
      : sql<boolean>`(map_x >= ${left} or map_x <= ${right})`
  return sql<boolean>`(map_y between ${yOf(north)} and ${yOf(south)} and ${across})`
}

export async function list(actor: Actor, { bounds, zoom, is_clustered, ...filter }: In<Calls['list']>) {
  const found = (await positions(actor, filter)).where(within(bounds))
  if (!is_clustered) {
    const kids = await found
      .select('terminal_kid as kid')
      .orderBy('terminal_kid')
      .limit(location_limits.named)
      .execute()
    const { n } = await found.select(sql<number>`count(*)::int`.as('n')).executeTakeFirstOrThrow()
    return {
      total: n,
      clusters: [],
      devices: await devicesOf(
        actor,
        kids.map(({ kid }) => kid),
      ),
    }
  }
  const cells = sql.lit((2 ** zoom * tile_pixels) / cell_pixels)
  const rows = await found
    .innerJoin('terminal_state', 'terminal_state.terminal_kid', 'terminal_position.terminal_kid')
    .select([
      sql<number>`count(*)::int`.as('count'),
      sql<number>`(sum(count(*)) over ())::int`.as('total'),
      sql<number>`(count(*) filter (where terminal_state.is_online))::int`.as('online'),
      sql<number>`avg(map_x)`.as('x'),
      sql<number>`avg(map_y)`.as('y'),
      ...edges,
      sql<string>`min(terminal_position.terminal_kid::text collate "C")`.as('kid'),
    ])
    .groupBy([sql`floor(map_x * ${cells})`, sql`floor(map_y * ${cells})`])
    .orderBy('count', 'desc')
    .limit(location_limits.marks)
    .execute()
  const clusters = rows
    .filter(({ count }) => count > 1)
    .map(({ count, online, x, y, ...edges_of }) => ({
      count,
      online,
      longitude: longitudeOf(x),
      latitude: latitudeOf(y),
      bounds: boundsOf(edges_of),
    }))
  const alone = rows.filter(({ count }) => count === 1).map(({ kid }) => kid)
  return {
    total: rows[0]?.total ?? 0,
    clusters,
    devices: await devicesOf(actor, alone),
  }
}

const edges = [
  sql<number>`min(map_x)`.as('left'),
  sql<number>`max(map_x)`.as('right'),
  sql<number>`min(map_y)`.as('top'),
  sql<number>`max(map_y)`.as('bottom'),
] as const
type Edges = { left: number; right: number; top: number; bottom: number }
const boundsOf = ({ left, right, top, bottom }: Edges): Bounds => ({
  west: longitudeOf(left),
  east: longitudeOf(right),
  north: latitudeOf(top),
  south: latitudeOf(bottom),
})

async function devicesOf({ scope }: Actor, kids: readonly string[]) {
  if (kids.length === 0) return []
  return scope
    .selectFrom('terminal_position')
    .innerJoin('terminal', 'terminal.kid', 'terminal_position.terminal_kid')
    .innerJoin('terminal_state', 'terminal_state.terminal_kid', 'terminal_position.terminal_kid')
    .select([
      'terminal.kid',
      'terminal.sn',
      'terminal.name',
      'terminal_state.is_online',
      'terminal_state.last_online_at',
      'terminal_position.longitude',
      'terminal_position.latitude',
      'terminal_position.at',
    ])
    .where('terminal_position.terminal_kid', '=', sql<string>`any(${kids}::uuid[])`)
    .orderBy('terminal.sn')
    .execute()
}

/** Where to look: around everything that matches. */
export async function extent(actor: Actor, filter: TerminalFilter) {
  const found = await (
    await positions(actor, filter)
  )
    .select([sql<number>`count(*)::int`.as('placed'), ...edges])
    .executeTakeFirstOrThrow()
  const { placed, ...edges_of } = found
  return { placed, bounds: placed === 0 ? null : boundsOf(edges_of) }
}
