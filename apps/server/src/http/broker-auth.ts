import { fieldFaultsOf } from '@mdm/contract'
import { isKid } from '@mdm/device-link'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as z from 'zod'
import type { Deps } from '../deps.ts'
import { digest, sameBytes } from '../lib/ids.ts'
import { whyNotConnect, whyNotPublish, whyNotSubscribe } from '../link/broker/access.ts'
import { authenticateDevice } from '../link/credentials.ts'
import { Refusal } from '../refusal.ts'

const text = z.string().max(1_000).nullish()
const Connect = z.object({ clientid: text, username: text, password: text })
const Access = z.object({
  clientid: text,
  username: text,
  topic: z.string().max(70_000),
  action: z.enum(['publish', 'subscribe']),
  qos: z.coerce.number().optional(),
  retain: z
    .preprocess((value) => (value === 'true' ? true : value === 'false' ? false : value), z.boolean())
    .optional(),
})
/** `ignore`: it is no device, and what the broker asks next may know it, such as the server's own name. */
type Verdict = 'allow' | 'deny' | 'ignore'

/**
 * Whom a broker of somebody else's may let in, and what that one may say, as EMQX asks it (`result` in the reply). The rules are
 * those of the embedded broker. Who asks shows MDM_BROKER_SECRET; without that setting nobody may.
 */
export function mountBrokerAuth(app: FastifyInstance, deps: Deps): void {
  const ask = <S extends z.ZodType>(path: string, shape: S, judge: (said: z.output<S>) => Promise<Verdict>) =>
    app.post(path, async (request, reply) => {
      assertBroker(deps, request)
      const parsed = shape.safeParse(request.body)
      if (!parsed.success) throw new Refusal('bad_input', {}, fieldFaultsOf(parsed.error, request.body))
      const result = await judge(parsed.data)
      return reply.header('cache-control', 'no-store').send({ result, is_superuser: false })
    })

  ask('/broker/authenticate', Connect, async ({ clientid, username, password }) => {
    if (!isDevice(username)) return 'ignore'
    if (!password || whyNotConnect({ clientId: clientid ?? '', username, password })) return 'deny'
    return (await authenticateDevice(deps, username, password)) ? 'allow' : 'deny'
  })
  ask('/broker/authorize', Access, async ({ clientid, username, topic, action, qos = 0, retain = false }) => {
    if (!isDevice(username)) return 'ignore'
    if (clientid !== username) return 'deny'
    const refused =
      action === 'subscribe'
        ? whyNotSubscribe(username, topic)
        : whyNotPublish(username, { topic, qos, retain, payload: '' })
    return refused === undefined ? 'allow' : 'deny'
  })
}

const isDevice = (username: string | null | undefined): username is string =>
  typeof username === 'string' && isKid(username)

function assertBroker({ config }: Deps, { headers }: FastifyRequest): void {
  if (config.broker_secret === undefined) throw new Refusal('not_found')
  const given = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? ''
  if (!sameBytes(digest(given), digest(config.broker_secret))) throw new Refusal('unauthorized')
}
