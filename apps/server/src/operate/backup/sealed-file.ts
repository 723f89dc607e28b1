import { createCipheriv, createDecipheriv, createHash, randomBytes, scrypt } from 'node:crypto'
import { open } from 'node:fs/promises'
import { Transform } from 'node:stream'
import * as z from 'zod'
import type { PasswordCost } from '../../lib/passwords.ts'
import { OperatorFault } from '../fault.ts'
import { uint32 } from './uint32.ts'

/**
 * A file that only a passphrase opens: a line of magic, a header that anybody may read, then frames of AES-256-GCM. A frame's nonce
 * is the file's, the frame's number, and whether it is the last: none can be left out, moved, or taken from another file, and a
 * file that was cut is no whole one.
 */
const magic = Buffer.from('mdm backup\n')
const frame_bytes = 1024 * 1024
const tag_bytes = 16
const header_max = 4_096
/** 128 MiB and about 0.4 s a try. */
const usual: PasswordCost = { log_n: 17, r: 8, p: 1 }

const Header = z.object({
  format: z.literal(1),
  made_at: z.iso.datetime(),
  kdf: z.object({
    name: z.literal('scrypt'),
    log_n: z.number().int().min(14).max(20),
    r: z.number().int().min(1).max(16),
    p: z.number().int().min(1).max(4),
    salt: z.base64url().max(64),
  }),
  cipher: z.literal('aes-256-gcm'),
  nonce: z.base64url().max(16),
})
type Header = z.output<typeof Header>

const keyOf = (passphrase: string, { log_n, r, p, salt }: Header['kdf']): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const N = 2 ** log_n
    scrypt(
      passphrase.normalize('NFC'),
      Buffer.from(salt, 'base64url'),
      32,
      { N, r, p, maxmem: 256 * N * r },
      (error, key) => (error ? reject(error) : resolve(key)),
    )
  })

function nonceOf(header: Header, index: number, is_last: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  Buffer.from(header.nonce, 'base64url').copy(nonce, 0, 0, 7)
  nonce.writeUInt32BE(index, 7)
  nonce[11] = Number(is_last)
  return nonce
}

/** Bytes in, a sealed file out. */
export async function sealing(passphrase: string, made_at: Date, cost = usual): Promise<Transform> {
  const header: Header = {
    format: 1,
    made_at: made_at.toISOString(),
    kdf: { name: 'scrypt', ...cost, salt: randomBytes(16).toString('base64url') },
    cipher: 'aes-256-gcm',
    nonce: randomBytes(7).toString('base64url'),
  }
  const key = await keyOf(passphrase, header.kdf)
  const text = Buffer.from(JSON.stringify(header))
  const bound = createHash('sha256').update(text).digest()
  let index = 0
  let held: Buffer[] = []
  let size = 0
  const frame = (bytes: Buffer, is_last: boolean): Buffer => {
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(header, index, is_last))
    index += 1
    cipher.setAAD(bound)
    const body = Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
    return Buffer.concat([uint32(body.length), body])
  }
  const sealed = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      held.push(chunk)
      size += chunk.length
      if (size <= frame_bytes) return done()
      let all = Buffer.concat(held)
      // The last frame is made at the end: one that is full may be it.
      for (; all.length > frame_bytes; all = all.subarray(frame_bytes))
        this.push(frame(all.subarray(0, frame_bytes), false))
      held = [all]
      size = all.length
      done()
    },
    flush(done) {
      this.push(frame(Buffer.concat(held), true))
      done()
    },
  })
  sealed.push(Buffer.concat([magic, uint32(text.length), text]))
  return sealed
}

/** The bytes of a sealed file. Throws OperatorFault for a wrong passphrase and for one that is damaged or cut. */
export async function* unsealed(path: string, passphrase: string): AsyncGenerator<Buffer> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw new OperatorFault(`${path} cannot be read (${error.code ?? error.message}).`)
  })
  const damaged = (what: string) => new OperatorFault(`${path} is damaged: ${what}.`)
  const take = async (length: number, what: string): Promise<Buffer> => {
    const bytes = Buffer.alloc(length)
    for (let at = 0; at < length;) {
      const { bytesRead } = await file.read(bytes, at, length - at)
      if (bytesRead === 0) throw damaged(`it ends within ${what}`)
      at += bytesRead
    }
    return bytes
  }
  try {
    if (!(await take(magic.length, 'its first line')).equals(magic)) throw new OperatorFault(`${path} is no backup.`)
    const header_length = (await take(4, 'its header')).readUInt32BE()
    if (header_length > header_max) throw damaged('its header is too long')
    const text = await take(header_length, 'its header')
    const header = parseHeader(text) ?? fault(damaged('its header cannot be read, or is of a newer release'))
    const key = await keyOf(passphrase, header.kdf)
    const bound = createHash('sha256').update(text).digest()
    const { size } = await file.stat()
    let at = magic.length + 4 + header_length
    for (let index = 0; ; index += 1) {
      const length = (await take(4, `frame ${index}`)).readUInt32BE()
      if (length < tag_bytes || length > frame_bytes + tag_bytes) throw damaged(`frame ${index} has no possible length`)
      const body = await take(length, `frame ${index}`)
      at += 4 + length
      const is_last = at === size
      const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(header, index, is_last), {
        authTagLength: tag_bytes,
      })
      decipher.setAAD(bound)
      decipher.setAuthTag(body.subarray(-tag_bytes))
      let plain: Buffer
      try {
        plain = Buffer.concat([decipher.update(body.subarray(0, -tag_bytes)), decipher.final()])
      } catch {
        throw index === 0
          ? new OperatorFault(`${path} cannot be opened: the passphrase is another one, or the file is damaged.`)
          : damaged(`frame ${index} was changed, or what follows it is missing`)
      }
      yield plain
      if (is_last) return
    }
  } finally {
    await file.close()
  }
}

function parseHeader(text: Buffer): Header | undefined {
  try {
    return Header.parse(JSON.parse(text.toString('utf8')))
  } catch {
    return undefined
  }
}

function fault(error: Error): never {
  throw error
}
