import type { Down, Up } from '@mdm/device-link'
import type { Deps } from '../deps.ts'
import { newKid } from '../lib/ids.ts'
import type { Transport } from './delivery/transport.ts'

export type RequestFailure = 'offline' | 'timeout' | 'closing' | (string & {})
/** A request that brought no answer, or the device's own refusal: `code` is its word, `message` its sentence. */
export class RequestError extends Error {
  constructor(
    readonly code: RequestFailure,
    message: string = code,
    /** Whether the device said so; otherwise the link did. */
    readonly is_of_device = false,
  ) {
    super(message)
  }
}

type Waiting = {
  kid: string
  /** It says how far it is, over connections that come and go. */
  is_long: boolean
  progress(percent: number): void
  resolve(data: unknown): void
  reject(error: RequestError): void
}

/** Interactive calls to a connected device. Nothing of them is kept: who asked is still waiting, or no longer cares. */
export function openRequests(deps: Deps, { deliver }: Pick<Transport, 'deliver'>) {
  const waiting = new Map<string, Waiting>()
  return {
    /** Resolves with the device's `data`. `timeout_ms` begins anew whenever it says how far it is. Throws RequestError. */
    request(
      kid: string,
      method: string,
      params: Record<string, unknown>,
      timeout_ms: number,
      on_progress?: (percent: number) => void,
    ): Promise<unknown> {
      const id = newKid()
      const expires_at = new Date(deps.clock.now().getTime() + timeout_ms).toISOString()
      const payload: Down['request'] = { id, method, params, expires_at }
      return new Promise<unknown>((resolve, reject) => {
        const begin = () => deps.clock.after(timeout_ms, () => end(new RequestError('timeout')))
        let stop = begin()
        const progress = (percent: number) => {
          stop()
          stop = begin()
          on_progress?.(percent)
        }
        const end = (error: RequestError | undefined, data?: unknown) => {
          if (!waiting.delete(id)) return
          stop()
          if (error) reject(error)
          else resolve(data)
        }
        waiting.set(id, {
          kid,
          is_long: on_progress !== undefined,
          progress,
          resolve: (data) => end(undefined, data),
          reject: end,
        })
        deliver(kid, 'request', JSON.stringify(payload)).then(
          (delivery) => {
            if (delivery === 'offline' || delivery === 'window_full') end(new RequestError('offline'))
          },
          () => end(new RequestError('offline')),
        )
      })
    },
    /** Whether somebody waits for an answer here. */
    isAsked: (id: string): boolean => waiting.has(id),
    /** An answer counts only from the device that was asked. */
    reply(kid: string, { id, ok, progress, data, error }: Up['reply']): void {
      const asked = waiting.get(id)
      if (asked?.kid !== kid) return
      if (progress !== undefined) asked.progress(progress)
      else if (ok) asked.resolve(data)
      else asked.reject(new RequestError(error?.code ?? 'failed', error?.message, true))
    },
    /** Only what somebody waits for now: a transfer goes on when the device is back, and has its own patience. */
    left(kid: string): void {
      for (const asked of [...waiting.values()])
        if (asked.kid === kid && !asked.is_long) asked.reject(new RequestError('offline'))
    },
    close(): void {
      for (const { reject } of waiting.values()) reject(new RequestError('closing'))
    },
  }
}
