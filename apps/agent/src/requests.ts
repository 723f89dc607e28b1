import { DownRequest } from '@mdm/device-link'
import type { Up } from '@mdm/device-link'
import type { Body } from './body/body.ts'
import type { Clock } from './clock.ts'
import type { Outgoing, Source } from './connection.ts'

type Answer = Pick<Up['reply'], 'ok' | 'data' | 'error'>
const repliesKept = 50

const methods: Record<string, (body: Body, clock: Clock) => Promise<Answer>> = {
  async ping(body, clock) {
    const { boot_id } = await body.boot()
    return { ok: true, data: { device_time: clock.now().toISOString(), boot_id } }
  },
  async location_now(body) {
    const { location } = await body.state()
    return location
      ? { ok: true, data: location }
      : { ok: false, error: { code: 'no_location', message: 'The device does not know where it is' } }
  },
  state_now: async (body) => ({ ok: true, data: await body.state() }),
}

/** Answers interactive calls. Somebody is waiting: what is too late is dropped, and nothing is kept on disk. */
export function openRequests({ body, clock, on_ready }: { body: Body; clock: Clock; on_ready: () => void }) {
  const replies: Up['reply'][] = []
  const source: Source = {
    take(): Outgoing | undefined {
      const payload = replies.shift()
      return payload && { name: 'reply', payload, acked() {}, lost() {} }
    },
  }
  return {
    source,
    async answer(json: unknown) {
      const request = DownRequest.safeParse(json).data
      if (!request || Date.parse(request.expires_at) <= clock.now().getTime()) return
      const method = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined
      const answer: Answer = method
        ? await method(body, clock).catch((error: Error) => ({
            ok: false,
            error: { code: 'internal', message: error.message.slice(0, 1000) },
          }))
        : { ok: false, error: { code: 'not_supported', message: `Unknown method ${request.method}` } }
      if (replies.length >= repliesKept) replies.shift()
      replies.push({ id: request.id, ...answer })
      on_ready()
    },
  }
}
