import { X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'

export type CertificateFacts = { subject: string; expires_at: string }
/** Its bytes are `size` of those that are left; the password is what it is opened with. */
export type Pkcs12File = { size: number; password: string }

export function factsOf(certificate: X509Certificate): CertificateFacts {
  const subject = certificate.subject.replaceAll('\n', ', ').slice(0, 300)
  return { subject, expires_at: new Date(certificate.validTo).toISOString() }
}

/**
 * What each file says of itself; of a chain, the certificate that the key belongs to. A file says itself how long its password is
 * to be stretched, which may be an hour in one call of OpenSSL that nothing interrupts: only for a process that can be ended.
 */
export function readPkcs12(bytes: Buffer, files: readonly Pkcs12File[]): (CertificateFacts | null)[] {
  let at = 0
  return files.map(({ size, password }) => {
    const pfx = bytes.subarray(at, (at += size))
    try {
      const { context } = createSecureContext({ pfx, passphrase: password }) as unknown as {
        context: { getCertificate(): Buffer }
      }
      return factsOf(new X509Certificate(context.getCertificate()))
    } catch {
      return null
    }
  })
}
