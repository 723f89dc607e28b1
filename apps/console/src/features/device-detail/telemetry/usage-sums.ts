import { usageNetworks } from '@mdm/contract'
import type { UsageNetwork } from '@mdm/contract'

export type UsageItem = {
  day: string
  app: string
  title: string | null
  network: UsageNetwork
  received: number
  sent: number
}
export type Sum = { received: number; sent: number; total: number } & Record<UsageNetwork, number>

const nothing = (): Sum => ({ received: 0, sent: 0, total: 0, wifi: 0, mobile: 0, ethernet: 0 })

export function sumOf(items: readonly UsageItem[]): Sum {
  const sum = nothing()
  for (const { network, received, sent } of items) {
    sum.received += received
    sum.sent += sent
    sum.total += received + sent
    sum[network] += received + sent
  }
  return sum
}

/** Every day from the first to the last, also those without a byte. */
export function byDay(items: readonly UsageItem[], first: string, last: string): (Sum & { day: string })[] {
  const days = Math.round((Date.parse(last) - Date.parse(first)) / 86_400_000) + 1
  return Array.from({ length: days }, (_, i) => {
    const day = new Date(Date.parse(first) + i * 86_400_000).toISOString().slice(0, 10)
    return { day, ...sumOf(items.filter((item) => item.day === day)) }
  })
}

/** Those who used most first. */
export function byApp(items: readonly UsageItem[]): (Sum & { app: string; title: string | null })[] {
  const titles = new Map(items.map(({ app, title }) => [app, title]))
  return [...titles]
    .map(([app, title]) => ({ app, title, ...sumOf(items.filter((item) => item.app === app)) }))
    .toSorted((a, b) => b.total - a.total)
}

/** The networks that were used at all. */
export const networksOf = (items: readonly UsageItem[]): UsageNetwork[] =>
  usageNetworks.filter((network) => items.some((item) => item.network === network))
