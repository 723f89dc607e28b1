import type { Down } from '@mdm/device-link'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { publicUrl } from '../../addresses.ts'
import type { Deps } from '../../deps.ts'
import { digest } from '../../lib/ids.ts'
import { takeTry } from '../../lib/rate-limit.ts'
import { enrolByToken, enrolmentLimits } from '../../modules/fleet/enrolment/index.ts'
import { refuse } from '../../refusal.ts'
import { answerFaults, sendJson, StatusAlone } from '../shared/json-answers.ts'
import { lenientJson } from '../shared/lenient-json.ts'
import { noteSerial } from '../shared/serials.ts'
import { deviceTurns } from '../shared/turns.ts'
import { partOf, textOf } from '../shared/values.ts'
import { visit } from '../shared/visit.ts'
import { heldOf, noteRead, setOfferedAside, takeCancel, takeCancelFeedback, takeFeedback, takeTask } from './actions.ts'
import type { Turn } from './actions.ts'
import { baseOf, deploymentOf } from './answers.ts'
import { inventoryOf, saysOtherBuild, serialOf } from './inventory.ts'
import { fresh } from './kept.ts'
import type { Action, Kept } from './kept.ts'
import { joined, readConfigData, readFeedback } from './said.ts'

const body_bytes = 256 * 1024
/** An agent that works comes every 5 s, and says what it does besides. */
const tries = { limit: 120, per_ms: 60_000 }

const ids_max = 128
const bad_id = { errorCode: 'bad_id', message: `The id of a device is a text of at most ${ids_max} characters` }

type Params = { tenant: string; controller: string; id?: string }
type Work = { before?(turn: Turn): void; answer?(turn: Turn): unknown }

/** The direct device integration of hawkBit, which SWUpdate and rauc-hawkbit-updater speak. */
export async function mountHawkbit(app: FastifyInstance, deps: Deps): Promise<void> {
  if (!deps.config.gateways.hawkbit) return
  const limits = enrolmentLimits(deps.clock)
  const inTurn = deviceTurns()

  /** Whose request this is: a gateway token is a permanent code, and a target token a code that counts once. */
  async function deviceOf({ headers, params, ip }: FastifyRequest): Promise<string> {
    const { controller: hardware_id } = params as Params
    const [, of = '', token] = /^(Gateway|Target)Token +(\S{1,300})$/i.exec(headers.authorization ?? '') ?? []
    if (!token) return refuse('unauthorized')
    const key = digest(JSON.stringify([token, hardware_id])).toString('hex')
    limits.enrol.take(ip, key)
    const device = { model: '', os_name: 'Linux', os_version: '', service_version: '', protocol_version: 1 }
    const is_of_one = of.toLowerCase() === 'target'
    const { kid, is_new } = await enrolByToken(deps, { kind: 'hawkbit', token, is_of_one, hardware_id, device })
    limits.enrol.noteRight(key)
    if (is_new) await noteSerial(deps, kid, 'hawkbit', hardware_id)
    return kid
  }

  async function come(request: FastifyRequest, { before, answer }: Work): Promise<unknown> {
    const kid = await deviceOf(request)
    takeTry(deps, 'requests of hawkBit agents', tries, kid)
    const user_agent = textOf(request.headers['user-agent'], 64)
    return inTurn(kid, () =>
      visit<Kept, unknown>(deps, kid, {
        ...{ kind: 'hawkbit', address: request.ip, fresh },
        silent_ms: deps.config.hawkbit_poll_seconds * 3_000 + 60_000,
        ...{ inventoryOf, serialOf },
        before(turn) {
          if (user_agent !== undefined) turn.kept.user_agent = user_agent
          before?.(turn)
          setOfferedAside(turn.kept)
        },
        held: heldOf,
        take: (turn, name, payload) =>
          name === 'task' ? takeTask(turn, payload as Down['task'], publicUrl(deps)) : takeCancel(turn, payload),
        answer: (turn) => answer?.(turn),
      }),
    )
  }

  await app.register(
    async (agent) => {
      lenientJson(agent, ['application/json', 'application/hal+json'])
      answerFaults(agent, deps, (errorCode, message) => ({ errorCode, message }), { qrcode_invalid: 401 })

      agent.addHook('onRequest', async (request, reply) => {
        const { controller } = request.params as Params
        if (textOf(controller, ids_max) !== controller) return sendJson(reply.code(400), bad_id)
      })
      agent.get('/', async (request, reply) => {
        const at = addressOf(deps, request)
        const answer = ({ kept, now }: Turn) => baseOf(kept, at, now, deps.config.hawkbit_poll_seconds)
        return sendJson(reply, await come(request, { answer }))
      })

      agent.put('/configData', { bodyLimit: body_bytes }, async (request, reply) => {
        const said = readConfigData(request.body)
        await come(request, {
          before({ kept, now }) {
            const attributes = joined(kept.attributes, said)
            if (saysOtherBuild(kept.attributes, attributes)) delete kept.build
            Object.assign(kept, { attributes, attributes_at: now })
          },
        })
        return reply.code(200).send()
      })

      agent.get('/installedBase/:id', async (request, reply) => {
        const answer = async ({ kept, now }: Turn) => {
          const { installed } = kept
          if (String(installed?.id) !== (request.params as Params).id) return refuse('not_found')
          return deploymentOf(kept, installed!, 'deployment', await sha1Of(deps, installed!), now)
        }
        return sendJson(reply, await come(request, { answer }))
      })
      // What was installed by somebody at the device.
      agent.put('/installedBase', { bodyLimit: body_bytes }, async (request, reply) => {
        const os_version = textOf(partOf(request.body)['version'], 64)
        if (os_version === undefined) return refuse('bad_input')
        await come(request, {
          before({ kept }) {
            kept.attributes = { ...kept.attributes, os_version }
            delete kept.build
            delete kept.installed
          },
        })
        return reply.code(200).send()
      })

      for (const [path, key] of [
        ['deploymentBase', 'deployment'],
        ['confirmationBase', 'confirmation'],
      ] as const)
        agent.get(`/${path}/:id`, async (request, reply) => {
          const answer = async (turn: Turn) => {
            const action = actionOf(turn, request)
            if (action.cancel === 'asked' || (key === 'confirmation') !== (action.asks !== undefined))
              return refuse('not_found')
            noteRead(turn, action)
            return deploymentOf(turn.kept, action, key, await sha1Of(deps, action), turn.now)
          }
          return sendJson(reply, await come(request, { answer }))
        })

      agent.get('/cancelAction/:id', async (request, reply) => {
        const answer = (turn: Turn) => {
          const { id, cancel } = actionOf(turn, request)
          return cancel === 'asked' ? { id: String(id), cancelAction: { stopId: String(id) } } : refuse('not_found')
        }
        return sendJson(reply, await come(request, { answer }))
      })

      const feedback = (path: string, take: (turn: Turn, action: Action, request: FastifyRequest) => void) =>
        agent.post(`/${path}/:id/feedback`, { bodyLimit: body_bytes }, async (request, reply) => {
          const before = (turn: Turn) => take(turn, actionOf(turn, request), request)
          await come(request, { before })
          return reply.code(200).send()
        })
      feedback('deploymentBase', (turn, action, { body }) => takeFeedback(turn, action, readFeedback(body)))
      feedback('cancelAction', (turn, action, { body }) =>
        action.cancel === undefined ? refuse('not_found') : takeCancelFeedback(turn, action, readFeedback(body)),
      )
      feedback('confirmationBase', (_, action, { body }) => {
        const { confirmation: said } = partOf(body)
        if (said !== 'confirmed' && said !== 'denied') return refuse('bad_input')
        if (!action.asks) throw new StatusAlone(409)
        // Denied as often as the agent likes: the push waits for its user until it ends.
        if (said === 'confirmed') delete action.asks
      })
    },
    { prefix: '/:tenant/controller/v1/:controller' },
  )
}

/** Of what is over the agent is told so; a number that it never was given is nothing. */
function actionOf({ kept }: Turn, request: FastifyRequest): Action {
  const { id = '' } = request.params as Params
  const found = kept.actions.find((action) => String(action.id) === id)
  if (found) return found
  if (/^[1-9]\d{0,9}$/.test(id) && Number(id) <= kept.last_id) throw new StatusAlone(410)
  return refuse('not_found')
}

const addressOf = (deps: Deps, request: FastifyRequest): string => {
  const { tenant, controller } = request.params as Params
  return `${publicUrl(deps)}/${encodeURIComponent(tenant)}/controller/v1/${encodeURIComponent(controller)}`
}

/** Kept since the package was read. */
async function sha1Of({ db }: Deps, { file }: Action): Promise<string | null> {
  const row = await db
    .selectFrom('os_package')
    .select('sha1')
    .where('sha256', '=', file.sha256)
    .where('sha1', 'is not', null)
    .executeTakeFirst()
  return row?.sha1 ?? null
}
