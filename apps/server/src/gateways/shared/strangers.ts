import type { FastifyRequest } from 'fastify'
import type { Deps } from '../../deps.ts'
import { networkOf } from '../../lib/network.ts'
import { limiterOf } from '../../lib/rate-limit.ts'
import { authenticateDevice } from '../../link/credentials.ts'
import { refuse } from '../../refusal.ts'

/** Of an address. A device that was shut out comes every 32 s, and there may be many of them; then its large bodies are not read. */
const tries = { limit: 120, per_ms: 60_000 }
const large_bytes = 64 * 1024

export const bearerSecret = (authorization: string | undefined): string | undefined =>
  /^Bearer +(\S{1,256})$/i.exec(authorization ?? '')?.[1]

/** Those whom no gateway knows, counted together: a device that one of them knows does not come here. */
export function strangersAt(deps: Deps) {
  const strangers = limiterOf(deps, 'strangers of agents', tries)
  /** For how many seconds no more of this address are listened to. */
  const note = ({ ip }: Pick<FastifyRequest, 'ip'>): number => strangers.take(networkOf(ip))
  return {
    note,
    /** For agents that send their secret in the header, and their id in a body which has to be read first. */
    async beforeBody({ ip, headers }: FastifyRequest): Promise<void> {
      const is_large = !(Number(headers['content-length']) <= large_bytes)
      if (bearerSecret(headers.authorization) === undefined) refuse('unauthorized')
      if (is_large && strangers.wait(networkOf(ip)) > 0) refuse('too_many_requests', { seconds: 60 })
    },
    /** The id, where it is that of the device whose secret this is. @throws `unauthorized` */
    async assertKnown(request: FastifyRequest, kid: unknown): Promise<string> {
      const secret = bearerSecret(request.headers.authorization)
      if (typeof kid === 'string' && secret && (await authenticateDevice(deps, kid, secret))) return kid
      note(request)
      return refuse('unauthorized')
    },
  }
}
