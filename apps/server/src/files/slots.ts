import type { IncomingMessage } from 'node:http'
import { Transform } from 'node:stream'
import type { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { constants } from '@mdm/contract'
import { isKid } from '@mdm/device-link'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import { lockAccount } from '../db/lock-account.ts'
import type { Tables } from '../db/schema/tables.ts'
import type { Deps } from '../deps.ts'
import { Refusal } from '../refusal.ts'
import { assertDisk } from '../lib/disk-room.ts'
import { newKid } from '../lib/ids.ts'
import { deviceOf } from '../link/credentials.ts'

type Slot = Selectable<Tables['device_slot']>
/** What every PNG begins with: its signature and the head of its first chunk, then width and height of 4 bytes each. */
const pngHead = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, ...Buffer.from('IHDR')])
/** A picture of few bytes may fill the memory of whoever opens it. */
const pixels_max = 64_000_000
/** A picture is small; a file of a device may be half a gigabyte over a weak network. */
const whole_ms: Record<string, number> = { screenshot: 10 * 60_000, remote_log: 10 * 60_000 }
const other_ms = 60 * 60_000

/**
 * PUT /device/slot/{kid} with `Authorization: Bearer {terminal_kid}:{secret}`: a device hands over what a task asked it
 * for. The slot names the device, the size and the kind, once and for a time. Answers `{ object }` for the report; the
 * same bytes again get the same answer, because a reply can be lost.
 */
export async function mountSlots(app: FastifyInstance, deps: Deps): Promise<void> {
  await app.register(async (within) => {
    within.removeAllContentTypeParsers()
    within.addContentTypeParser('*', (_request, _payload, done) => done(null))
    const filling = new Map<string, IncomingMessage>()
    within.put('/device/slot/:kid', { config: { is_stream: true } }, async (request, reply) => {
      const slot = await slotOf(deps, request)
      assertDisk(deps)
      // One that comes again has lost its connection: what is left of that takes no more room.
      filling.get(slot.kid)?.destroy()
      filling.set(slot.kid, request.raw)
      const object = await fill(deps, slot, request).finally(
        () => filling.get(slot.kid) === request.raw && filling.delete(slot.kid),
      )
      return reply.header('cache-control', 'no-store').send({ result: 1, message: '', data: { object } })
    })
  })
}

/** Another device's slot is as unknown as one that never was. */
async function slotOf(deps: Deps, request: FastifyRequest): Promise<Slot> {
  const device = await deviceOf(deps, request.headers.authorization)
  const slot_kid = (request.params as { kid: string }).kid
  const slot = isKid(slot_kid)
    ? await deps.db
        .selectFrom('device_slot')
        .selectAll()
        .where('kid', '=', slot_kid)
        .where('terminal_kid', '=', device.terminal_kid)
        .where('account_kid', '=', device.account_kid)
        .executeTakeFirst()
    : undefined
  if (!slot || slot.expires_at <= deps.clock.now()) throw new Refusal('not_found')
  if ((bytesOf(request) ?? 0) > slot.max_bytes) throw new Refusal('too_large', { max: `${slot.max_bytes} B` })
  return slot
}

/** What it says of its size; undefined of one that comes in pieces. */
const bytesOf = ({ headers }: FastifyRequest): number | undefined =>
  headers['content-length'] === undefined ? undefined : Number(headers['content-length'])

/** Slots of transfers that people begin, whose files the account keeps for a while. */
const takes_of_cache = new Set(['device_file', 'device_log'])

/**
 * Takes of the room that an account has for files of its devices before the first byte is read: of many that were asked for
 * at once nobody knew how large they are. Others of the account wait until the transaction ends. @throws `storage_exceeded`
 */
async function reserve({ db }: Deps, { kid, account_kid }: Slot, bytes: number): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await lockAccount(trx, account_kid)
    const { used } = await trx
      .selectFrom('device_transfer')
      .select(sql<number>`COALESCE(sum(size), 0)::bigint`.as('used'))
      .where('account_kid', '=', account_kid)
      .where('kid', '<>', kid)
      .where('state', 'in', ['running', 'completed'])
      .executeTakeFirstOrThrow()
    if (Number(used) + bytes > constants.device_file_cache_bytes) throw new Refusal('storage_exceeded')
    await trx
      .updateTable('device_transfer')
      .set({ size: bytes })
      .where('kid', '=', kid)
      .where('state', '=', 'running')
      .execute()
  })
}

async function fill(deps: Deps, slot: Slot, request: FastifyRequest): Promise<string> {
  const key = newKid()
  const give_up = () => request.raw.destroy(new Error('too slow'))
  const timer = setTimeout(give_up, whole_ms[slot.kind] ?? other_ms).unref()
  let info
  try {
    if (takes_of_cache.has(slot.kind)) await reserve(deps, slot, bytesOf(request) ?? slot.max_bytes)
    info = await deps.objects.put(key, bodyOf(slot, request), slot.max_bytes)
  } catch (error) {
    // A connection that broke off is the device's affair; it comes again.
    if (request.raw.destroyed && !request.raw.complete && !(error instanceof Refusal))
      throw new Refusal('bad_input', {}, { '': { name: 'body_cut' } })
    throw error
  } finally {
    clearTimeout(timer)
  }
  const filled = await deps.db
    .updateTable('device_slot')
    .set({ object: key, used_at: deps.clock.now() })
    .where('kid', '=', slot.kid)
    .where('used_at', 'is', null)
    .returning('object')
    .executeTakeFirst()
  if (filled) return key
  await deps.objects.delete(key)
  const now = await deps.db.selectFrom('device_slot').select('object').where('kid', '=', slot.kid).executeTakeFirst()
  // Its device, or the transfer it was for, has gone meanwhile.
  if (!now) throw new Refusal('not_found')
  const { object } = now
  const stored = object === null ? undefined : await deps.objects.info(object)
  if (object !== null && stored?.sha256 === info.sha256) return object
  throw new Refusal('conflict')
}

function bodyOf(slot: Slot, request: FastifyRequest): Readable {
  const checks: Record<string, () => Transform> = { screenshot: sizedPng, remote_log: () => gzipped(slot.max_bytes) }
  const checked = checks[slot.kind]?.()
  if (!checked) return request.raw
  request.raw.on('error', (error) => checked.destroy(error))
  request.raw.on('aborted', () => checked.destroy(new Error('aborted')))
  return request.raw.pipe(checked)
}

/** What begins as gzip goes through; everything else is taken for text and packed, so that what is kept is always a gzip. */
function gzipped(max_bytes: number): Transform {
  let taken = 0
  let head: Buffer | undefined = Buffer.alloc(0)
  let packing: ReturnType<typeof createGzip> | undefined
  const begin = (into: Transform) => {
    const first = head!
    head = undefined
    if (first[0] === 0x1f && first[1] === 0x8b) return void into.push(first)
    packing = createGzip()
    packing.on('data', (chunk: Buffer) => into.push(chunk))
    packing.on('error', (error) => into.destroy(error))
    packing.write(first)
  }
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      // The store counts what is kept; of text that packs well far more could come.
      taken += chunk.length
      if (taken > max_bytes) return done(new Refusal('too_large', { max: `${max_bytes} B` }))
      if (head) {
        head = Buffer.concat([head, chunk])
        if (head.length >= 2) begin(this)
        return done()
      }
      if (packing) return void packing.write(chunk, () => done())
      done(null, chunk)
    },
    flush(done) {
      if (head) begin(this)
      if (!packing) return done()
      packing.on('end', () => done())
      packing.end()
    },
    destroy(error, done) {
      packing?.destroy()
      done(error)
    },
  })
}

/** Passes a stream on once its first bytes are those of a PNG of a size that can be shown, whatever it says of itself. */
function sizedPng(): Transform {
  const refusal = () => new Refusal('bad_input', {}, { '': { name: 'not_png' } })
  const tooLarge = () =>
    new Refusal('bad_input', {}, { '': { name: 'too_many_pixels', details: { max: pixels_max / 1_000_000 } } })
  let head: Buffer | undefined = Buffer.alloc(0)
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (!head) return done(null, chunk)
      head = Buffer.concat([head, chunk])
      if (head.length < pngHead.length + 8) return done()
      if (!head.subarray(0, pngHead.length).equals(pngHead)) return done(refusal())
      const pixels = head.readUInt32BE(pngHead.length) * head.readUInt32BE(pngHead.length + 4)
      if (pixels === 0) return done(refusal())
      if (pixels > pixels_max) return done(tooLarge())
      done(null, head)
      head = undefined
    },
    flush: (done) => done(head ? refusal() : null),
  })
}
