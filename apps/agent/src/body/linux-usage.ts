import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { Usage } from '@mdm/device-link'
import type { UsageOf } from './body.ts'
import { readText } from './linux-read.ts'
import type { Roots } from './linux-read.ts'

const Counters = z.object({ received: z.number(), sent: z.number() })
const Kept = z.object({ boot_id: z.string(), counters: z.record(z.string(), Counters), totals: z.array(Usage) })
type Counters = z.infer<typeof Counters>
type Kept = z.infer<typeof Kept>
const days_kept = 3

/** Bytes of each real interface since it came up; virtual ones would count the same bytes again. */
export async function readCounters({
  proc,
  sys,
}: Roots): Promise<Record<string, Counters & { network: UsageOf['network'] }>> {
  const lines = ((await readText(join(proc, 'net/dev'))) ?? '').split('\n')
  const found: Record<string, Counters & { network: UsageOf['network'] }> = {}
  for (const line of lines) {
    const match = /^\s*([^:\s]+):\s*(.*)$/.exec(line)
    const [, name = '', rest = ''] = match ?? []
    const fields = rest.trim().split(/\s+/).map(Number)
    if (!match || name === 'lo' || /^(veth|docker|br-|virbr|tun|tap|wg)/.test(name)) continue
    const is_wifi = (await readdir(join(sys, 'class/net', name, 'wireless')).catch(() => undefined)) !== undefined
    const network =
      is_wifi || name.startsWith('wl') ? 'wifi' : /^(wwan|ppp|rmnet|usb-wwan)/.test(name) ? 'mobile' : 'ethernet'
    found[name] = { received: fields[0] || 0, sent: fields[8] || 0, network }
  }
  return found
}

/**
 * Totals of each day from counters that begin anew with every boot. They are kept on disk, so that a restart of the agent
 * loses nothing and counts nothing twice; what was used while it did not run counts for the day it is back.
 */
export function linuxUsage(options: { roots: Roots; data: string; now: () => Date }) {
  const file = join(options.data, 'usage.json')
  let kept: Kept | undefined
  async function open(boot_id: string): Promise<Kept> {
    const stored = await readFile(file, 'utf8')
      .then(JSON.parse, () => undefined)
      .catch(() => undefined)
    return Kept.safeParse(stored).data ?? { boot_id, counters: {}, totals: [] }
  }
  return async (boot_id: string): Promise<UsageOf[]> => {
    kept ??= await open(boot_id)
    const now = options.now()
    const day = now.toISOString().slice(0, 10)
    const oldest = new Date(now.getTime() - days_kept * 86_400_000).toISOString().slice(0, 10)
    const totals = kept.totals.filter((each) => each.day >= oldest).map((each) => ({ ...each }))
    const counters = await readCounters(options.roots)
    const is_first = kept.totals.length === 0 && Object.keys(kept.counters).length === 0
    for (const [name, { network, ...counter }] of Object.entries(counters)) {
      const before = kept.boot_id === boot_id ? kept.counters[name] : undefined
      // What passed before the agent was ever there is of no known day.
      if (is_first) continue
      const since = (now: number, then = 0) => (now >= then ? now - then : now)
      const received = since(counter.received, before?.received)
      const sent = since(counter.sent, before?.sent)
      const total = totals.find((each) => each.day === day && each.network === network)
      if (total) {
        total.received += received
        total.sent += sent
      } else totals.push({ day, network, received, sent })
    }
    kept = {
      boot_id,
      totals,
      counters: Object.fromEntries(
        Object.entries(counters).map(([name, { received, sent }]) => [name, { received, sent }]),
      ),
    }
    await writeFile(`${file}.new`, JSON.stringify(kept), { mode: 0o600 })
    await rename(`${file}.new`, file)
    return totals
  }
}
