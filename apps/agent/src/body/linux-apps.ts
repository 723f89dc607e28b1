import type { UsageOf } from './body.ts'
import { ownAddresses, programOf, readSockets } from './linux-sockets.ts'
import type { Socket } from './linux-sockets.ts'
import type { Roots } from './linux-read.ts'

export type AppBytes = Pick<UsageOf, 'network' | 'received' | 'sent'> & { app: string }
type Seen = { app: string | undefined; received: number; sent: number }

/** Apps that are told apart in one network; what others use is told with what nobody can tell apart. */
export const apps_max = 50

export type AppsOptions = {
  roots: Roots
  sockets?: () => Promise<Socket[] | undefined>
  addresses?: () => Map<string, string>
}

/**
 * Who sent and received what, by looking at the TCP connections now and then: what a connection carried after the last
 * look at it is not seen, nor is one that came and went between two looks, nor anything but TCP of this machine's own
 * programs. Connections of the machine with itself do not count.
 */
export function linuxApps({ roots, sockets = readSockets, addresses = ownAddresses }: AppsOptions) {
  let seen: Map<string, Seen> | undefined
  let is_able = true
  const waiting = new Map<string, AppBytes>()

  /** `networks`: which kind of network each real interface is. */
  async function look(networks: Record<string, { network: UsageOf['network'] }>): Promise<void> {
    if (!is_able) return
    const found = await sockets()
    if (!found) {
      is_able = false
      return
    }
    const own = addresses()
    const before = seen
    const now = new Map<string, Seen>()
    for (const { id, local, peer, pid, received, sent } of found) {
      const network = networks[own.get(local) ?? '']?.network
      if (!network || own.has(peer)) continue
      const known = before?.get(id)
      // A connection outlives the process that had it.
      const app = known?.app ?? (pid === undefined ? undefined : await programOf(roots, pid))
      now.set(id, { app, received, sent })
      // What passed before anybody looked is of no known day.
      if (before && app !== undefined)
        add({ app, network, received: received - (known?.received ?? 0), sent: sent - (known?.sent ?? 0) })
    }
    // A look that saw nothing at all may have failed: what is known is kept for the next.
    if (found.length > 0 || !seen) seen = now
  }

  function add({ app, network, received, sent }: AppBytes): void {
    if (received + sent <= 0) return
    const key = `${network} ${app}`
    const total = waiting.get(key)
    if (total) {
      total.received += received
      total.sent += sent
    } else if ([...waiting.values()].filter((each) => each.network === network).length < apps_max)
      waiting.set(key, { app, network, received, sent })
  }

  return {
    look,
    /** What was seen since the last time. */
    take(): AppBytes[] {
      const taken = [...waiting.values()]
      waiting.clear()
      return taken
    },
  }
}
