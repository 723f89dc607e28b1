import type { FastifyInstance } from 'fastify'
import { WebSocketServer } from 'ws'
import type { WebSocket } from 'ws'
import type { Deps } from '../../deps.ts'
import type { Accepted, Upgrade } from '../../http/upgrades.ts'
import { limiterOf } from '../../lib/rate-limit.ts'
import { networkOf } from '../../lib/network.ts'
import { authenticateDevice } from '../../link/credentials.ts'
import { bearerSecret } from './strangers.ts'

const tries = { limit: 20, per_ms: 60_000 }
/** Of one address, behind which a whole site may sit. */
const tries_of_address = { limit: 600, per_ms: 60_000 }
/** An agent pings at least once a minute. */
const silent_ms = 130_000
const look_ms = 30_000

type Line = { ws: WebSocket; heard_at: number; stop(): void }

/** The socket that a device keeps below `path` while it can: nothing is said over it but that it shall come, in the words of its agent. */
export function mountWakeSockets(app: FastifyInstance, deps: Deps, path: string, come: object) {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 1_024, perMessageDeflate: false, autoPong: false })
  const lines = new Map<string, Line>()

  async function accept({ request, rest: kid, address }: Parameters<Upgrade['accept']>[0]): Promise<Accepted | string> {
    const secret = bearerSecret(request.headers.authorization)
    const network = networkOf(address)
    const is_flood =
      limiterOf(deps, 'wake sockets of an address', tries_of_address).take(network) > 0 ||
      limiterOf(deps, 'wake sockets', tries).take(`${network} ${kid}`) > 0
    if (is_flood) return '429 Too Many Requests'
    if (secret === undefined || !(await authenticateDevice(deps, kid, secret))) return '401 Unauthorized'
    return (ws) => {
      const line: Line = { ws, heard_at: deps.clock.elapsed(), stop: () => {} }
      // The agent does not answer a close frame.
      const drop = () => ws.terminate()
      const forget = deps.link.wakeBy(kid, { wake: () => wake(line), drop })
      lines.set(kid, line)
      ws.on('ping', () => void (line.heard_at = deps.clock.elapsed()))
      ws.on('error', drop)
      ws.on('close', () => {
        forget()
        line.stop()
        if (lines.get(kid) === line) lines.delete(kid)
      })
      // What was due while nobody could be told.
      wake(line)
    }
  }
  const wake = ({ ws }: Line): void => ws.send(JSON.stringify(come), () => {})

  app.upgrades.set(path, { sockets, accept })
  const stop = deps.clock.every(look_ms, async () => {
    for (const { ws, heard_at } of lines.values()) if (deps.clock.elapsed() - heard_at > silent_ms) ws.terminate()
  })
  app.addHook('preClose', async () => {
    stop()
  })

  return {
    /** The agent says what became of its commands when it comes the next time: it is asked to, ever more rarely while they last. */
    askAgain(kid: string, busy_ms: number): void {
      const line = lines.get(kid)
      line?.stop()
      if (line) line.stop = deps.clock.after(Math.min(600_000, Math.max(5_000, busy_ms)), () => wake(line))
    },
  }
}
