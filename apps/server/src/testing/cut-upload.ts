import { createCipheriv, createHash, randomInt } from 'node:crypto'
import { request } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import type { TestHttpServer } from './http-server.ts'

type Person = Awaited<ReturnType<TestHttpServer['person']>>
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
export async function cutUpload(w: TestHttpServer, by: Person, { size, cuts }: { size: number; cuts: number }) {
  const fingerprint = `${size}-1700000000000-map.bin`
  const metadata = `filename ${base64('map.bin')},fingerprint ${base64(fingerprint)}`
  const created = await w.call('/upload', {
    method: 'POST',
    headers: { ...tus, ...by.bearer, 'upload-metadata': metadata, 'upload-length': String(size) },
  })
  let location: string | undefined = created.headers.get('location')!
  for (let cut = 0; ; cut += 1) {
    if (cut === Math.ceil(cuts / 2)) location = undefined
    location ??= await found(w, by, fingerprint)
    const offset = await offsetOf(w, by, location)
    if (offset === size) break
    const left = size - offset
    const stop = cut < cuts ? randomInt(1, Math.max(2, Math.min(Math.ceil((2 * size) / cuts), left))) : Infinity
    await send(w, by, location, offset, size, stop)
  }
  const hash = createHash('sha256')
  for (const bytes of bytesFrom(0, size)) hash.update(bytes)
  return { upload_kid: location.split('/').at(-1)!, sha256: hash.digest('hex') }
}

async function found(w: TestHttpServer, by: Person, fingerprint: string): Promise<string> {
  const { body } = await w.call('/api/file_cloud/list_upload', { headers: by.bearer })
  const all = (body as { data: { upload_kid: string; fingerprint: string }[] }).data
  const upload = all.find((each) => each.fingerprint === fingerprint)
  if (!upload) throw new Error('the upload was not found again')
  return `/upload/${upload.upload_kid}`
}

async function offsetOf(w: TestHttpServer, by: Person, location: string): Promise<number> {
  const { headers } = await w.call(location, { method: 'HEAD', headers: { ...tus, ...by.bearer } })
  return Number(headers.get('upload-offset'))
}

function send(w: TestHttpServer, by: Person, location: string, offset: number, size: number, stop: number) {
  return new Promise<void>((resolve) => {
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
        if (sent >= stop) return void sending.destroy()
      }
    }
    pipeline(Readable.from(until(), { objectMode: false, highWaterMark: piece }), sending, () => undefined)
  })
}
