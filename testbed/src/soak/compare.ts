import { metresBetween } from '@mdm/agent/changes.ts'
import type { UsageOf } from '@mdm/agent/body/body.ts'
import type { Caller } from '../caller.ts'
import { secondsOf } from './truth.ts'
import type { Truth } from './truth.ts'

export type Subject = { sn: string; kid: string; truth: Truth; usage: UsageOf[] }
/** A figure of both sides, summed over all devices, and how many devices differ by more than is allowed. */
export type Line = { what: string; simulated: number; server: number; differing: number; worst: string }

const hour_ms = 3_600_000
/**
 * For every connection: both ends of the link notice a beginning and an end on their own, and a machine that is busy
 * takes its time to do so.
 */
const slack_s = 3
/** The threshold of a move: the server need not know the last steps before it. */
const place_m = 30

/** Asks the server's own calls, as the console does, and compares with what the devices did. */
export async function compare(call: Caller, subjects: readonly Subject[], begun: number, now: number) {
  const lines = new Map<string, Line>()
  const note = (what: string, sn: string, simulated: number, server: number, allowed: number) => {
    const line = lines.get(what) ?? { what, simulated: 0, server: 0, differing: 0, worst: '' }
    line.simulated += simulated
    line.server += server
    if (!(Math.abs(simulated - server) <= allowed)) {
      line.differing += 1
      if (line.worst === '') line.worst = `${sn}: ${round(simulated)} and ${round(server)}`
    }
    lines.set(what, line)
  }
  const days = Math.ceil((now - begun) / (24 * hour_ms)) + 1
  for (const { sn, kid, truth, usage } of subjects) {
    const asked = { terminal_kid: kid, days, zone: 'UTC' }
    const curve = await call.terminalTelemetry.get_online_curve(asked)
    const intervals = curve.days.flatMap((day) => day.intervals)
    const within = intervals.filter((each) => Date.parse(each.until) > begun)
    const midnights = within.filter(({ end }) => end === 'day').length
    note('connections', sn, truth.spells.length, within.length - midnights, truth.unanswered)
    // Whoever is asked last has been online for longer: the devices are compared as they were at one moment.
    const until_now = (until: string) => Math.min(Date.parse(until), now)
    const online_s = within.reduce((sum, { from, until }) => sum + until_now(until) - Date.parse(from), 0) / 1000
    note('seconds online', sn, secondsOf(truth.spells, now), online_s, slack_s * Math.max(1, truth.spells.length))

    const battery = await call.terminalTelemetry.list_battery(asked)
    for (const trigger of ['connect', 'charge', 'disconnect', 'outage'] as const) {
      const real = truth.triggers.filter((each) => each.trigger === trigger)
      const told = battery.triggers.filter((each) => each.trigger === trigger)
      const arrived = real.filter(({ at, level }) => told.some((each) => each.at === at && each.level === level))
      // When all have arrived, what the server tells beside them is too much.
      note(`battery: ${trigger}`, sn, real.length, arrived.length < real.length ? arrived.length : told.length, 0)
    }
    const { items } = await call.terminalTelemetry.list_usage(asked)
    for (const network of ['wifi', 'mobile', 'ethernet'] as const) {
      const of = (rows: readonly UsageOf[]) =>
        rows.filter((row) => row.network === network).reduce((sum, row) => sum + row.received + row.sent, 0)
      note(`bytes: ${network}`, sn, of(usage), of(items), 0)
    }
    const { location } = await call.terminal.get({ kid })
    const last = truth.places.at(-1)
    if (last)
      note('metres from the last place', sn, 0, location ? metresBetween(last, location as never) : NaN, place_m)
  }
  return [...lines.values()]
}

const round = (value: number): string => String(Math.round(value * 10) / 10)

export function table(lines: readonly Line[]): string {
  const rows = lines.map(({ what, simulated, server, differing, worst }) => [
    what,
    round(simulated),
    round(server),
    differing === 0 ? 'same' : `${differing} devices differ, as ${worst}`,
  ])
  const all = [['', 'simulated', 'server', ''], ...rows]
  const widths = [0, 1, 2].map((i) => Math.max(...all.map((row) => row[i]!.length)))
  return all
    .map((row) => row.map((cell, i) => (i === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[i] ?? 0))).join('  '))
    .join('\n')
}
