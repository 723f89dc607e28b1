import { readFile } from 'node:fs/promises'
import { Agent } from 'node:https'
import { sql } from 'kysely'
import type { AcmeSettings } from '../config-ports.ts'
import type { Deps } from '../deps.ts'
import type { CertificateSource } from '../lib/certificate.ts'
import { seal, unseal } from '../lib/sealed.ts'

type Acme = typeof import('acme-client')
type Storing = Pick<Deps, 'config' | 'db' | 'memory'>
/** A row of `setting`, which all servers share. */
type Kept = {
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

const row = 'certificate'
const account_row = 'acme_account'
const challenge_row = 'acme_challenges'
/** An authority refuses who fails five times in an hour. */
const first_pause_ms = 15 * 60_000
const longest_pause_ms = 12 * 60 * 60_000
const answer_ms = 30_000

/** A job, so that of several servers one does it. Throws what the authority says; it is told of by `mdm doctor` until it has succeeded. */
export async function renewCertificate(deps: Deps): Promise<void> {
  const { acme } = deps.config
  if (!acme) return
  const now = deps.clock.now()
  const kept = await keptOf(deps, acme)
  if (!isDue(kept, now)) return
  const { directory, names } = acme
  try {
    const { cert, key, begins_at, ends_at } = await orderCertificate(deps, acme, kept?.failures ?? 0)
    const renewed: Kept = {
      ...{ directory, names, cert, key: await seal(deps, key), begins_at, ends_at },
      ...{ failures: 0, last_error: null, retry_at: null },
    }
    await write(deps, row, renewed)
  } catch (error) {
    const failures = (kept?.failures ?? 0) + 1
    const pause_ms = Math.min(longest_pause_ms, first_pause_ms * 2 ** Math.min(failures - 1, 10))
    const retry_at = new Date(now.getTime() + pause_ms).toISOString()
    const last_error = (error as Error).message.slice(0, 1_000)
    await write(deps, row, { ...(kept ?? { directory, names }), failures, last_error, retry_at } satisfies Kept)
    throw error
  }
}

/** The newest certificate that the authority gave, whichever server asked for it. */
export const issuedCertificate =
  (deps: Storing, acme: AcmeSettings): CertificateSource =>
  async () => {
    const { cert, key } = (await keptOf(deps, acme)) ?? {}
    return cert === undefined || key === undefined ? undefined : { cert, key: await unseal(deps, key) }
  }

/** Why there is no newer one; null when the last try went well. */
export async function certificateFault(deps: Storing): Promise<string | null> {
  const { acme } = deps.config
  return (acme && (await keptOf(deps, acme))?.last_error) ?? null
}

/** What the authority is to be told that asks for this token. Whoever asks costs at most one look a second. */
export function challengeAnswers(deps: Pick<Deps, 'db' | 'clock'>): (token: string) => Promise<string | undefined> {
  let last: { at: number; answers: Promise<Record<string, unknown>> } | undefined
  return async (token) => {
    const at = deps.clock.elapsed()
    if (!last || at - last.at > 1_000) last = { at, answers: read(deps, challenge_row).then((found) => found ?? {}) }
    const answers = await last.answers
    return Object.hasOwn(answers, token) ? String(answers[token]) : undefined
  }
}

/** In the last third of its life, and not before the pause after a failure has ended. */
function isDue(kept: Kept | undefined, now: Date): boolean {
  if (!kept) return true
  if (kept.retry_at !== null && new Date(kept.retry_at) > now) return false
  if (kept.begins_at === undefined || kept.ends_at === undefined) return true
  const [begin, end] = [kept.begins_at, kept.ends_at].map((at) => new Date(at).getTime()) as [number, number]
  return now.getTime() >= end - (end - begin) / 3
}

/** Only who asks for a certificate needs it. A bundle has a CommonJS package under `default` alone. */
async function acmeLibrary(): Promise<Acme> {
  const loaded: Acme & { default?: Acme } = await import('acme-client')
  return loaded.default ?? loaded
}

async function orderCertificate(deps: Deps, settings: AcmeSettings, failures: number) {
  const { directory, ca, names } = settings
  const acme = await acmeLibrary()
  acme.axios.defaults.timeout = answer_ms
  acme.axios.defaults.httpsAgent = ca === undefined ? undefined : new Agent({ ca: await readFile(ca) })
  const client = new acme.Client({ directoryUrl: directory, ...(await accountOf(deps, settings, failures)) })
  const key = await acme.crypto.createPrivateEcdsaKey()
  const [, csr] = await acme.crypto.createCsr({ commonName: names[0]!, altNames: names }, key)
  await deps.db.deleteFrom('setting').where('key', '=', challenge_row).execute()
  const cert = await client.auto({
    csr,
    challengePriority: ['http-01'],
    // The authority comes from outside: that this server can reach itself says nothing.
    skipChallengeVerification: true,
    challengeCreateFn: async (_authorization, challenge, answer) => {
      if (challenge.type !== 'http-01') throw new Error(`the authority offers no http-01, but ${challenge.type}`)
      await sql`
        INSERT INTO setting (key, value) VALUES (${challenge_row}, jsonb_build_object(${challenge.token}::text, ${answer}::text))
        ON CONFLICT (key) DO UPDATE SET value = setting.value || excluded.value
      `.execute(deps.db)
    },
    challengeRemoveFn: async () => {},
  })
  await deps.db.deleteFrom('setting').where('key', '=', challenge_row).execute()
  const { notBefore, notAfter } = acme.crypto.readCertificateInfo(cert)
  return { cert, key: key.toString(), begins_at: notBefore.toISOString(), ends_at: notAfter.toISOString() }
}

/** Who asks: the same account each time, but a new one where the authority has refused several times, which may be why. */
async function accountOf(deps: Deps, { directory, email }: AcmeSettings, failures: number) {
  const acme = await acmeLibrary()
  const found = failures < 3 ? await read(deps, account_row) : undefined
  if (found?.['directory'] === directory)
    return { accountKey: await unseal(deps, String(found['key'])), accountUrl: String(found['url']) }
  const accountKey = (await acme.crypto.createPrivateEcdsaKey()).toString()
  const client = new acme.Client({ directoryUrl: directory, accountKey })
  const contact = email === undefined ? {} : { contact: [`mailto:${email}`] }
  await client.createAccount({ termsOfServiceAgreed: true, ...contact })
  const accountUrl = client.getAccountUrl()
  await write(deps, account_row, { directory, key: await seal(deps, accountKey), url: accountUrl })
  return { accountKey, accountUrl }
}

async function keptOf(deps: Pick<Deps, 'db'>, { directory, names }: AcmeSettings): Promise<Kept | undefined> {
  const kept = (await read(deps, row)) as Kept | undefined
  return kept?.directory === directory && kept.names.join() === names.join() ? kept : undefined
}

async function read({ db }: Pick<Deps, 'db'>, key: string): Promise<Record<string, unknown> | undefined> {
  return (await db.selectFrom('setting').select('value').where('key', '=', key).executeTakeFirst())?.value
}

async function write({ db }: Pick<Deps, 'db'>, key: string, value: Record<string, unknown>): Promise<void> {
  const json = JSON.stringify(value)
  await db
    .insertInto('setting')
    .values({ key, value: json })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: json }))
    .execute()
}
