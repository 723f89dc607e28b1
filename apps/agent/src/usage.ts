import type { Body, UsageOf } from './body/body.ts'
import type { Clock } from './clock.ts'
import type { DeviceConfig } from './config.ts'
import type { DeviceEventOf } from './body/body.ts'

const hour_ms = 3_600_000

/** Says now and then how much was used: totals of each day so far, those that grew. */
export function openUsage(options: {
  body: Body
  clock: Clock
  config: DeviceConfig
  every_ms: number | undefined
  add: (events: DeviceEventOf[]) => Promise<void>
}) {
  const { body, clock, config } = options
  const told = new Map<string, number>()
  let told_at = -Infinity
  return {
    async sample(): Promise<void> {
      const now = clock.now()
      const { is_usage_on, every_hours } = config.collection
      const every_ms = options.every_ms ?? every_hours * hour_ms
      if (!is_usage_on) return
      if (now.getTime() - told_at < every_ms) return body.watch_usage?.()
      told_at = now.getTime()
      const grown = (await body.usage()).filter((usage) => told.get(keyOf(usage)) !== usage.received + usage.sent)
      const today = now.toISOString().slice(0, 10)
      // Of days that are long over nothing comes any more.
      for (const key of told.keys()) if (key < addDays(today, -3)) told.delete(key)
      for (const usage of grown) told.set(keyOf(usage), usage.received + usage.sent)
      await options.add(grown.map((usage) => ({ type: 'usage', at: now.toISOString(), detail: { ...usage } })))
    },
  }
}

const keyOf = ({ day, network, app = '' }: UsageOf): string => `${day} ${network} ${app}`
const addDays = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * 24 * hour_ms).toISOString().slice(0, 10)
