import type { FastifyInstance } from 'fastify'
import { WebSocketServer } from 'ws'
import type { WebSocket } from 'ws'
import type { Deps } from '../../deps.ts'
import type { Accepted, Upgrade } from '../../http/upgrades.ts'
import { limiterOf } from '../../lib/rate-limit.ts'
import { networkOf } from '../../lib/network.ts'
import { authenticateDevice } from '../../link/credentials.ts'

const tries = { limit: 20, per_ms: 60_000 }
/** Of one address, behind which a whole site may sit. */
const tries_of_address = { limit: 600, per_ms: 60_000 }
/** An agent pings at least once a minute. */
const silent_ms = 130_000
const look_ms = 30_000

/** The socket of a device, with what it showed to be let in. */
export type Line = { kid: string; ws: WebSocket; address: string; authorization: string | undefined }
type Held = { line: Line; heard_at: number; stop(): void }
type AgentWithSockets = {
  most_bytes: number
  /** Whose socket it says to be, and the secret for it, by its header and by what follows the path. */
  whose(authorization: string | undefined, rest: string): { kid?: string | undefined; secret?: string | undefined }
  /** Tells it to come, in the words of its agent. */
  wake(line: Line): void
  opened?(line: Line): void
  closed?(line: Line): void
}

/** The socket that a device keeps at or below `path` while it can, over which it is told to come. */
export function mountWakeSockets(app: FastifyInstance, deps: Deps, path: string, agent: AgentWithSockets) {
  const { most_bytes: maxPayload } = agent
  const sockets = new WebSocketServer({ noServer: true, maxPayload, perMessageDeflate: false, autoPong: false })
  const lines = new Map<string, Held>()

  async function accept({ request, rest, address }: Parameters<Upgrade['accept']>[0]): Promise<Accepted | string> {
    const { authorization } = request.headers
    const { kid = '', secret } = agent.whose(authorization, rest)
    const network = networkOf(address)
    const is_flood =
      limiterOf(deps, 'wake sockets of an address', tries_of_address).take(network) > 0 ||
      limiterOf(deps, 'wake sockets', tries).take(`${network} ${kid}`) > 0
    if (is_flood) return '429 Too Many Requests'
    if (secret === undefined || !(await authenticateDevice(deps, kid, secret))) return '401 Unauthorized'
    return (ws) => {
      const line: Line = { kid, ws, address, authorization }
      const held: Held = { line, heard_at: deps.clock.elapsed(), stop: () => {} }
      const hear = () => void (held.heard_at = deps.clock.elapsed())
      // The agent does not answer a close frame.
      const drop = () => ws.terminate()
      const forget = deps.link.wakeBy(kid, { wake: () => agent.wake(line), drop })
      lines.set(kid, held)
      ws.on('ping', hear).on('message', hear)
      ws.on('error', drop)
      ws.on('close', () => {
        forget()
        held.stop()
        if (lines.get(kid) !== held) return
        lines.delete(kid)
        agent.closed?.(line)
      })
      agent.opened?.(line)
      // What was due while nobody could be told.
      agent.wake(line)
    }
  }

  app.upgrades.set(path, { sockets, accept })
  const stop = deps.clock.every(look_ms, async () => {
    for (const { line, heard_at } of lines.values())
      if (deps.clock.elapsed() - heard_at > silent_ms) line.ws.terminate()
  })
  app.addHook('preClose', async () => {
    stop()
  })

  return {
    /** The agent says what became of its commands when it comes the next time: it is asked to, ever more rarely while they last. */
    askAgain(kid: string, busy_ms: number): void {
      const held = lines.get(kid)
      held?.stop()
      if (held) held.stop = deps.clock.after(Math.min(600_000, Math.max(5_000, busy_ms)), () => agent.wake(held.line))
    },
  }
}
