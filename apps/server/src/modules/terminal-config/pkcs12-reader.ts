import { X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { parentPort, workerData } from 'node:worker_threads'

const { bytes, password } = workerData as { bytes: Uint8Array; password: string }
try {
  const { context } = createSecureContext({ pfx: Buffer.from(bytes), passphrase: password }) as unknown as {
    context: { getCertificate(): Buffer }
  }
  const certificate = new X509Certificate(context.getCertificate())
  parentPort!.postMessage({
    subject: certificate.subject.replaceAll('\n', ', ').slice(0, 300),
    expires_at: new Date(certificate.validTo).toISOString(),
  })
} catch {
  parentPort!.postMessage(null)
}
