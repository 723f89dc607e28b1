import type { Up, UpName } from '@mdm/device-link'
import type { Deps, Outbound } from '../deps.ts'
import { batcher } from './batch.ts'
import { helloAsker } from './ask-hello.ts'
import { isDiskFull } from '../lib/database-errors.ts'
import { assertDisk, ranOutOfDisk } from '../lib/disk-room.ts'
import { limiterOf } from '../lib/rate-limit.ts'
import { authenticateDevice, forgetDevice, isShutOut } from './credentials.ts'
import { watchClones } from './clones.ts'
import { commitItems } from './inbound/commit.ts'
import type { Batch, Item } from './inbound/items.ts'
import { readUpPayload } from './inbound/parse.ts'
import { told_refusals } from './inbound/refused.ts'
import { checksIn, openCheckIns } from './check-ins.ts'
import { owedConfigurations, recallConfiguration, workOutOne } from './delivery/configurations.ts'
import { startDispatcher } from './delivery/dispatcher.ts'
import { owedTasks, repeatWork } from './delivery/tasks.ts'
import { openTransport } from './delivery/transport.ts'
import { patience } from './patience.ts'
import type { Broker, LinkCallbacks } from './peer.ts'
import { endSessionsOf, offline_grace_ms, trackPresence } from './presence.ts'
import { openRequests, RequestError } from './requests.ts'
import { shareReplies } from './shared-replies.ts'
import { count, linkStats } from './stats.ts'

const batch_items = 1_000
const most_waiting = 100_000
/** Within this time after it subscribed, a device is expected to have said hello. */
const greeting_ms = 2_000

export type Link<B extends Broker = Broker> = Outbound & {
  broker: B
  callbacks: LinkCallbacks
  stats(): Record<string, number>
  /** Takes nothing new, commits what has come, and leaves no device online that was connected here. */
  close(): Promise<void>
}

/**
 * Joins a broker to the rest of the server: the embedded one, made by `broker`, or an external one at `url`. The broker's
 * part is messages; whatever has to survive is in the database.
 */
export async function startLink<B extends Broker>(
  deps: Deps,
  options: { broker: (callbacks: LinkCallbacks) => Promise<B> },
): Promise<Link<B>>
export async function startLink(deps: Deps, options: { url: string }): Promise<Link>
export async function startLink(
  deps: Deps,
  options: { broker: (callbacks: LinkCallbacks) => Promise<Broker> } | { url: string },
): Promise<Link> {
  let broker: Broker | undefined
  let is_closing = false
  const is_external = 'url' in options
  const node_kid = is_external ? null : deps.node_kid
  const kick = async (kid: string, reason: string) => {
    forgetDevice(deps, kid)
    check_ins.end(kid)
    await broker?.kick(kid, reason)
  }

  const queue = batcher<Item>({
    commit: (items) =>
      commitItems(deps, items, {
        wakeTasks: () => task_loop.wake(),
        wakeConfigurations: () => configuration_loop.wake(),
        forgetSends: (rows) => tasks.forgetSends(rows),
        tell,
        suspect: clones.suspect,
        left: requests.left,
        unknown: is_external ? hellos.ask : () => {},
      }),
    max: batch_items,
    max_waiting: most_waiting,
    isUnavailable(error) {
      if (isDiskFull(error)) ranOutOfDisk(deps, error)
      return deps.isUnavailable(error)
    },
    refused(item, error) {
      count('messages_refused')
      deps.log.error({ err: error, terminal_kid: item.kid, kind: item.kind }, 'a device message could not be stored')
    },
    afterCommitFailed: (error) => deps.log.error({ err: error }, 'after a commit of device messages'),
  })
  const presence = trackPresence(deps, { enqueue, node_kid })
  const transport = openTransport(
    () => broker,
    node_kid,
    presence.isConnected,
    () => check_ins,
  )
  const dispatcher = startDispatcher(deps, transport)
  const configuration_loop = dispatcher.begin(owedConfigurations(deps, transport))
  const tasks = owedTasks(deps, transport, configuration_loop.wake)
  const task_loop = dispatcher.begin(tasks)
  const requests = openRequests(deps, transport)
  // Servers of one broker share one PostgreSQL.
  const replies = is_external && deps.database.kind === 'postgres' ? await shareReplies(deps, requests) : undefined
  const hellos = helloAsker(deps, requests)
  const check_ins = openCheckIns(deps, {
    commit: async (item) => queue.add(item),
    inbound: (kid, name, payload) => inbound(kid, name, payload, true),
    async send(kid) {
      await Promise.all([tasks.recall([kid]), recallConfiguration(deps, kid)])
      await Promise.all([task_loop.sent(), configuration_loop.sent()])
    },
    node_kid,
  })
  /** What is published to one that only checks in reaches nobody, and an external broker acknowledges it all the same. */
  const request: Outbound['request'] = async (kid, ...asked) => {
    if (is_external && !check_ins.isHere(kid) && (await checksIn(deps, kid))) throw new RequestError('offline')
    return requests.request(kid, ...asked)
  }
  const clones = watchClones(deps, { request: requests.request, kick })
  const reading = patience()

  /** For what no device waits for. If it cannot be written, the connection is not worth having: it comes again. */
  function enqueue(item: Item): void {
    if (is_closing) return
    queue.add(item).catch((error: unknown) => {
      deps.log.warn({ err: error, terminal_kid: item.kid, kind: item.kind }, 'presence could not be stored')
      if (item.kind === 'connected') void kick(item.kid, 'unavailable').catch(() => {})
    })
  }

  /** `checks_in`: it is not connected, so that its hello begins nothing. */
  async function inbound(kid: string, name: UpName, payload: Uint8Array, checks_in = false): Promise<void> {
    const at = deps.clock.now()
    // The embedded broker has let in nobody else.
    if (is_external && (await isShutOut(deps, kid))) return count('messages_of_unknown_devices')
    const read = reading.read(kid, () => readUpPayload(name, payload))
    // Only who has to wait does: of all others the order of what happens stays as it is.
    const { body, parts, said } = read instanceof Promise ? await read : read
    if (parts.length > 0) {
      // Acknowledged all the same: it would be as wrong the next time, for ever.
      count(body ? 'messages_mended' : 'messages_refused')
      // One that says nothing right shall not fill the disk with it.
      if (limiterOf(deps, 'refusals in the log', told_refusals).take(kid) === 0)
        deps.log.warn(
          { terminal_kid: kid, name, parts },
          `a device message was ${body ? 'not stored whole' : 'refused'}`,
        )
      const noted = queue.add({ kind: 'refused', kid, at, body: { name, is_whole: !body, ...nameOf(said), parts } })
      if (!body) return noted
      // What is stored of it waits for the same commit, or fails with it.
      noted.catch(() => {})
    }
    if (!body) return
    if (name === 'reply') return reply(kid, body as Up['reply'])
    // Not acknowledged: the device keeps it and says it again.
    if (name !== 'gone') assertDisk(deps)
    if (name === 'gone') return gone(kid, body as Up['gone'], at)
    if (name === 'hello' && !checks_in) greet(kid, (body as Up['hello']).epoch, at)
    await queue.add({ kind: name, kid, at, body } as Item)
  }

  async function reply(kid: string, body: Up['reply']): Promise<void> {
    if (requests.isAsked(body.id)) requests.reply(kid, body)
    else await replies?.forward(kid, body)
  }

  const tell: Batch['outbound']['tell'] = (kid, name, body) => {
    transport
      .deliver(kid, name, JSON.stringify(body))
      .catch((error: unknown) => deps.log.debug({ err: error, terminal_kid: kid, name }, 'a device could not be told'))
  }

  /** Hello and will of one connection may reach different nodes through an external broker: there the rows alone know. */
  function greet(kid: string, epoch: string, at: Date): void {
    if (!is_external) return presence.hello(kid, epoch)
    enqueue({ kind: 'connected', kid, at, peer: { kid, epoch, address: '', transport: 'mqtt' }, node_kid })
  }
  function gone(kid: string, said: Up['gone'], at: Date): void {
    if (!is_external) return presence.gone(kid, said)
    deps.clock.after(offline_grace_ms, () => enqueue({ kind: 'disconnected', kid, at, ...said }))
  }

  /** The simplest of devices only listens. One that says hello is told there and then, and not twice. */
  function subscribed(kid: string, epoch: string): void {
    deps.clock.after(greeting_ms, async () => {
      if (is_closing || presence.hasGreeted(kid, epoch)) return
      try {
        if (await tasks.recall([kid])) task_loop.wake()
      } catch (error) {
        deps.log.warn({ err: error, terminal_kid: kid }, 'sending failed')
      }
    })
  }

  let hellos_lost_until: Date | undefined
  const callbacks: LinkCallbacks = {
    authenticate: async (kid, secret) => (await authenticateDevice(deps, kid, secret)) !== undefined,
    connected: presence.connected,
    disconnected: presence.disconnected,
    inbound: (kid, name, payload) => inbound(kid, name, payload),
    subscribed,
    resumed(is_kept) {
      if (!is_kept) {
        hellos_lost_until = deps.clock.now()
        hellos.resumed()
      }
      repeatWork(deps, task_loop.wake).catch((error: unknown) =>
        deps.log.warn({ err: error }, 'what devices work on was not asked for again'),
      )
    },
  }
  const close = async () => {
    is_closing = true
    await dispatcher.close()
    check_ins.close()
    requests.close()
    replies?.close()
    await broker?.close()
    await queue.close()
    if (node_kid !== null) await endSessionsOf(deps, [node_kid])
  }
  try {
    broker = is_external
      ? // Its MQTT client is loaded only by those who need it.
        await (await import('./external.ts')).startExternal(deps, options.url, callbacks)
      : await options.broker(callbacks)
  } catch (error) {
    await close().catch(() => {})
    throw error
  }
  return {
    broker,
    callbacks,
    async workOutConfig(kid) {
      if (await workOutOne(deps, kid)) configuration_loop.wake()
    },
    wake: () => {
      task_loop.wake()
      configuration_loop.wake()
    },
    kick,
    request,
    checkIn: check_ins.checkIn,
    wakeBy: check_ins.wakeBy,
    hellosLostUntil: () => hellos_lost_until,
    stats: () => ({
      ...linkStats(),
      devices_connected: presence.size(),
      devices_checking_in: check_ins.size(),
      messages_waiting: queue.waiting(),
    }),
    brokerIsUp: () => broker?.isUp() === true,
    close,
  }
}

/** By which of its messages a device knows the one that was not taken over. */
function nameOf(said: unknown): { seq?: number; task_kid?: string } {
  if (typeof said !== 'object' || said === null) return {}
  const { seq, task_kid } = said as Record<string, unknown>
  return {
    ...(Number.isSafeInteger(seq) ? { seq: seq as number } : {}),
    ...(typeof task_kid === 'string' ? { task_kid: task_kid.slice(0, 100) } : {}),
  }
}
