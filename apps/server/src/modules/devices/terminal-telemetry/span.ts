import type { Actor } from '../../../actor.ts'
import { addDays, beginOfDay, dayOf } from '../../../lib/days.ts'
import { zoneOfAccount } from '../../fleet/terminal-batch/index.ts'

export type Asked = { terminal_kid: string; day?: string | undefined; days: number; zone?: string | undefined }
export type DaySpan = { day: string; from: Date; until: Date }

/** The days that are asked for, oldest first, with their first moments in the zone. */
export async function daysOf({ deps, scope, account_kid }: Actor, { day, days, zone: asked }: Asked) {
  const zone = asked ?? (await zoneOfAccount(scope, account_kid))
  const last = day ?? dayOf(deps.clock.now(), zone)
  const names = Array.from({ length: days + 1 }, (_, i) => addDays(last, i + 1 - days))
  const begins = names.map((name) => beginOfDay(name, zone))
  const spans = names.slice(0, -1).map((name, i): DaySpan => ({ day: name, from: begins[i]!, until: begins[i + 1]! }))
  return { zone, spans, from: begins[0]!, until: begins.at(-1)! }
}
