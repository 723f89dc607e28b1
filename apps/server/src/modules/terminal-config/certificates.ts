import { X509Certificate } from 'node:crypto'
import { isMask } from '@mdm/contract/config/sections.ts'
import type { Sealing } from '../../lib/sealed.ts'
import { unseal } from '../../lib/sealed.ts'
import { ownThread } from '../../lib/own-thread.ts'
import { Refusal } from '../../refusal.ts'

type Row = Record<string, unknown> & {
  name: string
  format: 'pem' | 'pkcs12'
  private_file: string
  password: string
}
type Facts = { subject: string; expires_at: string }
type Stored = Record<string, unknown> & { name: string; password?: unknown }
/** PKCS#12 says itself how long its password is to be stretched, which may be hours. */
const read_ms = 10_000

/**
 * The section with what each file says of itself. A file that is kept keeps what was read of it. Refused as `certificate` at
 * the file that cannot be read.
 */
export async function readCertificates(deps: Sealing, given: unknown, prior: unknown): Promise<unknown> {
  const { certificates } = given as { certificates: Row[] }
  const before = ((prior as { certificates?: Stored[] } | null)?.certificates ?? []) as Stored[]
  const read: Row[] = []
  for (const [at, row] of certificates.entries()) {
    const old = before.find(({ name }) => name === row.name)
    if (isMask(row.private_file)) {
      read.push({ ...row, subject: old?.['subject'] ?? '', expires_at: old?.['expires_at'] ?? '' })
      continue
    }
    const kept = old?.password as { sealed?: string } | undefined
    const password = isMask(row.password) && kept?.sealed ? await unseal(deps, kept.sealed) : row.password
    const bytes = Buffer.from(row.private_file, 'base64')
    const facts = await (row.format === 'pem' ? ofPem(bytes) : ofPkcs12(bytes, password)).catch(() => undefined)
    if (!facts)
      throw new Refusal(
        'bad_input',
        {},
        {
          [`certificates.certificates.${at}.private_file`]: { name: 'certificate', details: {} },
        },
      )
    read.push({ ...row, ...facts })
  }
  return { certificates: read }
}

export function factsOf(certificate: X509Certificate): Facts {
  const subject = certificate.subject.replaceAll('\n', ', ').slice(0, 300)
  return { subject, expires_at: new Date(certificate.validTo).toISOString() }
}

async function ofPem(bytes: Buffer): Promise<Facts> {
  return factsOf(new X509Certificate(bytes))
}

/** In a thread of its own, which is ended when it takes too long. */
function ofPkcs12(bytes: Buffer, password: string): Promise<Facts> {
  return new Promise((resolve, reject) => {
    const thread = ownThread(import.meta.url, 'pkcs12-reader', {
      workerData: { bytes: new Uint8Array(bytes), password },
      resourceLimits: { maxOldGenerationSizeMb: 64 },
    })
    const timer = setTimeout(() => end(new Error('took too long')), read_ms)
    function end(error: Error | undefined, facts?: Facts): void {
      clearTimeout(timer)
      void thread.terminate()
      if (facts) resolve(facts)
      else reject(error ?? new Error('cannot be read'))
    }
    thread.once('message', (facts: Facts | null) => end(undefined, facts ?? undefined))
    thread.once('error', (error: Error) => end(error))
    thread.once('exit', () => end(new Error('ended')))
  })
}
