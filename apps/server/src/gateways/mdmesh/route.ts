import type { FastifyInstance } from 'fastify'
import { publicUrl } from '../../addresses.ts'
import type { Deps } from '../../deps.ts'
import { assertDisk } from '../../lib/disk-room.ts'
import { digest } from '../../lib/ids.ts'
import { takeTry } from '../../lib/rate-limit.ts'
import { enrolAgent, enrolmentLimits } from '../../modules/fleet/enrolment/index.ts'
import { refuse } from '../../refusal.ts'
import { giveBack } from '../shared/commands.ts'
import { answerFaults, sendJson } from '../shared/json-answers.ts'
import { lenientJson } from '../shared/lenient-json.ts'
import { bearerSecret, strangersAt } from '../shared/strangers.ts'
import { deviceTurns } from '../shared/turns.ts'
import { partOf } from '../shared/values.ts'
import { mountWakeSockets } from '../shared/wake-sockets.ts'
import { checkIn } from './check-in.ts'
import { readCheckIn, readEnrol } from './said.ts'

const enrol_bytes = 64 * 1024
/** Lists of apps and icons come within it. */
const check_in_bytes = 4 * 1024 * 1024
/** In its interactive mode it comes every 2.5 s, and once more for each trigger. */
const tries = { limit: 90, per_ms: 60_000 }
/** The open MDMesh agent for Android: it enrols by a token, checks in, and keeps a socket over which it is told to. */
export async function mountMdmesh(app: FastifyInstance, deps: Deps): Promise<void> {
  if (!deps.config.gateways.mdmesh) return
  const sockets = mountWakeSockets(app, deps, '/agent/ws/', {
    most_bytes: 1_024,
    whose: (authorization, rest) => ({ kid: rest, secret: bearerSecret(authorization) }),
    wake: ({ ws }) => ws.send(JSON.stringify({ wake: 'commands' }), () => {}),
  })
  const limits = enrolmentLimits(deps.clock)
  const inTurn = deviceTurns()
  const strangers = strangersAt(deps)

  await app.register(
    async (agent) => {
      lenientJson(agent, ['application/json'])
      const fault = (name: string) =>
        envelope(null, `error.agent.${name === 'qrcode_invalid' ? 'token.invalid' : name}`)
      answerFaults(agent, deps, fault, statuses)

      agent.post('/enroll', { bodyLimit: enrol_bytes }, async (request, reply) => {
        const { token, hardware_id, device } = readEnrol(request.body)
        const key = digest(JSON.stringify([token, hardware_id])).toString('hex')
        limits.enrol.take(request.ip, key)
        assertDisk(deps)
        if (token === undefined) return refuse('qrcode_invalid')
        const { kid, secret } = await enrolAgent(deps, { kind: 'mdmesh', token, hardware_id, device })
        limits.enrol.noteRight(key)
        return sendJson(reply, envelope({ deviceId: kid, deviceSecret: secret, configurationName: null }))
      })

      const of_check_in = { bodyLimit: check_in_bytes, onRequest: strangers.beforeBody }
      agent.post('/checkin', of_check_in, async (request, reply) => {
        const kid = await strangers.assertKnown(request, partOf(request.body)['deviceId'])
        takeTry(deps, 'check-ins of agents', tries, kid)
        assertDisk(deps)
        const said = readCheckIn(request.body)
        const at = { address: request.ip, origin: new URL(publicUrl(deps)).origin }
        const { commands, busy_since } = await inTurn(kid, () => checkIn(deps, kid, said, at))
        reply.raw.once('close', () => {
          if (!reply.raw.writableFinished) void inTurn(kid, () => giveBack(deps, kid, commands))
        })
        if (busy_since !== undefined) sockets.askAgain(kid, deps.clock.now().getTime() - busy_since)
        return sendJson(reply, envelope({ commands }))
      })
    },
    { prefix: '/rest/public/agent/v1' },
  )
}

/** The agent tries again after all of them. */
const statuses = { others: 200, too_many_requests: 429 }
const envelope = (data: object | null, message: string | null = null) => ({
  status: data ? 'OK' : 'ERROR',
  ...{ message, data },
})
