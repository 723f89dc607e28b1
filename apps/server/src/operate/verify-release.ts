import { createHash, createPublicKey, verify } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { OperatorFault } from './fault.ts'

const id_bytes = 8
/** Of an Ed25519 key as SPKI, before its 32 bytes. */
const spki_head = Buffer.from('302a300506032b6570032100', 'hex')
type Key = { id: Buffer; key: Buffer }
type Signed = { trusted_comment: string; key_id: string }

/**
 * Checks `path` by the signature beside it, as `minisign -S` writes it: Ed25519 over the BLAKE2b of the file, and over that signature
 * with its comment. Throws OperatorFault where it is not by this key.
 */
export async function verifyRelease(path: string, key_text: string): Promise<Signed> {
  const { id, key } = keyOf(key_text)
  const [, signature_line = '', comment_line = '', comment_signature = ''] = (
    await readFile(`${path}.minisig`, 'utf8').catch((error: NodeJS.ErrnoException) => {
      throw new OperatorFault(
        `${path}.minisig cannot be read (${error.code ?? error.message}): it comes with the release.`,
      )
    })
  ).split(/\r?\n/)
  const packed = Buffer.from(signature_line, 'base64')
  const trusted_comment = /^trusted comment: (.*)$/.exec(comment_line)?.[1]
  // "Ed" is of the first versions of minisign, which read the whole file into memory.
  if (packed.length !== 2 + id_bytes + 64 || trusted_comment === undefined || packed.toString('latin1', 0, 2) !== 'ED')
    throw new OperatorFault(`${path}.minisig is no signature of minisign.`)
  if (!packed.subarray(2, 2 + id_bytes).equals(id))
    throw new OperatorFault(`${basename(path)} is signed by another key (${nameOf(packed.subarray(2, 2 + id_bytes))}).`)
  const signature = packed.subarray(2 + id_bytes)
  const public_key = createPublicKey({ key: Buffer.concat([spki_head, key]), format: 'der', type: 'spki' })
  const isBy = (bytes: Buffer, by: Buffer) => by.length === 64 && verify(null, bytes, public_key, by)
  const about = Buffer.concat([signature, Buffer.from(trusted_comment)])
  if (!isBy(await digestOf(path), signature) || !isBy(about, Buffer.from(comment_signature, 'base64')))
    throw new OperatorFault(`${basename(path)} is not what was signed: do not use it.`)
  return { trusted_comment, key_id: nameOf(id) }
}

/** As minisign names it. */
const nameOf = (id: Buffer): string => Buffer.from(id).reverse().toString('hex').toUpperCase().replace(/^0+/, '')

/** The content of a file of minisign, or its second line alone. */
function keyOf(text: string): Key {
  const line = text.trim().split(/\r?\n/).at(-1)!.trim()
  const bytes = Buffer.from(line, 'base64')
  if (bytes.length !== 2 + id_bytes + 32 || bytes.toString('latin1', 0, 2) !== 'Ed')
    throw new OperatorFault('The key is none of minisign: 56 characters, or the file that has them.')
  return { id: bytes.subarray(2, 2 + id_bytes), key: bytes.subarray(2 + id_bytes) }
}

async function digestOf(path: string): Promise<Buffer> {
  const hash = createHash('blake2b512')
  await pipeline(createReadStream(path), hash).catch((error: NodeJS.ErrnoException) => {
    throw new OperatorFault(`${path} cannot be read (${error.code ?? error.message}).`)
  })
  return hash.digest()
}
