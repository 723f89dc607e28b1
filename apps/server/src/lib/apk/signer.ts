import { X509Certificate } from 'node:crypto'
import { openArchive, readDirectory } from './archive.ts'
import { pkcs7Signer } from './der.ts'
import { readSigningBlock } from './signing-block.ts'
import { ApkError, beyondLimits, invalid } from './source.ts'
import type { ByteSource } from './source.ts'

export { ApkError } from './source.ts'
export type { ByteSource } from './source.ts'

export type Scheme = 'v1' | 'v2' | 'v3' | 'v3.1'
/** X.509, DER: that of the first signer, and those of all. */
export type Signer = { scheme: Scheme; certificate: Buffer; certificates: Buffer[] }

/** Newest first, as Android decides which one counts. */
const by_strength = ['v3.1', 'v3', 'v2'] as const
const jar_signature = /^META-INF\/[^/]+\.(RSA|DSA|EC)$/i
const jar_signature_bytes_max = 1024 * 1024
const jar_signatures_max = 20

/**
 * The signers of an APK, without checking the signature: the device does that. The file comes from a stranger, so every length
 * in it is bounded before it is used. Throws ApkError.
 */
export async function readSigner(source: ByteSource): Promise<Signer> {
  const directory = await readDirectory(source)
  const block = await readSigningBlock(source, directory.start)
  const archive = await openArchive(source, directory, block?.start ?? directory.start, (name) =>
    jar_signature.test(name),
  )
  for (const scheme of by_strength) {
    const certificates = block?.certificates.get(scheme)
    if (certificates) return signerOf(scheme, certificates)
  }
  if (archive.entries.length === 0) throw new ApkError('unsigned', 'no signature of any scheme')
  if (archive.entries.length > jar_signatures_max) throw beyondLimits('too many signers')
  const certificates: Buffer[] = []
  for (const entry of archive.entries)
    certificates.push(pkcs7Signer(await archive.content(entry, jar_signature_bytes_max)))
  return signerOf('v1', certificates)
}

const signerOf = (scheme: Scheme, certificates: Buffer[]): Signer => ({
  scheme,
  certificate: checked(certificates[0]!),
  certificates: certificates.map(checked),
})

/** A checksum of anything but a whole certificate would be one that no device can find. */
function checked(certificate: Buffer): Buffer {
  try {
    if (new X509Certificate(certificate).raw.equals(certificate)) return certificate
  } catch {
    // Said below, as for a certificate with something behind it.
  }
  throw invalid('the certificate is not readable')
}
