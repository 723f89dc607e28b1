import { sha256 as digestOf } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { TaskFailure } from '../body/body.ts'
import type { openTunnels as openTunnelsOfNode } from '../remote/tunnel.ts'
import type { Platform } from './platform.ts'

export { httpRequest } from './browser-http.ts'

/** `crypto.randomUUID` and `crypto.subtle` are kept from pages that came without TLS; this is not. */
const random = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes))
export const randomHex: Platform['randomHex'] = (bytes) => bytesToHex(random(bytes))

export const randomId: Platform['randomId'] = () => {
  const bytes = random(16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytesToHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

export const sha256: Platform['sha256'] = (text) => bytesToHex(digestOf(utf8ToBytes(text)))

export const gzip: Platform['gzip'] = async (bytes) => {
  const packed = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(new CompressionStream('gzip'))
  return new Uint8Array(await new Response(packed).arrayBuffer())
}

/** What has to be signed, systems and lists of calls, is for programs; a page takes none of it. */
export const isSigned: Platform['isSigned'] = () => false

/** A page opens no tunnel, and says so of itself: nobody is asked to look at it. */
export const openTunnels: (
  ...options: Parameters<typeof openTunnelsOfNode>
) => ReturnType<typeof openTunnelsOfNode> = () => ({
  begin() {},
  async open() {
    throw new TaskFailure('not_supported', 'A page in a browser opens no tunnel')
  },
  halt: async () => {},
})
