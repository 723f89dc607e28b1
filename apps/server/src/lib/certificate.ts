import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import { SettingsError } from '../config.ts'
import type { Config } from '../config.ts'
import type { Deps } from '../deps.ts'

/** PEM: the certificate with those above it, and its key. */
export type Certificate = { cert: string; key: string }
export type CertificateWatch = {
  current(): Certificate
  /** When the present one ends. */
  endsAt(): Date
  /** As the timer does. */
  look(): Promise<void>
  close(): void
}

const look_ms = 10_000

/**
 * Reads the certificate and looks for another one every few seconds: to renew it, the files are put in
 * their place. One that cannot be used (half written, of another key, ended) is told once, and the one before it stays. Throws
 * SettingsError when there is none to begin with.
 */
export async function watchCertificate(
  { clock, log }: Pick<Deps, 'clock' | 'log'>,
  paths: NonNullable<Config['tls']>,
  told: (certificate: Certificate) => void,
): Promise<CertificateWatch> {
  let present: Certificate
  let ends_at: Date
  try {
    present = await read(paths)
    ends_at = checked(present, clock.now())
  } catch (error) {
    throw new SettingsError([`MDM_TLS_CERT and MDM_TLS_KEY cannot be used: ${(error as Error).message}`])
  }
  let refused = ''
  async function look(): Promise<void> {
    let found: Certificate | undefined
    try {
      found = await read(paths)
      if (found.cert === present.cert && found.key === present.key) return void (refused = '')
      ends_at = checked(found, clock.now())
    } catch (error) {
      const of = found ? found.cert + found.key : (error as Error).message
      if (of !== refused)
        log.error({ err: error, ...paths }, 'the new certificate cannot be used: the one before stays')
      refused = of
      return
    }
    present = found
    refused = ''
    log.info({ ends_at }, 'the certificate was renewed')
    told(present)
  }
  const stop = clock.every(look_ms, look)
  return { current: () => present, endsAt: () => ends_at, look, close: stop }
}

const read = async (paths: { cert: string; key: string }): Promise<Certificate> => ({
  cert: await readFile(paths.cert, 'utf8'),
  key: await readFile(paths.key, 'utf8'),
})

/** When it ends. Throws for one that no server can use. */
function checked({ cert, key }: Certificate, now: Date): Date {
  createSecureContext({ cert, key })
  const ends_at = new Date(new X509Certificate(cert).validTo)
  if (ends_at <= now) throw new Error(`the certificate ended at ${ends_at.toISOString()}`)
  return ends_at
}
