import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Down } from '@mdm/device-link'
import { publicUrl } from '../../addresses.ts'
import type { Deps } from '../../deps.ts'
import { assertDisk } from '../../lib/disk-room.ts'
import { digest } from '../../lib/ids.ts'
import { takeTry } from '../../lib/rate-limit.ts'
import { deviceOf } from '../../link/credentials.ts'
import { enrolByKey, enrolmentLimits } from '../../modules/fleet/enrolment/index.ts'
import { Refusal, refuse } from '../../refusal.ts'
import { mountMenderConnect } from '../mender-connect/index.ts'
import { answerFaults } from '../shared/json-answers.ts'
import { readKeptRow, writeKeptRow } from '../shared/kept-row.ts'
import { lenientJson } from '../shared/lenient-json.ts'
import { deviceTurns } from '../shared/turns.ts'
import { partOf, textOf } from '../shared/values.ts'
import { reply, visit } from '../shared/visit.ts'
import { readAsked } from './asked.ts'
import { idOf, isStoppable, nextOf, takeCancel, takeLog, takeStatus, takeTask } from './deployments.ts'
import type { Kept, Turn } from './deployments.ts'
import { inventoryOf, readAttributes, stateOf } from './inventory.ts'

const asked_bytes = 16 * 1024
const said_bytes = 256 * 1024
const log_bytes = 2 * 1024 * 1024
/** A client polls every few seconds at most, and says some ten steps of a deployment. */
const tries = { limit: 90, per_ms: 60_000 }
/** A client asks for updates every 30 minutes unless it is told otherwise. */
const silent_ms = 40 * 60_000
/** A client that is told that its token has ended asks for another at once. */
const token_ms = 24 * 60 * 60_000

type Come<T> = { first?: (turn: Turn) => void; last: (turn: Turn) => T }

/** The Mender client for Linux: it proves its key, gets a token, says what it is, and asks for deployments. */
export async function mountMender(app: FastifyInstance, deps: Deps): Promise<void> {
  if (!deps.config.gateways.mender) return
  const limits = enrolmentLimits(deps.clock)
  const inTurn = deviceTurns()

  await app.register(
    async (client) => {
      answerFaults(client, deps, (_name, error) => ({ error }), statuses)
      client.addHook('onSend', async (_request, reply) => void reply.header('cache-control', 'no-store'))
      await client.register(async (stranger) => {
        stranger.removeAllContentTypeParsers()
        // What was signed are its bytes.
        stranger.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
          done(null, body),
        )
        stranger.post('/v1/authentication/auth_requests', { bodyLimit: asked_bytes }, async (request, reply) =>
          reply.type('application/jwt').send(await tokenFor(request)),
        )
      })
      await client.register(async (device) => {
        lenientJson(device, ['application/json'])
        for (const method of ['put', 'patch'] as const)
          device[method]('/v1/inventory/device/attributes', { bodyLimit: said_bytes }, tellAttributes)
        const v1 = '/v1/deployments/device/deployments'
        device.get(`${v1}/next`, (request, reply) => tellNext(request, reply, partOf(request.query)))
        device.post('/v2/deployments/device/deployments/next', { bodyLimit: said_bytes }, (request, reply) =>
          tellNext(request, reply, partOf(partOf(request.body)['device_provides'])),
        )
        device.put(`${v1}/:id/status`, { bodyLimit: said_bytes }, tellStatus)
        device.put(`${v1}/:id/log`, { bodyLimit: log_bytes }, tellLog)
      })
    },
    { prefix: '/api/devices' },
  )

  async function tokenFor(request: FastifyRequest): Promise<string> {
    const body = Buffer.from((request.body as Buffer | undefined) ?? '')
    const who = digest(body).toString('hex')
    limits.enrol.take(request.ip, who)
    assertDisk(deps)
    const asked = readAsked(body, request.headers['x-men-signature'])
    if (!asked) throw new Refusal('unauthorized')
    const { token, ...said } = asked
    const device = { model: '', os_name: 'Linux', os_version: '', service_version: '', protocol_version: 1 }
    const let_in = await enrolByKey(deps, { kind: 'mender', token, ...said, address: request.ip, device })
    limits.enrol.noteRight(who)
    if (!let_in) return refuse('unauthorized')
    const { kid, secret } = let_in
    // With the token before goes what was connected by it.
    connected.drop(kid)
    await inTurn(kid, async () => {
      const kept = await readKeptRow(deps, kid)
      if (kept) await writeKeptRow(deps, kid, { ...kept, token_until: deps.clock.now().getTime() + token_ms }, null)
    })
    return `${kid}:${secret}`
  }

  /** One request of a device after another, each a check-in; `last` comes after what was canceled meanwhile. */
  async function come<T>(request: FastifyRequest, what: Come<T>): Promise<T> {
    const { terminal_kid: kid } = await deviceOf(deps, request.headers.authorization)
    takeTry(deps, 'requests of Mender clients', tries, kid)
    return visitOf(kid, request.ip, what)
  }
  async function visitOf<T>(kid: string, address: string, { first = () => {}, last }: Come<T>): Promise<T> {
    assertDisk(deps)
    const turnOf = (at: Omit<Turn, 'origin'>): Turn => ({ ...at, origin: new URL(publicUrl(deps)).origin })
    return inTurn(kid, () =>
      visit<Kept, T>(deps, kid, {
        ...{ kind: 'mender', address, silent_ms },
        fresh: { open: [], ended: [], attributes: {} },
        before(at) {
          if ((at.kept.token_until ?? 0) <= at.now) refuse('unauthorized')
          first(turnOf(at))
        },
        inventoryOf,
        stateOf: ({ attributes }) => stateOf(attributes),
        serialOf: () => undefined,
        held: ({ open }) => open,
        take(at, name, payload) {
          if (name === 'task') takeTask(turnOf(at), payload as Down['task'])
          else takeCancel(turnOf(at), payload as Down['cancel'])
        },
        ask: (_at, asked) => (connected.take(kid, asked) ? 'later' : undefined),
        answer: (at) => last(turnOf(at)),
      }),
    )
  }

  const nothing = () => {}
  const connected = mountMenderConnect(app, deps, {
    tell: ({ kid, address }, tunnels) =>
      visitOf(kid, address, { first: ({ kept }) => void (kept.tunnels = tunnels), last: nothing }),
    fetch: ({ kid, address }) =>
      visitOf(kid, address, { last: ({ kept }) => kept.open.some(({ state }) => state === 'receipt') }),
    reply: ({ kid, address }, id, fault) =>
      visitOf(kid, address, {
        first: (turn) =>
          reply(turn, id, fault ? undefined : {}, { code: fault?.code ?? '', message: fault?.message ?? '' }),
        last: nothing,
      }),
  })

  async function tellAttributes(request: FastifyRequest, reply: FastifyReply) {
    const said = readAttributes(request.body)
    await come(request, {
      first: ({ kept }) => void (kept.attributes = request.method === 'PUT' ? said : { ...kept.attributes, ...said }),
      last: () => {},
    })
    return reply.send()
  }

  async function tellNext(request: FastifyRequest, reply: FastifyReply, said: Record<string, unknown>) {
    const provided = ['device_type', 'artifact_name'].map((name) => ({ name, value: said[name] }))
    const next = await come(request, {
      first: ({ kept }) => void Object.assign(kept.attributes, readAttributes(provided)),
      last: nextOf,
    })
    if (!next) return reply.code(204).send()
    const { url: uri, artifact_name, device_types } = next.artifact
    const source = { uri, expire: next.expires_at }
    return { id: idOf(next), artifact: { artifact_name, device_types_compatible: device_types, source } }
  }

  async function tellStatus(request: FastifyRequest, reply: FastifyReply) {
    const body = partOf(request.body)
    const [status, substate] = [textOf(body['status'], 40) ?? '', textOf(body['sub_state'] ?? body['substate'], 1_000)]
    const { id } = request.params as { id: string }
    let goes_on = false
    const say = (turn: Turn) => void (goes_on = takeStatus(turn, id, status, substate))
    // The version that runs is told before it is said to be done.
    await come(request, isStoppable(status) ? { last: say } : { first: say, last: () => {} })
    return goes_on ? reply.code(204).send() : reply.code(409).send({ error: 'This deployment was aborted' })
  }

  async function tellLog(request: FastifyRequest, reply: FastifyReply) {
    const { id } = request.params as { id: string }
    await come(request, { first: (turn) => takeLog(turn, id, request.body), last: () => {} })
    return reply.code(204).send()
  }
}

/** Upon it a client asks for a token again, later. */
const statuses = { qrcode_invalid: 401, account_unavailable: 401, device_unknown: 401 } as const
