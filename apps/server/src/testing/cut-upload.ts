import { createCipheriv, createHash, randomInt } from 'node:crypto'
import { request } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import type { TestHttpServer } from './http-server.ts'

type Server = Pick<TestHttpServer, 'call' | 'url'>
type Person = Pick<Awaited<ReturnType<TestHttpServer['person']>>, 'bearer'>
type Cuts = {
  size: number
  cuts: number
  area?: keyof typeof lists
  /** Every so many cuts it is the server that dies in the middle; resolves once it is back. */
  kill?: { every: number; run: () => Promise<void> }
}
/** The call that tells of what was cut off. */
const lists = { file_disk: 'file_cloud/list_upload', app_center: 'app_center/list_upload' }
const tus = { 'tus-resumable': '1.0.0' }
const base64 = (text: string) => Buffer.from(text).toString('base64')
const piece = 1 << 20

/** The bytes of a made-up file from `offset` on: the same each time, and never all of them in memory. */
function* bytesFrom(offset: number, size: number): Generator<Buffer> {
  for (let at = offset; at < size;) {
    const end = Math.min(size, (Math.floor(at / piece) + 1) * piece)
    const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16, 7), counterOf(Math.floor(at / piece)))
    const whole = cipher.update(Buffer.alloc(piece))
    yield whole.subarray(at % piece, (at % piece) + end - at)
    at = end
  }
}
function counterOf(at: number): Buffer {
  const counter = Buffer.alloc(16)
  // 16 bytes a block.
  counter.writeBigUInt64BE(BigInt(at * (piece / 16)), 8)
  return counter
}

/**
 * Uploads `size` bytes, cut as often as `cuts` says at bytes that nobody chose; halfway the tab is closed, and another
 * browser finds the upload by its fingerprint alone. Returns the upload's kid and the digest of what was sent.
 */
export async function cutUpload(w: Server, by: Person, { size, cuts, area = 'file_disk', kill }: Cuts) {
  const fingerprint = `${size}-1700000000000-map.bin`
  const metadata = `filename ${base64('map.bin')},area ${base64(area)},fingerprint ${base64(fingerprint)}`
  const created = await w.call('/upload', {
    method: 'POST',
    headers: { ...tus, ...by.bearer, 'upload-metadata': metadata, 'upload-length': String(size) },
  })
  let location: string | undefined = created.headers.get('location')!
  for (let cut = 0; ; cut += 1) {
    if (cut === Math.ceil(cuts / 2)) location = undefined
    location ??= await found(w, by, lists[area], fingerprint)
    const offset = await offsetOf(w, by, location)
    if (offset === size) break
    const left = size - offset
    // So short that it is never whole before the last cut.
    const stop = cut < cuts ? randomInt(1, Math.max(2, Math.min(Math.ceil(size / cuts), left))) : Infinity
    const is_kill = kill !== undefined && cut < cuts && cut % kill.every === kill.every - 1
    await send(w, by, location, { offset, size, stop, ...(is_kill && { kill: kill.run }) })
  }
  const hash = createHash('sha256')
  for (const bytes of bytesFrom(0, size)) hash.update(bytes)
  return { upload_kid: location.split('/').at(-1)!, sha256: hash.digest('hex') }
}

async function found(w: Server, by: Person, list: string, fingerprint: string): Promise<string> {
  const { body } = await w.call(`/api/${list}`, { headers: by.bearer })
  const all = (body as { data: { upload_kid: string; fingerprint: string }[] }).data
  const upload = all.find((each) => each.fingerprint === fingerprint)
  if (!upload) throw new Error('the upload was not found again')
  return `/upload/${upload.upload_kid}`
}

async function offsetOf(w: Server, by: Person, location: string): Promise<number> {
  const { headers } = await w.call(location, { method: 'HEAD', headers: { ...tus, ...by.bearer } })
  return Number(headers.get('upload-offset'))
}

type Piece = { offset: number; size: number; stop: number; kill?: () => Promise<void> }
async function send(w: Server, by: Person, location: string, { offset, size, stop, kill }: Piece): Promise<void> {
  let killed: Promise<void> | undefined
  await new Promise<void>((resolve) => {
    const sending = request(w.url + location, {
      method: 'PATCH',
      headers: {
        ...tus,
        ...by.bearer,
        'upload-offset': String(offset),
        'content-type': 'application/offset+octet-stream',
        'content-length': size - offset,
      },
    })
    sending.on('response', (response) => response.resume().on('end', resolve))
    sending.on('error', () => resolve())
    let sent = 0
    const until = function* () {
      for (const bytes of bytesFrom(offset, size)) {
        yield bytes
        sent += bytes.length
        if (sent < stop) continue
        // Another server than the one that is killed may have the request: it is cut a piece later too.
        if (!kill || killed) return void sending.destroy()
        killed = kill()
      }
    }
    pipeline(Readable.from(until(), { objectMode: false, highWaterMark: piece }), sending, () => undefined)
  })
  await killed
}
