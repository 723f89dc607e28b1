import type { StandingReply } from '@mdm/device-link'
import type * as z from 'zod'
import type { Deps } from '../../../../deps.ts'
import { digest } from '../../../../lib/ids.ts'
import { mqttUrls } from '../../../../addresses.ts'
import { authenticateDevice, quarantineOf } from '../../../../link/credentials.ts'

type Standing = z.output<typeof StandingReply>

const first_s = 30
const most_s = 3_600
/** How often a device in quarantine asks again: it may be lifted at any time. */
const quarantine_s = 60
/** One that has not asked for so long begins anew. */
const forgotten_ms = 24 * 60 * 60_000
const most_remembered = 20_000

/** How often who is not known has asked, by a digest of what it said that it was. */
export type AskedStanding = Map<string, { times: number; at: number }>

/**
 * Whether a device may connect, asked by one whose CONNECT was refused. Who is not known is told to wait, twice as long
 * each time; a right secret does not, whatever others say in its name.
 */
export async function standing(deps: Deps, kid: string, secret: string, asked_at?: string): Promise<Standing> {
  if (await authenticateDevice(deps, kid, secret))
    return { state: 'registered', retry_after: 0, mqtt: mqttUrls(deps, asked_at) }
  const until = await quarantineOf(deps, kid, secret)
  if (until) {
    const left_s = Math.ceil((until.getTime() - deps.clock.now().getTime()) / 1000)
    const retry_after = Math.max(1, Math.min(quarantine_s, left_s))
    return { state: 'quarantined', retry_after, quarantined_until: until.toISOString() }
  }
  const asked = deps.memory.standing
  const key = digest(`${kid}:${secret}`).toString('base64')
  const now = deps.clock.now().getTime()
  const before = asked.get(key)
  const times = before && now - before.at < forgotten_ms ? before.times + 1 : 0
  asked.delete(key)
  asked.set(key, { times, at: now })
  if (asked.size > most_remembered) asked.delete(asked.keys().next().value!)
  return { state: 'unknown', retry_after: Math.min(most_s, first_s * 2 ** Math.min(times, 20)) }
}
