import type { AcmeSettings } from '../config-ports.ts'
import type { Deps } from '../deps.ts'
import type { CertificateSource } from './certificate.ts'
import { unseal } from './sealed.ts'

type Storing = Pick<Deps, 'config' | 'db' | 'memory'>
/** A row of `setting`, which all servers share. */
export type KeptCertificate = {
  /** What it was asked for: another setting asks for another certificate. */
  directory: string
  names: string[]
  cert?: string
  /** Sealed. */
  key?: string
  begins_at?: string
  ends_at?: string
  /** Since the last one that came. */
  failures: number
  last_error: string | null
  retry_at: string | null
}

export const certificate_row = 'certificate'
export const account_row = 'acme_account'
export const challenge_row = 'acme_challenges'

/** The newest certificate that the authority gave, whichever server asked for it. */
export const issuedCertificate =
  (deps: Storing, acme: AcmeSettings): CertificateSource =>
  async () => {
    const { cert, key } = (await keptCertificate(deps, acme)) ?? {}
    return cert === undefined || key === undefined ? undefined : { cert, key: await unseal(deps, key) }
  }

/** Why there is no newer one; null when the last try went well. */
export async function certificateFault(deps: Storing): Promise<string | null> {
  const { acme } = deps.config
  return (acme && (await keptCertificate(deps, acme))?.last_error) ?? null
}

/**
 * What the authority is to be told that asks for this token. Looks into the database are a second apart, whoever asks;
 * that a token is unknown is said only after a look that began later than the question, since one server may write a
 * token while another is asked for it.
 */
export function challengeAnswers(deps: Pick<Deps, 'db' | 'clock'>): (token: string) => Promise<string | undefined> {
  let known: Record<string, unknown> = {}
  let looked_at = -Infinity
  let next: Promise<void> | undefined
  const look = async () => {
    const wait_ms = Math.max(0, looked_at + 1_000 - deps.clock.elapsed())
    await new Promise<void>((resolve) => deps.clock.after(wait_ms, resolve))
    next = undefined
    looked_at = deps.clock.elapsed()
    known = (await readSetting(deps, challenge_row)) ?? {}
  }
  return async (token) => {
    if (!Object.hasOwn(known, token)) await (next ??= look())
    return Object.hasOwn(known, token) ? String(known[token]) : undefined
  }
}

export async function keptCertificate(
  deps: Pick<Deps, 'db'>,
  { directory, names }: AcmeSettings,
): Promise<KeptCertificate | undefined> {
  const kept = (await readSetting(deps, certificate_row)) as KeptCertificate | undefined
  return kept?.directory === directory && kept.names.join() === names.join() ? kept : undefined
}

export async function readSetting({ db }: Pick<Deps, 'db'>, key: string): Promise<Record<string, unknown> | undefined> {
  return (await db.selectFrom('setting').select('value').where('key', '=', key).executeTakeFirst())?.value
}

export async function writeSetting(
  { db }: Pick<Deps, 'db'>,
  key: string,
  value: Record<string, unknown>,
): Promise<void> {
  const json = JSON.stringify(value)
  await db
    .insertInto('setting')
    .values({ key, value: json })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: json }))
    .execute()
}
