import type { UsageOf } from './body.ts'
import type { Random } from './random.ts'
import { apps } from './simulated-models.ts'

const days_kept = 3

/** What the apps of a device sent and received, by day (UTC), app and network. */
export function simulateUsage(random: Random) {
  const totals = new Map<string, UsageOf>()
  /** Some devices work with pictures, most with short messages. */
  const appetite = random.between(2_000, 60_000)

  function add(day: string, network: UsageOf['network'], app: string, received: number, sent: number) {
    const key = `${day} ${network} ${app}`
    const before = totals.get(key)
    totals.set(key, {
      day,
      network,
      app,
      received: (before?.received ?? 0) + received,
      sent: (before?.sent ?? 0) + sent,
    })
  }
  return {
    /** `seconds` of life with this app in front. */
    live(now: Date, seconds: number, network: UsageOf['network'], foreground: string) {
      const day = now.toISOString().slice(0, 10)
      for (const [app] of apps) {
        const share = app === foreground ? 1 : random.next() < 0.2 ? 0.05 : 0
        const received = Math.round(appetite * seconds * share * random.between(0.2, 1.8))
        if (received > 0) add(day, network, app, received, Math.round(received * random.between(0.05, 0.4)))
      }
      const kept = new Date(now.getTime() - days_kept * 86_400_000).toISOString().slice(0, 10)
      for (const [key, usage] of totals) if (usage.day < kept) totals.delete(key)
    },
    read: (): UsageOf[] => [...totals.values()].map((usage) => ({ ...usage })),
  }
}
