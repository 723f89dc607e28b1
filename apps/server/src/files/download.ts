import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { Refusal } from '../refusal.ts'
import { disposition } from './names.ts'
import { noteMissing } from './object-checks.ts'
import { ObjectMissing } from './object-store.ts'
import { byteRange } from './range.ts'
import type { FileSigner } from './signature.ts'

/** GET and HEAD /files/{object}: whoever holds a signed address may read that one object until it expires. */
export function mountDownloads(app: FastifyInstance, deps: Deps, signer: FileSigner): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/files/:object',
    config: { is_stream: true },
    handler: (request, reply) => download(deps, signer, request, reply),
  })
}

async function download(deps: Deps, signer: FileSigner, request: FastifyRequest, reply: FastifyReply) {
  const { object } = request.params as { object: string }
  const signed = signer.check(object, request.query as Record<string, unknown>)
  if (typeof signed === 'string') throw new Refusal('no_permission')
  const info = await deps.objects.info(object)
  if (!info) throw await missing(deps, object)

  const attached = disposition(signed.name, signed.content_type)
  const etag = `"${info.sha256}"`
  reply.headers({
    'accept-ranges': 'bytes',
    'cache-control': 'private, max-age=3600, immutable',
    // A picture shown in place is named by the page that offers it (`download` of a link): a name here would win.
    'content-disposition': attached.startsWith('inline') ? 'inline' : attached,
    'content-security-policy': "default-src 'none'; sandbox",
    'content-type': signed.content_type,
    etag,
    'x-content-type-options': 'nosniff',
  })
  const { range, 'if-range': if_range, 'if-none-match': if_none_match } = request.headers
  if (if_none_match?.split(',').some((tag) => tag.trim() === etag)) return reply.code(304).send()
  // Only the exact tag proves that the parts belong together; a date never does.
  const wanted = if_range === undefined || if_range === etag ? byteRange(range, info.size) : undefined
  if (wanted === 'unsatisfiable') {
    reply.removeHeader('content-disposition').header('content-range', `bytes */${info.size}`)
    return reply.code(416).header('content-type', 'application/octet-stream').send('')
  }
  const length = wanted ? wanted.end - wanted.start + 1 : info.size
  if (wanted) reply.code(206).header('content-range', `bytes ${wanted.start}-${wanted.end}/${info.size}`)
  reply.header('content-length', length)
  if (request.method === 'HEAD' || length === 0) return reply.send()
  try {
    return reply.send(await deps.objects.read(object, wanted))
  } catch (error) {
    if (!(error instanceof ObjectMissing)) throw error
    for (const name of ['accept-ranges', 'content-length', 'content-range', 'etag']) reply.removeHeader(name)
    throw await missing(deps, object)
  }
}

/** What was deleted is unknown; what should be there and is not is told apart, and marked. */
const missing = async (deps: Deps, object: string): Promise<Refusal> =>
  new Refusal((await noteMissing(deps, object)) ? 'file_content_missing' : 'not_found')
