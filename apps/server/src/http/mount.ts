import { Readable } from 'node:stream'
import {
  changeText,
  constants,
  contract,
  errorMessage,
  errors,
  fieldFaultsOf,
  fieldMessages,
  holds,
  isFile,
  isList,
} from '@mdm/contract'
import type { Call, FileReply, GroupKey } from '@mdm/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Braking } from '../actor.ts'
import type { Deps } from '../deps.ts'
import { reading } from '../db/replica.ts'
import { contentTypeOf, disposition } from '../files/names.ts'
import { assertDisk } from '../lib/disk-room.ts'
import { Refusal } from '../refusal.ts'
import type { Ctx, Operator, RequestInfo, SignedIn, Track } from './context.ts'
import { browserCookie, cookieOf, oidcCookie } from './cookies.ts'
import { beginOperation, forgetOperation, recordOperation } from './operation-log.ts'
import type { Begun } from './operation-log.ts'
import { asUnavailable } from './refusals.ts'
import { requestInfo } from './request.ts'
import { assertConfirmed, authenticate } from './session.ts'
import { assertHolds, assertWithin, authorise } from './authorise.ts'

type AnyHandler = (input: unknown, ctx: Ctx) => Promise<unknown>
export type AllHandlers = Record<GroupKey, Record<string, AnyHandler>>

/** Gives every row of the contract its route. The chain of a call is this file, read from top to bottom. */
export function mountCalls(app: FastifyInstance, deps: Deps, handlers: AllHandlers): void {
  for (const [key, group] of Object.entries(contract)) {
    for (const [name, call] of Object.entries(group.calls) as [string, Call][]) {
      const handler = handlers[key as GroupKey][name]
      if (!handler) throw new Error(`no handler for ${call.path}`)
      app.route({
        method: call.is_also_get ? ['GET', 'POST'] : call.method,
        url: `/api/${call.path}`,
        config: { call },
        ...(call.body_bytes !== undefined && {
          bodyLimit: call.body_bytes,
          // What a stranger sends is not worth so much memory.
          onRequest: async (request) => void (await assertKnown(deps, request, call)),
        }),
        handler: (request, reply) => serve(deps, call, handler, request, reply),
      })
    }
  }
}

async function serve(deps: Deps, call: Call, handler: AnyHandler, req: FastifyRequest, reply: FastifyReply) {
  const started = performance.now()
  let identified: Operator | undefined
  const request: RequestInfo = {
    ...requestInfo(req),
    oidc_cookie: cookieOf(req, oidcCookie),
    browser_cookie: cookieOf(req, browserCookie),
    keepCookie: (line) => void reply.header('set-cookie', line),
    identify: (operator) => void (identified = operator),
    clientGone: () => clientGone(reply),
  }
  const tracks: Track[] = []
  let session: SignedIn | undefined
  let input: unknown
  let refusal: Refusal | undefined
  let begun: Begun | undefined
  let braking: Braking | undefined
  let data: unknown = null
  try {
    session = await authenticate(deps, req, request, call)
    authorise(call, session)
    // Only now: what a stranger sends is not worth a validation message.
    input = parseInput(call, req.method === 'GET' ? withoutShared(req.query) : (req.body ?? {}))
    if (call.needs_for) assertHolds(session, call.needs_for(input))
    assertWithin(call, session)
    if (session && call.asks_password?.(input)) await assertConfirmed(deps, session)
    if (call.effect === 'write' && !call.works_on_full_disk) assertDisk(deps)
    // Recorded before it is done: a write that could not be traced later is refused.
    if (session && isLogged(call) && !call.is_unlogged)
      begun = await beginOperation(deps, { call, request, session, input })
    const handle = (from: Deps) => {
      const ctx = context(from, request, session, tracks)
      braking = ctx.braking
      return handler(input, ctx)
    }
    data = parseOutput(call, await (isList(call) ? reading(deps, handle) : handle(deps)))
    if (call.destroys?.(input) && !braking?.is_asked)
      throw new Error(`${call.path} does not say to how many devices it did that`)
  } catch (error) {
    for (const undo of braking?.undo ?? []) await undo()
    refusal = asRefusal(deps, error, call, request)
    data = refusal.fields ? { fields: fieldMessages(refusal.fields, request.language) } : null
  }
  const file = !refusal && isFile(call) ? (data as FileReply) : undefined
  const { result, status } = refusal ? errors[refusal.refusal] : { result: 1, status: 200 }
  const message = refusal ? errorMessage(refusal.refusal, request.language, refusal.details) : ''
  // The console asks the person for the password and sends the call again: that one is the act.
  if (refusal?.refusal === 'password_required') await forgetOperation(deps, begun)
  else if (isLogged(call) && (refusal || !call.is_unlogged)) {
    const duration_ms = Math.round(performance.now() - started)
    await recordOperation(deps, {
      call,
      request,
      session,
      input: input ?? req.body ?? req.query,
      data: file ? { file: file.name } : data,
      result,
      message,
      details: refusal?.details,
      tracks,
      duration_ms,
      tried: refusal?.details['username'],
      identified,
      begun,
    })
  }
  if (file) return sendFile(deps, call, file, req, reply)
  return reply.code(status).header('cache-control', 'no-store').send({ result, message, data })
}

/** Made for the few calls that ask for it. */
function clientGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  if (raw.destroyed) gone.abort()
  raw.once('close', () => raw.writableFinished || gone.abort())
  return gone.signal
}
const isLogged = (call: Call): boolean => call.effect === 'write' && call.is_unlogged !== true

async function assertKnown(deps: Deps, req: FastifyRequest, call: Call): Promise<void> {
  if (!(await authenticate(deps, req, requestInfo(req), call))) throw new Refusal('unauthorized')
}

/** Written while it is made. What fails from here on cuts the connection: half a file must not look whole. */
function sendFile(deps: Deps, call: Call, file: FileReply, req: FastifyRequest, reply: FastifyReply): FastifyReply {
  const body = Readable.from(file.body, { objectMode: false })
  body.once('error', (error) => deps.log.warn({ err: error, path: call.path }, 'a file ended early'))
  // It may take long to make the next piece.
  req.raw.setTimeout(constants.batch_timeout_ms)
  const content_type = contentTypeOf(file.name)
  return reply
    .headers({
      'cache-control': 'no-store',
      'content-disposition': disposition(file.name, content_type),
      'content-security-policy': "default-src 'none'; sandbox",
      'content-type': content_type,
    })
    .send(body)
}

export function context(deps: Deps, request: RequestInfo, session: SignedIn | undefined, tracks: Track[]): Ctx {
  return {
    deps,
    request,
    get session() {
      return session ?? fail('unauthorized')
    },
    get account_kid() {
      return this.session.account_kid
    },
    get scope() {
      return deps.scope(this.session.account_kid, this.session.group_kids)
    },
    get visible_groups() {
      return this.session.group_kids
    },
    get user() {
      return { kid: this.session.user_kid, name: this.session.name }
    },
    get token_kid() {
      return this.session.is_api_token ? this.session.kid : null
    },
    braking: {
      is_asked: false,
      undo: [],
      assertConfirmed: (trx) => assertConfirmed(deps, session ?? fail('unauthorized'), trx),
    },
    may: (permission) => session !== undefined && holds(session.permissions, permission),
    fail,
    track: (table, kid, ...[kind, details]) =>
      void tracks.push({ table, kid, change: changeText(kind, 'en', details), kind, ...(details && { details }) }),
  }
}
const fail: Ctx['fail'] = (name, details, fields) => {
  throw new Refusal(name, details, fields)
}

/** Parameters that every call may carry (specification, 7, shared behaviour) are not a call's own. */
export function withoutShared(query: unknown): unknown {
  const { AccessToken: _, account_kid: _account, lang: _lang, ...own } = query as Record<string, unknown>
  return own
}

export function parseInput(call: Call, raw: unknown): unknown {
  const parsed = call.input.safeParse(raw)
  if (parsed.success) return parsed.data
  throw new Refusal('bad_input', {}, fieldFaultsOf(parsed.error, raw))
}

/** An undeclared column cannot leak: unknown keys are stripped, a wrong shape is our fault and never goes out. */
function parseOutput(call: Call, answer: unknown): unknown {
  const parsed = call.output.safeParse(answer)
  if (parsed.success) return parsed.data
  throw new Error(`${call.path} answered what its contract does not allow: ${parsed.error.message}`)
}

function asRefusal(deps: Deps, error: unknown, call: Call, request: RequestInfo): Refusal {
  if (error instanceof Refusal) return error
  const unavailable = asUnavailable(deps, error, { path: call.path, request_kid: request.kid })
  if (unavailable) return unavailable
  deps.log.error({ err: error, path: call.path, request_kid: request.kid }, 'call failed')
  deps.onInternalError?.(error)
  return new Refusal('internal', { request_kid: request.kid })
}
