import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { Usage } from '@mdm/device-link'
import type { UsageOf } from './body.ts'
import { apps_max, linuxApps } from './linux-apps.ts'
import type { AppsOptions } from './linux-apps.ts'
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

/** Seldom enough to spare the disk, often enough that little is lost when the power goes. */
const kept_every_ms = 10 * 60_000

/**
 * Totals of each day from counters that begin anew with every boot: by app as far as apps can be told apart, and without
 * one the rest. They are kept on disk, so that a restart of the agent loses nothing and counts nothing twice; what was used
 * while it did not run counts for the day it is back.
 */
export function linuxUsage({ data, now: clock, ...of }: AppsOptions & { data: string; now: () => Date }) {
  const file = join(data, 'usage.json')
  const apps = linuxApps(of)
  let kept: Kept | undefined
  let kept_at = 0
  async function open(boot_id: string): Promise<Kept> {
    const stored = await readFile(file, 'utf8')
      .then(JSON.parse, () => undefined)
      .catch(() => undefined)
    return Kept.safeParse(stored).data ?? { boot_id, counters: {}, totals: [] }
  }

  async function read(boot_id: string): Promise<UsageOf[]> {
    const before = (kept ??= await open(boot_id))
    const now = clock()
    const day = now.toISOString().slice(0, 10)
    const oldest = new Date(now.getTime() - days_kept * 86_400_000).toISOString().slice(0, 10)
    const totals = before.totals.filter((each) => each.day >= oldest).map((each) => ({ ...each }))
    await apps.look(await readCounters(of.roots))
    // After the connections, so that what they carried is in here too.
    const counters = await readCounters(of.roots)
    const is_first = before.totals.length === 0 && Object.keys(before.counters).length === 0
    const grown = grownSince(before.boot_id === boot_id ? before.counters : {}, counters)
    const told = apps.take()
    // What passed before the agent was ever there is of no known day.
    if (!is_first) {
      for (const use of told) {
        if (!add({ day, ...use })) continue
        const rest = grown.get(use.network)
        if (!rest) continue
        rest.received = Math.max(0, rest.received - use.received)
        rest.sent = Math.max(0, rest.sent - use.sent)
      }
      for (const [network, rest] of grown) add({ day, network, ...rest })
    }
    kept = {
      boot_id,
      totals,
      counters: Object.fromEntries(
        Object.entries(counters).map(([name, { received, sent }]) => [name, { received, sent }]),
      ),
    }
    kept_at = now.getTime()
    await writeFile(`${file}.new`, JSON.stringify(kept), { mode: 0o600 })
    await rename(`${file}.new`, file)
    return totals

    /** False for one app too many. */
    function add(use: UsageOf): boolean {
      const same = totals.filter((each) => each.day === use.day && each.network === use.network)
      const total = same.find(({ app }) => app === use.app)
      if (total) {
        total.received += use.received
        total.sent += use.sent
      } else if (use.app !== undefined && same.filter(({ app }) => app !== undefined).length >= apps_max) return false
      else totals.push({ ...use })
      return true
    }
  }
  return {
    /** To be called every few seconds: what comes and goes between two looks is not told apart. */
    async watch(boot_id: string): Promise<void> {
      if (clock().getTime() - kept_at >= kept_every_ms) await read(boot_id)
      else await apps.look(await readCounters(of.roots))
    },
    read,
  }
}

/** Bytes of each kind of network since. */
function grownSince(
  before: Record<string, Counters>,
  now: Awaited<ReturnType<typeof readCounters>>,
): Map<UsageOf['network'], Counters> {
  const grown = new Map<UsageOf['network'], Counters>()
  const since = (now: number, then = 0) => (now >= then ? now - then : now)
  for (const [name, { network, received, sent }] of Object.entries(now)) {
    const sum = grown.get(network) ?? { received: 0, sent: 0 }
    grown.set(network, {
      received: sum.received + since(received, before[name]?.received),
      sent: sum.sent + since(sent, before[name]?.sent),
    })
  }
  return grown
}
