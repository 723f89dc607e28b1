import { DownRequest, isPlace, requests as schemas } from '@mdm/device-link'
import type { DataOf, ParamsOf, RequestMethod, Up } from '@mdm/device-link'
import { TaskFailure } from './body/body.ts'
import { asFailure } from './body/failures.ts'
import type { Body } from './body/body.ts'
import type { Bulk } from './bulk.ts'
import type { Clock } from './clock.ts'
import type { Outgoing, Source } from './connection.ts'
import type { Journal } from './journal.ts'
import { appMethods } from './requests/apps.ts'
import { fileMethods } from './requests/files.ts'
import { openTransfers } from './requests/transfers.ts'
import type { Transfers } from './requests/transfers.ts'
import type { Tunnels } from './remote/tunnel.ts'

/** What answering a request may touch. */
export type RequestContext = {
  body: Body
  bulk: Bulk
  clock: Clock
  journal: Journal
  transfers: Transfers
  tunnels: Tunnels
  /** Says hello over the connection that stands. */
  greet(): Promise<void>
  /** Says how far a long request is. */
  tell(percent: number): void
}
export type Methods<M extends RequestMethod> = {
  [K in M]: (params: ParamsOf<K>, context: RequestContext) => Promise<DataOf<K>>
}
type Answer = Pick<Up['reply'], 'ok' | 'data' | 'error'>
type AnyMethod = (params: unknown, context: RequestContext) => Promise<unknown>

const repliesKept = 50

const methods: Methods<RequestMethod> = {
  async ping(_, { body, clock }) {
    const { boot_id, uptime } = await body.boot()
    return { device_time: clock.now().toISOString(), boot_id, ...(uptime !== undefined && { uptime }) }
  },
  async hello(_, { greet }) {
    await greet()
    return {}
  },
  async location_now(_, { body }) {
    const { location } = await body.state()
    if (!location || !isPlace(location)) throw new TaskFailure('no_location', 'The device does not know where it is')
    return location
  },
  state_now: (_, { body }) => body.state(),
  async tunnel_open(params, { tunnels }) {
    await tunnels.open(params)
    return {}
  },
  ...fileMethods,
  ...appMethods,
}

const isMethod = (name: string): name is RequestMethod => Object.hasOwn(methods, name)
const failed = (code: string, message: string): Answer => ({
  ok: false,
  error: { code: code.slice(0, 60), message: message.slice(0, 1000) },
})

type Options = {
  body: Body
  bulk: Bulk
  clock: Clock
  journal: Journal
  tunnels: Tunnels
  greet: () => Promise<void>
  on_ready: () => void
}

/** Answers interactive calls. Somebody is waiting: what is too late is dropped, and nothing is kept on disk. */
export function openRequests({ on_ready, ...parts }: Options) {
  const replies: Up['reply'][] = []
  const transfers = openTransfers(parts.clock)
  const say = (reply: Up['reply']) => {
    const older = replies.findIndex(({ id, progress }) => id === reply.id && progress !== undefined)
    if (older >= 0) replies.splice(older, 1)
    if (replies.length >= repliesKept) replies.shift()
    replies.push(reply)
    on_ready()
  }
  const source: Source = {
    take(): Outgoing | undefined {
      const payload = replies.shift()
      // How far it was matters no more when it can be said again; how it ended does.
      const lost = () => void (payload && payload.progress === undefined && replies.unshift(payload))
      return payload && { name: 'reply', payload, acked() {}, lost }
    },
  }

  async function answerTo(request: DownRequest): Promise<Answer> {
    const { id, method } = request
    if (!isMethod(method)) return failed('not_supported', `Unknown method ${method}`)
    const params = schemas[method].params.safeParse(request.params)
    if (!params.success) return failed('bad_params', params.error.message)
    parts.journal.add(`request ${method}`)
    const tell = (progress: number) => say({ id, ok: true, progress })
    try {
      const data = await (methods[method] as AnyMethod)(params.data, { ...parts, transfers, tell })
      return { ok: true, data }
    } catch (error) {
      const { code, message } = asFailure(error)
      parts.journal.add(`request ${method}: ${code} ${message}`)
      return failed(code, message)
    }
  }

  return {
    source,
    /** Resolves when the request is taken, not when it is done: a long one must not hold up what comes after it. */
    async answer(json: unknown) {
      const request = DownRequest.safeParse(json).data
      if (!request || Date.parse(request.expires_at) <= parts.clock.now().getTime()) return
      void answerTo(request).then((answer) => say({ id: request.id, ...answer }))
    },
    halt: () => transfers.halt(),
  }
}
type DownRequest = ReturnType<typeof DownRequest.parse>
