import type { FastifyInstance } from 'fastify'
import * as z from 'zod'
import { TunnelOpen } from '@mdm/device-link'
import type { Down } from '@mdm/device-link'
import type { Deps } from '../../deps.ts'
import { bearerOf } from '../../link/credentials.ts'
import { tunnelEnds } from '../shared/tunnel-end.ts'
import type { TunnelParams } from '../shared/tunnel-end.ts'
import { DeviceFault } from '../shared/tunnel-files.ts'
import { mountWakeSockets } from '../shared/wake-sockets.ts'
import type { Line } from '../shared/wake-sockets.ts'
import { openFiles } from './files.ts'
import { agent_says_bytes, packed, protos, unpacked } from './messages.ts'
import { openPeer } from './peer.ts'
import type { Peer } from './peer.ts'
import { openShell } from './shell.ts'

const version = 1
const Accept = z.object({ version: z.literal(version), protocols: z.array(z.int()) })
const answer_ms = 20_000

/** What is done with a device beside its polls. Each comes in the turn of the device. */
type ConnectedDevice = {
  /** Kinds of tunnels that it opens from now on. */
  tell(line: Line, tunnels: string[]): Promise<void>
  /** It takes what there is for it; true where its client has something to begin. */
  fetch(line: Line): Promise<boolean>
  reply(line: Line, id: string, fault: DeviceFault | undefined): Promise<void>
}
type Held = { peer: Peer; protocols: readonly number[] }
const kindsOf = ({ protocols }: Held): string[] =>
  (['terminal', 'files'] as const).filter((kind) => protocols.includes(protos[kind]))

/** mender-connect, which keeps a socket beside the polls of the Mender client: shells and files of its device, and a way to tell it to come. */
export function mountMenderConnect(app: FastifyInstance, deps: Deps, device: ConnectedDevice) {
  const all = new Map<string, Held>()
  const bringEnd = tunnelEnds(app)
  const patience = (late: () => void) => deps.clock.after(answer_ms, late)
  let is_closing = false

  mountWakeSockets(app, deps, '/api/devices/v1/deviceconnect/connect', {
    most_bytes: agent_says_bytes,
    whose: bearerOf,
    opened(line) {
      const held: Held = { peer: openPeer(line, patience), protocols: [] }
      all.set(line.kid, held)
      unlessLost(line, greet(held))
    },
    wake(line) {
      unlessLost(line, fetch(line))
    },
    closed(line) {
      all.delete(line.kid)
      if (!is_closing) unlessLost(line, device.tell(line, []))
    },
  })
  app.addHook('preClose', async () => void (is_closing = true))

  /** A device that may not speak any more is let go, as is one of whom nothing could be kept: it comes again. */
  const unlessLost = ({ ws, kid }: Line, work: Promise<void>) =>
    void work.catch((error: unknown) => {
      deps.log.debug({ err: error, terminal_kid: kid }, 'mender-connect is let go')
      ws.terminate()
    })

  async function greet(held: Held): Promise<void> {
    const { peer } = held
    const talk = peer.talk()
    await talk.say({ proto: protos.control, typ: 'open', body: packed({ versions: [version] }) })
    const accepted = unpacked(Accept, await talk.next())
    talk.end()
    if (!accepted)
      throw new DeviceFault('not_supported', `mender-connect does not speak version ${version} of its protocol`)
    held.protocols = accepted.protocols
    await device.tell(peer.line, kindsOf(held))
  }
  async function fetch(line: Line): Promise<void> {
    const has_work = await device.fetch(line)
    const held = all.get(line.kid)
    if (!has_work || !held?.protocols.includes(protos.client)) return
    const talk = held.peer.talk()
    await talk.say({ proto: protos.client, typ: 'check-update' }).finally(talk.end)
  }

  async function open(held: Held, params: TunnelParams): Promise<undefined> {
    const { kind, consent, viewer, view_only } = params
    const { peer } = held
    if (!kindsOf(held).includes(kind)) throw new DeviceFault('not_supported', `This device opens no ${kind}`)
    // Nor is anybody told, as the device has nothing to show it on.
    if (consent === 'ask') throw new DeviceFault('no_consent', 'Nobody can be asked at this device')
    const source = await (kind === 'terminal' ? openShell(peer, params) : openFiles(peer, !view_only))
    try {
      await bringEnd(peer.line, params, source)
    } catch (error) {
      source.stream.destroy()
      throw error
    }
    deps.log.info({ terminal_kid: peer.line.kid, kind, viewer }, 'mender-connect has opened a tunnel')
    return undefined
  }

  return {
    drop: (kid: string): void => all.get(kid)?.peer.line.ws.terminate(),
    /** Takes a request over that is answered later; false of others, and where mender-connect is not at this server. */
    take(kid: string, { id, method, params }: Down['request']): boolean {
      const held = all.get(kid)
      const asked = method === 'tunnel_open' ? TunnelOpen.safeParse(params).data : undefined
      if (!held || !asked) return false
      const fault = open(held, asked).catch((error: unknown) => DeviceFault.of(error, 'failed'))
      const replied = fault.then((found) => device.reply(held.peer.line, id, found))
      unlessLost(held.peer.line, replied)
      return true
    },
  }
}
