import { judgeFence, settleFence } from '@mdm/device-link'
import type { FenceArea, FenceCrossing, FenceMemory, FencePosition, Up } from '@mdm/device-link'
import { sql } from 'kysely'
import type { Selectable, Transaction } from 'kysely'
import { records } from '../../../db/records.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import type { NewEvent } from '../../../link/inbound/event.ts'
import { newKid } from '../../../lib/ids.ts'

type Trx = Transaction<Tables>
type Known = Selectable<Tables['terminal_fence']>
type Fence = FenceArea & {
  name: string
  alarm_seconds: number | null
  is_locking: boolean
}
/** A row with its fence. */
type Judged = Omit<Known, 'since' | 'judged_at' | 'settle_at'> & {
  since: number | null
  judged_at: number | null
  fence: Fence
  judges_fence: boolean
}
/** The positions that a device reported, and the status of its fence where it judges that itself. */
export type Heard = {
  terminal_kid: string
  positions: readonly FencePosition[]
  status: (NonNullable<Up['state']['fence']> & { clamped_at: Date }) | undefined
}

const ms = (column: string) => sql.raw(`(extract(epoch FROM t.${column}) * 1000)::float8 AS ${column}`)
/** Rows of these devices and no others: of most there are none, which costs one look into an index. */
async function readJudged(trx: Trx, terminal_kids: readonly string[]): Promise<Judged[]> {
  const { rows } = await sql<Judged>`
    SELECT t.terminal_kid, t.account_kid, t.fence_kid, t.fence_version, t.state, t.crossing, t.is_by_device, ${ms('since')},
      ${ms('judged_at')}, d.judges_fence AND (f.points IS NULL OR d.judges_polygons) AS judges_fence, to_jsonb(f) - 'password_sealed' AS fence
    FROM terminal_fence t JOIN electronic_fence f ON f.kid = t.fence_kid JOIN terminal d ON d.kid = t.terminal_kid
    WHERE t.terminal_kid = ANY(${terminal_kids}::uuid[])
  `.execute(trx)
  return rows
}

/**
 * Judges the reported positions of devices that do not judge their fence themselves, and takes over the status of those that do,
 * where it is about the fence that is in force. Answers the events to be stored, and the accounts in which something has changed.
 */
export async function judgeHeard(trx: Trx, heard: readonly Heard[], received_at: Date): Promise<Outcome> {
  const heardBy = new Map(heard.map((each) => [each.terminal_kid, each]))
  const known = heardBy.size === 0 ? [] : await readJudged(trx, [...heardBy.keys()])
  const changed: Change[] = []
  for (const row of known) {
    const { positions, status } = heardBy.get(row.terminal_kid)!
    if (row.judges_fence) {
      if (status?.fence_kid === row.fence_kid && status.fence_version === row.fence_version)
        changed.push(toldBy(row, status.state, status.clamped_at))
    } else if (positions.length > 0) changed.push(judge(row, positions))
  }
  return write(trx, changed, received_at)
}

/** Time has passed: a device that has been beyond the edge for long enough has crossed it. */
export async function settleDue(trx: Trx, terminal_kids: readonly string[], now: Date): Promise<Outcome> {
  const known = await readJudged(trx, terminal_kids)
  const changed = known.map((row) => {
    const { memory, crossed } = settleFence(row.fence, memoryOf(row), now.getTime())
    return change(row, memory, crossed)
  })
  return write(trx, changed, now)
}

/**
 * Judges devices for which a fence has just come into force, by their last known position. A device that is outside has left the
 * fence now; one that judges itself will report.
 */
export async function judgeBegun(trx: Trx, last: ReadonlyMap<string, FencePosition>, now: Date): Promise<Outcome> {
  const known = await readJudged(trx, [...last.keys()])
  const changed = known.map((row) => {
    const { memory, crossed } = judgeFence(row.fence, memoryOf(row), [last.get(row.terminal_kid)!])
    return change(row, memory, row.judges_fence ? [] : crossed.map((each) => ({ ...each, at: now.getTime() })))
  })
  return write(trx, changed, now)
}

export type Outcome = { events: NewEvent[]; accounts: ReadonlySet<string>; has_actions: boolean }
type Change = {
  row: Judged
  memory: FenceMemory
  since: number | null
  is_by_device: boolean
  crossed: FenceCrossing[]
}

const memoryOf = ({ state, judged_at, crossing }: Judged): FenceMemory => ({ state, judged_at, crossing })

function judge(row: Judged, positions: readonly FencePosition[]): Change {
  const inOrder = positions.toSorted((a, b) => a.at - b.at)
  const { memory, crossed } = judgeFence(row.fence, memoryOf(row), inOrder)
  return change(row, memory, crossed)
}
const change = (row: Judged, memory: FenceMemory, crossed: FenceCrossing[]): Change => ({
  row,
  memory,
  since: crossed.at(-1)?.at ?? (row.state === memory.state ? row.since : memory.judged_at),
  is_by_device: false,
  crossed,
})
const toldBy = (row: Judged, state: 'inside' | 'outside', since: Date): Change => ({
  row,
  memory: { state, judged_at: since.getTime(), crossing: null },
  since: since.getTime(),
  is_by_device: true,
  crossed: [],
})

async function write(trx: Trx, changed: readonly Change[], received_at: Date): Promise<Outcome> {
  if (changed.length === 0) return { events: [], accounts: new Set(), has_actions: false }
  const at = (time: number | null) => (time === null ? null : new Date(time))
  const rows = changed.map(({ row, memory, since, is_by_device }) => ({
    k: row.terminal_kid,
    s: memory.state,
    f: at(since),
    j: at(memory.judged_at),
    c: memory.crossing,
    d: memory.crossing && at(memory.crossing.at + row.fence.duration * 1000),
    b: is_by_device,
  }))
  await sql`
    UPDATE terminal_fence t SET state = r.s, since = r.f, judged_at = r.j, crossing = r.c, settle_at = r.d, is_by_device = r.b
    FROM ${records(rows).as(`r(k uuid, s text, f timestamptz, j timestamptz, c jsonb, d timestamptz,
      b boolean)`)} WHERE t.terminal_kid = r.k
  `.execute(trx)
  const moved = changed.filter(({ row, memory }) => row.state !== memory.state)
  await writeStates(
    trx,
    moved.map(({ row, memory }) => ({ k: row.terminal_kid, s: memory.state })),
  )
  const told = changed.filter(({ crossed }) => crossed.length > 0)
  return {
    events: told.flatMap(({ row, crossed }) => crossed.map((crossing) => eventOf(row, crossing, received_at))),
    accounts: new Set(moved.map(({ row }) => row.account_kid)),
    has_actions: await noteActions(trx, told, received_at),
  }
}

/** As the list and its filters have it. */
export async function writeStates(trx: Trx, rows: readonly { k: string; s: 'inside' | 'outside' | null }[]) {
  if (rows.length === 0) return
  await sql`
    UPDATE terminal_state s SET fence_state = r.s
    FROM ${records(rows).as('r(k uuid, s text)')}
    WHERE s.terminal_kid = r.k AND s.fence_state IS DISTINCT FROM r.s
  `.execute(trx)
}

const eventTypes = { inside: 'fence_in', outside: 'fence_out' } as const
/** The same happening as a device that judges itself tells it. */
function eventOf(row: Judged, { to, at, longitude, latitude }: FenceCrossing, received_at: Date): NewEvent {
  const { terminal_kid, account_kid, fence_kid, fence_version, fence } = row
  return {
    kid: newKid(),
    account_kid,
    terminal_kid,
    type: eventTypes[to],
    at: new Date(at),
    received_at,
    detail: { fence_kid, fence_version, fence: fence.name, longitude, latitude },
  }
}

/** A device that cannot obey its fence by itself is made to by a push. */
async function noteActions(trx: Trx, told: readonly Change[], at: Date): Promise<boolean> {
  const left = told.filter(
    ({ row, memory, crossed }) =>
      memory.state === 'outside' &&
      crossed.at(-1)?.to === 'outside' &&
      (row.fence.is_locking || row.fence.alarm_seconds !== null),
  )
  if (left.length === 0) return false
  await trx
    .insertInto('fence_action')
    .values(
      left.map(({ row: { account_kid, terminal_kid, fence_kid } }) => ({
        kid: newKid(),
        account_kid,
        terminal_kid,
        fence_kid,
        at,
      })),
    )
    .execute()
  return true
}
