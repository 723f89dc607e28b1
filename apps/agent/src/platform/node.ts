// Before anything loads `ws`.
import '../frame-masks.ts'
import { createHash, createPublicKey, randomBytes, randomUUID, verify } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip as zlibGzip } from 'node:zlib'
import type { Platform } from './platform.ts'

export { openTunnels } from '../remote/tunnel.ts'
export { httpRequest } from './node-http.ts'

export const randomId: Platform['randomId'] = randomUUID
export const randomHex: Platform['randomHex'] = (bytes) => randomBytes(bytes).toString('hex')
export const sha256: Platform['sha256'] = (text) => createHash('sha256').update(text).digest('hex')
export const gzip: Platform['gzip'] = promisify(zlibGzip)

export const isSigned: Platform['isSigned'] = (key, text, signature) => {
  try {
    const own = createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' })
    if (own.asymmetricKeyType !== 'ed25519') return false
    return verify(null, Buffer.from(text, 'utf8'), own, Buffer.from(signature, 'base64'))
  } catch {
    return false
  }
}
