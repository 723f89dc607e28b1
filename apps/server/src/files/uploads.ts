import type { IncomingMessage } from 'node:http'
import { contract } from '@mdm/contract'
import type { Call } from '@mdm/contract'
import { Server } from '@tus/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Selectable } from 'kysely'
import type { Tables } from '../db/schema/tables.ts'
import { isDiskFull } from '../lib/database-errors.ts'
import type { Deps } from '../deps.ts'
import { Refusal } from '../refusal.ts'
import type { ObjectInfo } from './object-store.ts'
import type { SignedIn } from '../http/context.ts'
import type { requireCall as RequireCall } from '../http/guard.ts'
import { beginUpload, isReservationShort, noteReceived, reserveAgain } from './upload-space.ts'
import { uploadBytes } from './upload-bytes.ts'
import { dropBytes, uploadKidPattern } from './upload-upkeep.ts'
import { assertDisk, ranOutOfDisk } from '../lib/disk-room.ts'

type ServerRequest = Parameters<NonNullable<ConstructorParameters<typeof Server>[0]['namingFunction']>>[0]
type Row = Selectable<Tables['upload']>
const reserved_again_ms = 10 * 60_000

/** Who may keep an upload in one way or another may upload; the call that keeps it asks for its own permission. */
const keepers = Object.values(contract)
  .flatMap((group) => Object.values(group.calls) as Call[])
  .filter(({ keeps_uploads }) => keeps_uploads) as [Call, ...Call[]]

/**
 * /upload: resumable uploads by the tus protocol 1.0 (creation, termination). The caller's session and permission come
 * before everything; an upload exists for the account and person that began it only. Its id is the `upload_kid` that
 * calls such as file_cloud/insert take. Metadata: `filename`, `fingerprint`
 * by which the same file is found again, and `area` where it takes of another space than that of files.
 */
export async function mountUploads(app: FastifyInstance, deps: Deps, requireCall: typeof RequireCall): Promise<void> {
  const tus = tusServer(deps)
  await app.register(async (within) => {
    within.removeAllContentTypeParsers()
    // The body is a stream of bytes that tus reads itself.
    within.addContentTypeParser('*', (_request, _payload, done) => done(null))
    const config = { is_stream: true }
    within.route({
      method: 'POST',
      url: '/upload',
      config,
      handler: async (request, reply) => {
        const session = await requireCall(deps, request, ...keepers)
        assertDisk(deps)
        const kid = await begin(deps, request, session)
        await pass(tus, request, reply, kid)
        // Refused, or cut off before anybody heard its address: nobody can go on with it.
        const is_heard = reply.raw.statusCode === 201 && (reply.raw.writableFinished || !reply.raw.destroyed)
        if (!is_heard) await forgetUnheard(deps, kid)
      },
    })
    within.route({
      method: ['HEAD', 'PATCH', 'DELETE'],
      url: '/upload/:kid',
      config,
      handler: async (request, reply) => {
        const session = await requireCall(deps, request, ...keepers)
        const found = await own(deps, (request.params as { kid: string }).kid, session)
        // A server that died may have moved its bytes without noting that.
        const row = found.finished_at ? found : ((await finishUpload(deps, found.kid)) ?? found)
        // Its bytes have moved on to the object store; a client that missed our last reply learns that it is done.
        if (row.finished_at && request.method !== 'DELETE') return sayFinished(request, reply, row)
        if (request.method === 'DELETE') {
          await forget(deps, row)
          return reply.code(204).header('tus-resumable', '1.0.0').send()
        }
        if (request.method === 'HEAD') return pass(tus, request, reply, row.kid)
        assertDisk(deps)
        if (isReservationShort(deps, row)) await reserveAgain(deps, row)
        const renewing = setInterval(() => void reserveAgain(deps, row).catch(() => {}), reserved_again_ms).unref()
        await pass(tus, request, reply, row.kid).finally(() => clearInterval(renewing))
        await noteReceived(deps, row.kid, await uploadBytes(deps).received(row))
      },
    })
  })
}

/** The row comes first: an upload without an owner can't exist. */
async function begin(deps: Deps, request: FastifyRequest, session: SignedIn): Promise<string> {
  if (request.headers['upload-concat'] !== undefined)
    throw new Refusal('bad_input', {}, { 'upload-concat': { name: 'not_empty' } })
  const length = request.headers['upload-length']
  if (typeof length !== 'string' || !/^\d{1,15}$/.test(length))
    throw new Refusal('bad_input', {}, { 'upload-length': { name: 'digits', pattern: String.raw`^\d{1,15}$` } })
  const size = Number(length)
  const max = deps.config.upload_max_bytes
  if (size > max) throw new Refusal('too_large', { max: `${max} B` })
  const { account_kid, user_kid } = session
  const metadata = request.headers['upload-metadata']
  const name = given(metadata, 'filename')
  const area = given(metadata, 'area') === 'app_center' ? 'app_center' : 'file_disk'
  const fingerprint = given(metadata, 'fingerprint')
  const { kid, dropped } = await beginUpload(deps, { account_kid, user_kid, name, size, area, fingerprint })
  if (dropped) await dropBytes(deps, dropped)
  return kid
}

/** What the client says of it; its name is only shown, the one that counts is validated when the file is kept. */
function given(metadata: string | string[] | undefined, key: 'filename' | 'area' | 'fingerprint'): string {
  const pattern = {
    filename: /(?:^|,)\s*filename ([A-Za-z0-9+/=]{0,2000})/,
    area: /(?:^|,)\s*area ([A-Za-z0-9+/=]{0,40})/,
    fingerprint: /(?:^|,)\s*fingerprint ([A-Za-z0-9+/=]{0,2000})/,
  }[key]
  const encoded = pattern.exec(String(metadata ?? ''))?.[1] ?? ''
  return Buffer.from(encoded, 'base64')
    .toString('utf8')
    .replace(/\p{Cc}/gu, '')
    .slice(0, key === 'fingerprint' ? 400 : 255)
}

async function own(deps: Deps, kid: string, session: SignedIn): Promise<Row> {
  if (!uploadKidPattern.test(kid)) throw new Refusal('not_found')
  const row = await deps.db
    .selectFrom('upload')
    .selectAll()
    .where('kid', '=', kid)
    .where('account_kid', '=', session.account_kid)
    .where('user_kid', '=', session.user_kid)
    .executeTakeFirst()
  return row ?? refuseUnknown()
}
const refuseUnknown = (): never => {
  throw new Refusal('not_found')
}

function sayFinished(request: FastifyRequest, reply: FastifyReply, row: Row) {
  const offset = String(row.size)
  reply.headers({ 'tus-resumable': '1.0.0', 'cache-control': 'no-store', 'upload-offset': offset })
  if (request.method === 'HEAD') return reply.code(200).header('upload-length', offset).send()
  const is_end = request.headers['upload-offset'] === offset && Number(request.headers['content-length'] ?? 0) === 0
  if (is_end) return reply.code(204).send()
  throw new Refusal('conflict')
}

/** Which upload a request was found to be about: tus is told, it never reads an address itself. */
const about = new WeakMap<IncomingMessage, string>()

/** From here on the reply is written by tus. */
async function pass(tus: Server, request: FastifyRequest, reply: FastifyReply, kid: string): Promise<void> {
  about.set(request.raw, kid)
  reply.hijack()
  // A cut connection is everyday life here, and tus tidies up after it.
  request.raw.on('error', () => undefined)
  await tus.handle(request.raw, reply.raw)
}

function tusServer(deps: Deps): Server {
  const store = uploadBytes(deps)
  const kidOf = (request: ServerRequest): string => about.get(request.runtime!.node!.req as IncomingMessage)!
  return new Server({
    path: '/upload',
    relativeLocation: true,
    allowedOrigins: [],
    maxSize: deps.config.upload_max_bytes,
    datastore: store,
    namingFunction: kidOf,
    getFileIdFromRequest: kidOf,
    async onUploadFinish(_request, upload) {
      await finishUpload(deps, upload.id, store.digested(upload.id, upload.size!))
      return {}
    },
    onResponseError(_request, error) {
      if (error instanceof Refusal) return { status_code: 409, body: error.refusal }
      if ('status_code' in error && error.status_code < 500) return undefined
      if (isDiskFull(error)) {
        ranOutOfDisk(deps, error)
        return { status_code: 507, body: 'no room is left on the server\n' }
      }
      deps.log.error({ err: error }, 'upload failed')
      return { status_code: deps.isUnavailable(error) ? 503 : 500, body: 'the upload could not be stored\n' }
    },
  })
}

/**
 * Moves a complete upload into the object store. Safe to repeat: a server that died after the last byte finishes here
 * when the upload is asked for. What was not `digested` as it came is read once more. Returns the finished row, or
 * undefined while bytes are missing.
 */
export async function finishUpload(deps: Deps, kid: string, digested?: ObjectInfo): Promise<Row | undefined> {
  const running = finishing.get(kid)
  if (running) return running
  const work = finish(deps, kid, digested).finally(() => finishing.delete(kid))
  finishing.set(kid, work)
  return work
}
const finishing = new Map<string, Promise<Row | undefined>>()

async function finish(deps: Deps, kid: string, digested?: ObjectInfo): Promise<Row | undefined> {
  const row = await deps.db.selectFrom('upload').selectAll().where('kid', '=', kid).executeTakeFirst()
  if (!row || row.finished_at) return row
  // Under the upload's own kid, so that a repeat after a crash finds what the first try already moved.
  const info = (await deps.objects.info(kid)) ?? (await uploadBytes(deps).finish(row, digested))
  if (!info) return undefined
  const { md5, sha256 } = info
  const finished = await deps.db
    .updateTable('upload')
    .set({ object: kid, md5, sha256, received: row.size, finished_at: deps.clock.now() })
    .where('kid', '=', kid)
    .returningAll()
    .executeTakeFirst()
  // Given up meanwhile.
  if (!finished) await deps.objects.delete(kid)
  return finished
}

async function forget(deps: Deps, row: Row): Promise<void> {
  const gone = await deps.db
    .deleteFrom('upload')
    .where('kid', '=', row.kid)
    .where('claimed_at', 'is', null)
    .returning('kid')
    .executeTakeFirst()
  if (!gone) throw new Refusal('conflict')
  await dropBytes(deps, row)
}

async function forgetUnheard(deps: Deps, kid: string): Promise<void> {
  const row = await deps.db.selectFrom('upload').selectAll().where('kid', '=', kid).executeTakeFirst()
  if (row && !row.claimed_at) await forget(deps, row)
}
