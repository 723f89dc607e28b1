import { beyondLimits, bytesAt, invalid } from './source.ts'
import type { ByteSource } from './source.ts'

export type BlockScheme = 'v2' | 'v3' | 'v3.1'
const schemes = new Map<number, BlockScheme>([
  [0x7109871a, 'v2'],
  [0xf05368c0, 'v3'],
  [0x1b93ad61, 'v3.1'],
])
const magic = 'APK Sig Block 42'
const footer_bytes = 8 + magic.length
/** Blocks have some kilobytes; padding and what shops add make them larger, never this large. */
const block_bytes_max = 8 * 1024 * 1024

/** A program has one signer, in rare cases a few. */
const signers_max = 20

export type SigningBlock = { start: number; certificates: Map<BlockScheme, Buffer[]> }

/**
 * The APK Signing Block in front of the central directory, with the certificate of every signer of each scheme in it;
 * undefined when there is none.
 */
export async function readSigningBlock(source: ByteSource, end: number): Promise<SigningBlock | undefined> {
  if (end < footer_bytes + 8) return undefined
  const footer = await bytesAt(source, end - footer_bytes, footer_bytes)
  if (footer.toString('latin1', 8) !== magic) return undefined
  const size = footer.readBigUInt64LE(0)
  if (size > block_bytes_max) throw beyondLimits('the signing block is too large')
  const start = end - Number(size) - 8
  if (size < footer_bytes || start < 0) throw invalid('the signing block is larger than the file')
  const block = await bytesAt(source, start, Number(size) + 8 - footer_bytes)
  if (block.readBigUInt64LE(0) !== size) throw invalid('the signing block says two sizes')

  const certificates = new Map<BlockScheme, Buffer[]>()
  for (let at = 8; at < block.length;) {
    if (at + 12 > block.length) throw invalid('the signing block ends early')
    const length = block.readBigUInt64LE(at)
    if (length < 4n || length > BigInt(block.length - at - 8)) throw invalid('a part of the signing block ends early')
    const scheme = schemes.get(block.readUInt32LE(at + 8))
    const next = at + 8 + Number(length)
    if (scheme) {
      if (certificates.has(scheme)) throw invalid(`${scheme} stands twice in the signing block`)
      certificates.set(scheme, signersIn(block.subarray(at + 12, next)))
    }
    at = next
  }
  return { start, certificates }
}

/** Of each signer: signed data → (digests, certificates) → first certificate. */
function signersIn(value: Buffer): Buffer[] {
  const found: Buffer[] = []
  let [rest] = prefixed(value)
  do {
    const [signer, next] = prefixed(rest)
    const [signed] = prefixed(signer)
    const [, afterDigests] = prefixed(signed)
    const [certificates] = prefixed(afterDigests)
    const [certificate] = prefixed(certificates)
    if (certificate.length === 0) throw invalid('a signer has no certificate')
    if (found.push(certificate) > signers_max) throw beyondLimits('too many signers')
    rest = next
  } while (rest.length > 0)
  return found
}

/** What a length in front of it says, and what follows. */
function prefixed(bytes: Buffer): [content: Buffer, rest: Buffer] {
  if (bytes.length < 4) throw invalid('a signature ends early')
  const end = 4 + bytes.readUInt32LE(0)
  if (end > bytes.length) throw invalid('a signature ends early')
  return [bytes.subarray(4, end), bytes.subarray(end)]
}
