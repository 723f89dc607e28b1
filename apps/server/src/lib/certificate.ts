import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import { SettingsError } from '../config.ts'
import type { Config } from '../config.ts'
import type { Deps } from '../deps.ts'

/** PEM: the certificate with those above it, and its key. */
export type Certificate = { cert: string; key: string }
export type CertificateWatch = {
  /** Undefined until there is one. */
  current(): Certificate | undefined
  /** When the present one ends. */
  endsAt(): Date | undefined
  /** As the timer does. */
  look(): Promise<void>
  close(): void
}

const look_ms = 10_000

/** Where it comes from: undefined as long as there is none yet. */
export type CertificateSource = () => Promise<Certificate | undefined>

/**
 * Reads the certificate and looks for another one every few seconds. One that cannot be used (half written, of another key,
 * ended) is told once, and the one before it stays.
 */
export async function watchCertificate(
  { clock, log }: Pick<Deps, 'clock' | 'log'>,
  read: CertificateSource,
  told: (certificate: Certificate) => void,
): Promise<CertificateWatch> {
  let present = await read()
  let ends_at = present && checked(present, clock.now())
  let refused = ''
  async function look(): Promise<void> {
    let found: Certificate | undefined
    try {
      found = await read()
      if (!found) return
      if (found.cert === present?.cert && found.key === present.key) return void (refused = '')
      ends_at = checked(found, clock.now())
    } catch (error) {
      const of = found ? found.cert + found.key : (error as Error).message
      if (of !== refused) log.error({ err: error }, 'the new certificate cannot be used: the one before stays')
      refused = of
      return
    }
    log.info({ ends_at }, present ? 'the certificate was renewed' : 'there is a certificate now')
    present = found
    refused = ''
    told(present)
  }
  const stop = clock.every(look_ms, look)
  return { current: () => present, endsAt: () => ends_at, look, close: stop }
}

/** Of the files that MDM_TLS_CERT and MDM_TLS_KEY name: to renew it, others are put in their place. */
const certificateFiles =
  ({ cert, key }: NonNullable<Config['tls']>): CertificateSource =>
  async () => ({ cert: await readFile(cert, 'utf8'), key: await readFile(key, 'utf8') })

/** The same, which has to be usable from the beginning. Throws SettingsError. */
export async function watchFiles(
  deps: Pick<Deps, 'clock' | 'log'>,
  paths: NonNullable<Config['tls']>,
  told: (certificate: Certificate) => void,
): Promise<CertificateWatch> {
  try {
    return await watchCertificate(deps, certificateFiles(paths), told)
  } catch (error) {
    throw new SettingsError([`MDM_TLS_CERT and MDM_TLS_KEY cannot be used: ${(error as Error).message}`])
  }
}

/** The PEM text of the authority of MDM_DEVICE_CA. Throws SettingsError. */
export async function authorityIn(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined
  try {
    const text = await readFile(path, 'utf8')
    if (!new X509Certificate(text).ca) throw new Error('it is not the certificate of an authority')
    return text
  } catch (error) {
    throw new SettingsError([`MDM_DEVICE_CA cannot be used: ${(error as Error).message}`])
  }
}

/** When it ends. Throws for one that no server can use. */
function checked({ cert, key }: Certificate, now: Date): Date {
  createSecureContext({ cert, key })
  const ends_at = new Date(new X509Certificate(cert).validTo)
  if (ends_at <= now) throw new Error(`the certificate ended at ${ends_at.toISOString()}`)
  return ends_at
}
