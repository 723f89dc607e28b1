import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Down } from '@mdm/device-link'
import type { Deps } from '../../deps.ts'
import { assertDisk } from '../../lib/disk-room.ts'
import { digest } from '../../lib/ids.ts'
import { takeTry } from '../../lib/rate-limit.ts'
import { authenticateDevice } from '../../link/credentials.ts'
import { enrolAgent, enrolmentLimits, saysNoSerial } from '../../modules/fleet/enrolment/index.ts'
import { refuse } from '../../refusal.ts'
import { handInLog } from '../shared/collected-log.ts'
import { heldPolls } from '../shared/held-polls.ts'
import { answerFaults, sendJson, StatusAlone } from '../shared/json-answers.ts'
import { lenientJson } from '../shared/lenient-json.ts'
import { strangersAt } from '../shared/strangers.ts'
import { deviceTurns } from '../shared/turns.ts'
import { partOf, textOf } from '../shared/values.ts'
import { visit } from '../shared/visit.ts'
import { beFetched, keepAsked, sayConfigured } from '../shared/wanted-config.ts'
import { judge, resetDueOf, wantsConfig } from '../shared/wanted-verdicts.ts'
import type { Coming } from '../shared/wanted-verdicts.ts'
import { confirm, handOut, takeCancel, takeTask } from '../shared/wanted-work.ts'
import { configFor, configure, sectionsOf } from './config.ts'
import { agent_package } from './kept.ts'
import type { Kept, Turn } from './kept.ts'
import { rulesFor, takeLines } from './log.ts'
import { inventoryOf, noteInfo, readInfo, tokenOf } from './said.ts'

const body_bytes = 512 * 1024
/** A log is told ten lines at a time. */
const tries = { limit: 240, per_ms: 60_000 }
/** It polls at least once a minute, and every 60 s where it is refused. */
const silent_ms = 5 * 60_000

type Device = { kid: string; secret: string }
type Work<T> = { coming?: Coming; first?: (at: Turn) => void; last: (at: Turn) => T | Promise<T> }

/** What the agent calls itself by: kid and secret in one, as it sends nothing else that says who it is. */
const idOf = ({ kid, secret }: Device): string => kid.replaceAll('-', '') + secret
function partsOf(id: string): Device | undefined {
  const [, ...parts] = /^(.{8})(.{4})(.{4})(.{4})(.{12})(.{64})$/.exec(/^[0-9a-f]{96}$/.test(id) ? id : '') ?? []
  return parts.length === 0 ? undefined : { kid: parts.slice(0, 5).join('-'), secret: parts[5]! }
}

/** The open Headwind agent for Android: it fetches all that its device ought to be, says how it is, and waits for news. */
export async function mountHeadwind(app: FastifyInstance, deps: Deps): Promise<void> {
  if (!deps.config.gateways.headwind) return
  const limits = enrolmentLimits(deps.clock)
  const inTurn = deviceTurns()
  const strangers = strangersAt(deps)
  const holdPoll = heldPolls(app, deps)
  const ok = (reply: FastifyReply, data: unknown = null) => sendJson(reply, { status: 'OK', message: null, data })
  const faults = { unauthorized: 'notfound.device', qrcode_invalid: 'notfound.device' } as const
  const bodyOf = (name: string) => ({
    status: 'ERROR',
    message: `error.${faults[name as 'unauthorized'] ?? name}`,
    data: null,
  })

  async function deviceOf(request: FastifyRequest, id: unknown): Promise<Device> {
    const device = typeof id === 'string' ? partsOf(id) : undefined
    if (device && (await authenticateDevice(deps, device.kid, device.secret))) return device
    const seconds = strangers.note(request)
    return seconds > 0 ? refuse('too_many_requests', { seconds }) : refuse('unauthorized')
  }

  /** One request of a device after another, each a check-in. */
  async function come<T>({ ip }: FastifyRequest, device: Device, work: Work<T>): Promise<T> {
    const { coming = 'other', first, last } = work
    const { kid, secret } = device
    takeTry(deps, 'requests of Headwind agents', tries, kid)
    assertDisk(deps)
    return inTurn(kid, () =>
      visit<Kept, T>(deps, kid, {
        ...{ kind: 'headwind', address: ip, silent_ms, fresh: { open: [], inventory: {}, parts: {}, asked: [] } },
        before(at) {
          judge(at, coming)
          if (coming === 'config') beFetched(at)
          first?.(at)
        },
        helloOf: ({ config }) => ({ config_version: config?.is_told ? config.version : 0 }),
        inventoryOf,
        serialOf: ({ serial }) => serial,
        stateOf: ({ parts }) => parts,
        held: ({ open }) => open,
        take(at, name, payload) {
          if (name === 'task') takeTask(at, payload as Down['task'], { kind: 'headwind', package: agent_package })
          else takeCancel(at, payload as Down['cancel'])
          if (coming === 'config') beFetched(at)
        },
        async configure(at, payload) {
          await configure(deps, at, payload)
          if (coming === 'config') beFetched(at)
        },
        ask: ({ kept }, request) => keepAsked(kept, request),
        resetDue: resetDueOf,
        async answer(at) {
          await handInLog(app, at, `${kid}:${secret}`)
          return last(at)
        },
      }),
    )
  }

  async function tellConfig(request: FastifyRequest, reply: FastifyReply, device: Device, id: string | undefined) {
    const config = await come(request, device, {
      coming: 'config',
      last(at) {
        handOut(at)
        return configFor(deps, device.kid, at.kept)
      },
    })
    return ok(reply, { ...(id !== idOf(device) && { newNumber: idOf(device) }), ...config })
  }

  /** By a live code alone; whatever stands for the device until then only tells it from others of the account. */
  async function enrolled(request: FastifyRequest, id: string): Promise<Device> {
    const token = tokenOf(request.body)
    const key = digest(JSON.stringify([token, id])).toString('hex')
    limits.enrol.take(request.ip, key)
    assertDisk(deps)
    if (token === undefined || textOf(id, 60) !== id || partsOf(id)) return refuse('unauthorized')
    const device = { model: '', os_name: 'Android', os_version: '', service_version: '', protocol_version: 1 }
    const made = await enrolAgent(deps, {
      kind: 'headwind',
      token,
      hardware_id: saysNoSerial(id) ? undefined : id,
      device,
    })
    limits.enrol.noteRight(key)
    return made
  }

  await app.register(
    async (agent) => {
      lenientJson(agent, ['application/json'])
      // Only in an answer that is well does it read that nobody knows it.
      answerFaults(agent, deps, bodyOf, { unauthorized: 200, qrcode_invalid: 200 })
      agent.get('/:id', async (request, reply) => {
        const { id } = request.params as { id: string }
        return tellConfig(request, reply, await deviceOf(request, id), id)
      })
      agent.post('/:id', { bodyLimit: body_bytes }, async (request, reply) => {
        const { id } = request.params as { id: string }
        const device = partsOf(id) ? await deviceOf(request, id) : await enrolled(request, id)
        return tellConfig(request, reply, device, id)
      })
    },
    { prefix: '/rest/public/sync/configuration' },
  )

  await app.register(
    async (agent) => {
      lenientJson(agent, ['application/json'])
      // What it may do and how it is refused is read of the status alone.
      answerFaults(agent, deps, bodyOf)
      const by = (request: FastifyRequest) => deviceOf(request, (request.params as { id: string }).id)

      agent.post('/public/sync/info', { bodyLimit: body_bytes }, async (request, reply) => {
        const device = await deviceOf(request, partOf(request.body)['deviceId'])
        const info = readInfo(request.body)
        const last = (at: Turn) => {
          const waits = at.kept.config?.kiosk && info.has_kiosk && !info.is_in_kiosk ? 'kiosk' : undefined
          sayConfigured(at, sectionsOf(info.has_kiosk), waits)
        }
        await come(request, device, { first: (at) => noteInfo(at, info), last })
        return ok(reply)
      })

      agent.get('/notification/polling/:id', async (request, reply) => {
        const device = await by(request)
        const look = () => come(request, device, { coming: 'poll', last: wantsConfig })
        return ok(reply, newsOf(await holdPoll(device.kid, reply, look)))
      })
      agent.get('/notifications/device/:id', async (request, reply) =>
        ok(reply, newsOf(await come(request, await by(request), { coming: 'poll', last: wantsConfig }))),
      )

      agent.get('/plugins/devicelog/log/rules/:id', async (request, reply) => {
        let rules: object[] = []
        await come(request, await by(request), { first: (at) => void (rules = rulesFor(at)), last: () => {} })
        return ok(reply, rules)
      })
      agent.post('/plugins/devicelog/log/list/:id', { bodyLimit: body_bytes }, async (request, reply) => {
        await come(request, await by(request), { first: (at) => takeLines(at, request.body), last: () => {} })
        return ok(reply)
      })

      const doesNow = (path: string, type: 'restart' | 'factory_reset') =>
        agent.post(`/plugins/devicereset/public/${path}`, { bodyLimit: body_bytes }, async (request, reply) => {
          const can = type === 'restart' || readInfo(request.body).may_reset
          let may = false
          const first = (at: Turn) => void (may = can && confirm(at, type))
          await come(request, await by(request), { first, last: () => {} })
          // Upon any other status it does not.
          if (!may) throw new StatusAlone(409)
          return ok(reply)
        })
      doesNow(':id', 'factory_reset')
      doesNow('reboot/:id', 'restart')
    },
    { prefix: '/rest' },
  )
}

const newsOf = (is_due: boolean): object[] => (is_due ? [{ messageType: 'configUpdated', payload: null }] : [])
