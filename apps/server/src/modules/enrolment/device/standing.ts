import type { StandingReply } from '@mdm/device-link'
import type * as z from 'zod'
import type { Deps } from '../../../deps.ts'
import { digest } from '../../../lib/ids.ts'
import { mqttUrls } from '../addresses.ts'
import { authenticateDevice } from '../../../link/credentials.ts'

type Standing = z.output<typeof StandingReply>

const first_s = 30
const most_s = 3_600
/** One that has not asked for so long begins anew. */
const forgotten_ms = 24 * 60 * 60_000
const most_remembered = 20_000

const all = new WeakMap<Deps['database'], Map<string, { times: number; at: number }>>()

/**
 * Whether a device may connect, asked by one whose CONNECT was refused. Who is not known is told to wait, twice as long
 * each time; a right secret never waits, whatever others say in its name.
 */
export async function standing(deps: Deps, kid: string, secret: string, host?: string): Promise<Standing> {
  if (await authenticateDevice(deps, kid, secret))
    return { state: 'registered', retry_after: 0, mqtt: mqttUrls(deps, host) }
  let asked = all.get(deps.database)
  if (!asked) all.set(deps.database, (asked = new Map()))
  const key = digest(`${kid}:${secret}`).toString('base64')
  const now = deps.clock.now().getTime()
  const before = asked.get(key)
  const times = before && now - before.at < forgotten_ms ? before.times + 1 : 0
  asked.delete(key)
  asked.set(key, { times, at: now })
  if (asked.size > most_remembered) asked.delete(asked.keys().next().value!)
  return { state: 'unknown', retry_after: Math.min(most_s, first_s * 2 ** Math.min(times, 20)) }
}
