import type { ServerResponse } from 'node:http'
import { contract } from '@mdm/contract'
import type { FastifyInstance } from 'fastify'
import type { Deps } from '../../deps.ts'
import { digest } from '../../lib/ids.ts'
import { Refusal } from '../../refusal.ts'
import { requireCall } from '../guard.ts'
import { frame, heartbeat } from './client.ts'
import type { LiveHub } from './hub.ts'
import { tokenOf } from '../session.ts'

/** What a browser may leave unread before events are dropped for it. */
const buffer_bytes = 64 * 1024
/** A peer that reads nothing for this long is gone. */
const unread_ms = 60_000
const streams_per_session = 20

/**
 * GET /events: live events of one account as Server-Sent Events. EventSource cannot set headers, so the token may come
 * as AccessToken of the query; `account_kid` is checked as every call checks it.
 */
export function mountEvents(app: FastifyInstance, deps: Deps, hub: LiveHub): void {
  const open = new Map<string, number>()
  app.get('/events', { config: { is_stream: true } }, async (request, reply) => {
    const session = await requireCall(deps, request, contract.login.calls.session)
    const count = open.get(session.kid) ?? 0
    if (count >= streams_per_session) throw new Refusal('too_many_requests', { seconds: 60 })
    open.set(session.kid, count + 1)

    reply.hijack()
    const { raw } = reply
    raw.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    })
    raw.write('retry: 1000\n\n')
    const asked = (request.query as { account_kid?: string }).account_kid
    const stream = boundedStream(raw)
    const connected = hub.connect({
      session,
      token_hash: digest(tokenOf(request)!),
      asked_kid: asked === undefined || asked === '' ? null : asked.toLowerCase(),
      ...stream,
    })
    raw.on('error', () => raw.destroy())
    raw.once('close', () => {
      const left = (open.get(session.kid) ?? 1) - 1
      if (left > 0) open.set(session.kid, left)
      else open.delete(session.kid)
      void connected.then((disconnect) => disconnect())
    })
    await connected
    // From here on nothing is missed: a client may fetch what it shows.
    stream.beat()
  })
}

function boundedStream(raw: ServerResponse) {
  let lagged_since: number | undefined
  raw.on('drain', () => {
    if (lagged_since === undefined) return
    lagged_since = undefined
    raw.write(frame({ type: 'lagged' }))
  })
  return {
    send(text: string): void {
      if (raw.destroyed || raw.writableEnded || lagged_since !== undefined) return
      if (raw.writableLength > buffer_bytes) lagged_since = performance.now()
      else raw.write(text)
    },
    beat(): void {
      if (raw.destroyed || raw.writableEnded) return
      if (lagged_since === undefined) raw.write(heartbeat)
      else if (performance.now() - lagged_since > unread_ms) raw.destroy()
    },
    end(): void {
      // A peer that does not read would never see a graceful end.
      if (lagged_since !== undefined) raw.destroy()
      else raw.end()
    },
  }
}
