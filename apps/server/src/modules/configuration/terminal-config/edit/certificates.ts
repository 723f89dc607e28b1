import { X509Certificate } from 'node:crypto'
import { isMask } from '@mdm/contract/config/sections.ts'
import type { Deps } from '../../../../deps.ts'
import { inMemory } from '../../../../lib/apk/source.ts'
import { factsOf } from '../../../../lib/pkcs12.ts'
import type { CertificateFacts } from '../../../../lib/pkcs12.ts'
import { unseal } from '../../../../lib/sealed.ts'
import { Refusal } from '../../../../refusal.ts'
import { inWorker } from '../../../../workers/service.ts'
import type { Requester } from '../../../../workers/service.ts'

type Row = Record<string, unknown> & {
  name: string
  format: 'pem' | 'pkcs12'
  private_file: string
  password: string
}
type Stored = Record<string, unknown> & { name: string; password?: unknown }
type Packed = { at: number; bytes: Buffer; password: string }

/**
 * The section with what each file says of itself. A file that is kept keeps what was read of it. Refused as `certificate` at
 * the files that cannot be read.
 */
export async function readCertificates(deps: Deps, given: unknown, prior: unknown, by: Requester): Promise<unknown> {
  const { certificates } = given as { certificates: Row[] }
  const before = ((prior as { certificates?: Stored[] } | null)?.certificates ?? []) as Stored[]
  const read = new Map<number, CertificateFacts | null>()
  const packed: Packed[] = []
  for (const [at, row] of certificates.entries()) {
    const old = before.find(({ name }) => name === row.name)
    if (isMask(row.private_file)) {
      read.set(at, { subject: String(old?.['subject'] ?? ''), expires_at: String(old?.['expires_at'] ?? '') })
      continue
    }
    const bytes = Buffer.from(row.private_file, 'base64')
    const kept = old?.password as { sealed?: string } | undefined
    const password = isMask(row.password) && kept?.sealed ? await unseal(deps, kept.sealed) : row.password
    if (row.format === 'pem') read.set(at, ofPem(bytes))
    else packed.push({ at, bytes, password })
  }
  const opened = await ofPkcs12(deps, packed, by)
  for (const [n, { at }] of packed.entries()) read.set(at, opened[n] ?? null)
  const unread = certificates.flatMap((_, at) => (read.get(at) ? [] : [at]))
  if (unread.length > 0) {
    const fault = { name: 'certificate' as const, details: {} }
    throw new Refusal(
      'bad_input',
      {},
      Object.fromEntries(unread.map((at) => [`certificates.certificates.${at}.private_file`, fault])),
    )
  }
  return { certificates: certificates.map((row, at) => ({ ...row, ...read.get(at) })) }
}

function ofPem(bytes: Buffer): CertificateFacts | null {
  try {
    return factsOf(new X509Certificate(bytes))
  } catch {
    return null
  }
}

/** In a process of its own, which is ended when the files make it work too long; then none of them counts as read. */
async function ofPkcs12(deps: Deps, packed: readonly Packed[], by: Requester) {
  if (packed.length === 0) return []
  const source = inMemory(Buffer.concat(packed.map((one) => one.bytes)))
  const files = packed.map((one) => ({ size: one.bytes.length, password: one.password }))
  try {
    return await inWorker(deps, 'pkcs12', { files }, source, by)
  } catch (error) {
    if (error instanceof Refusal && error.refusal === 'bad_input') return []
    throw error
  }
}
