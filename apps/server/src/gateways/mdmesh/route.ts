import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { publicUrl } from '../../addresses.ts'
import type { Deps } from '../../deps.ts'
import { assertDisk } from '../../lib/disk-room.ts'
import { digest } from '../../lib/ids.ts'
import { networkOf } from '../../lib/network.ts'
import { limiterOf, takeTry } from '../../lib/rate-limit.ts'
import { authenticateDevice } from '../../link/credentials.ts'
import { enrolAgent, enrolmentLimits } from '../../modules/fleet/enrolment/index.ts'
import { Refusal, refuse } from '../../refusal.ts'
import { checkIn } from './check-in.ts'
import { giveBack } from './lost-answers.ts'
import { lenientJson } from '../shared/lenient-json.ts'
import { deviceTurns } from '../shared/turns.ts'
import { partOf } from '../shared/values.ts'
import { readCheckIn, readEnrol } from './said.ts'
import { bearerSecret, mountSockets } from './sockets.ts'

const enrol_bytes = 64 * 1024
/** Lists of apps and icons come within it. */
const check_in_bytes = 4 * 1024 * 1024
/** In its interactive mode it comes every 2.5 s, and once more for each trigger. */
const tries = { limit: 90, per_ms: 60_000 }
/** Of an address. A device that was shut out comes every 32 s, and there may be many of them; then its large bodies are not read. */
const strangers = { limit: 120, per_ms: 60_000 }
const stranger_bytes = 64 * 1024

/** What the agent knows; it tries again after all of them. */
const names: Partial<Record<string, string>> = {
  qrcode_invalid: 'error.agent.token.invalid',
  unauthorized: 'error.agent.unauthorized',
}

/** The open MDMesh agent for Android: it enrols by a token, checks in, and keeps a socket over which it is told to. */
export async function mountMdmesh(app: FastifyInstance, deps: Deps): Promise<void> {
  if (!deps.config.gateways.mdmesh) return
  const sockets = mountSockets(app, deps)
  const limits = enrolmentLimits(deps.clock)
  const inTurn = deviceTurns()
  const strange = limiterOf(deps, 'strangers of agents', strangers)

  await app.register(
    async (agent) => {
      lenientJson(agent, ['application/json'])
      agent.setErrorHandler(async (error: Error & { statusCode?: number }, _request, reply) => {
        const name = error instanceof Refusal ? error.refusal : undefined
        if (!name && (error.statusCode ?? 500) >= 500) {
          deps.log.error({ err: error }, 'a request of an agent failed')
          if (!deps.isUnavailable(error)) deps.onInternalError?.(error)
        }
        if (name === 'too_many_requests') reply.code(429)
        else if (!name) reply.code(error.statusCode ?? 500)
        return send(reply, {
          status: 'ERROR',
          message: names[name ?? ''] ?? `error.agent.${name ?? 'failed'}`,
          data: null,
        })
      })

      agent.post('/enroll', { bodyLimit: enrol_bytes }, async (request, reply) => {
        const { token, hardware_id, device } = readEnrol(request.body)
        const key = digest(JSON.stringify([token, hardware_id])).toString('hex')
        limits.enrol.take(request.ip, key)
        assertDisk(deps)
        if (token === undefined) return refuse('qrcode_invalid')
        const { kid, secret } = await enrolAgent(deps, { kind: 'mdmesh', token, hardware_id, device })
        limits.enrol.noteRight(key)
        return send(reply, {
          status: 'OK',
          message: null,
          data: { deviceId: kid, deviceSecret: secret, configurationName: null },
        })
      })

      // Whose it is stands in the body, which has to be read first.
      const assertKnown = async ({ ip, headers }: FastifyRequest) => {
        const is_large = !(Number(headers['content-length']) <= stranger_bytes)
        if (bearerSecret(headers.authorization) === undefined) refuse('unauthorized')
        if (is_large && strange.wait(networkOf(ip)) > 0) refuse('too_many_requests', { seconds: 60 })
      }
      agent.post('/checkin', { bodyLimit: check_in_bytes, onRequest: assertKnown }, async (request, reply) => {
        const { deviceId } = partOf(request.body)
        const kid = typeof deviceId === 'string' ? deviceId : ''
        const secret = bearerSecret(request.headers.authorization)
        if (secret === undefined || !(await authenticateDevice(deps, kid, secret))) {
          strange.take(networkOf(request.ip))
          return refuse('unauthorized')
        }
        takeTry(deps, 'check-ins of agents', tries, kid)
        assertDisk(deps)
        const said = readCheckIn(request.body)
        const gone = new AbortController()
        const origin = new URL(publicUrl(deps)).origin
        const answer = await inTurn(kid, () =>
          checkIn(deps, kid, said, { address: request.ip, origin, signal: gone.signal }),
        )
        if (!answer) return refuse('unauthorized')
        const { commands, busy_since } = answer
        reply.raw.once('close', () => {
          // Nothing of an answer that was cut can have been carried out.
          if (!reply.raw.writableFinished && commands.length > 0)
            inTurn(kid, () => giveBack(deps, kid, commands)).catch((error: unknown) =>
              deps.log.warn({ err: error, terminal_kid: kid }, 'a lost answer could not be noted'),
            )
        })
        if (busy_since !== undefined) sockets.askAgain(kid, deps.clock.now().getTime() - busy_since)
        return send(reply, { status: 'OK', message: null, data: { commands } })
      })
    },
    { prefix: '/rest/public/agent/v1' },
  )
}

const send = (reply: FastifyReply, body: object): FastifyReply =>
  reply
    .header('cache-control', 'no-store')
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify(body))
