import { readFile } from 'node:fs/promises'
import { Agent } from 'node:https'
import type * as acmeClient from 'acme-client'
import { sql } from 'kysely'
import type { AcmeSettings } from '../config-ports.ts'
import type { Deps } from '../deps.ts'
import {
  account_row,
  certificate_row,
  challenge_row,
  keptCertificate,
  readSetting,
  writeSetting,
} from '../lib/issued-certificate.ts'
import type { KeptCertificate } from '../lib/issued-certificate.ts'
import { seal, unseal } from '../lib/sealed.ts'

type Acme = typeof acmeClient
/** An authority refuses who fails five times in an hour. */
const first_pause_ms = 15 * 60_000
const longest_pause_ms = 12 * 60 * 60_000
const answer_ms = 30_000

/** A job, so that of several servers one does it. Throws what the authority says; it is told of by `mdm doctor` until it has succeeded. */
export async function renewCertificate(deps: Deps): Promise<void> {
  const { acme } = deps.config
  if (!acme) return
  const now = deps.clock.now()
  const kept = await keptCertificate(deps, acme)
  if (!isDue(kept, now)) return
  const { directory, names } = acme
  try {
    const { cert, key, begins_at, ends_at } = await orderCertificate(deps, acme, kept?.failures ?? 0)
    const renewed: KeptCertificate = {
      ...{ directory, names, cert, key: await seal(deps, key), begins_at, ends_at },
      ...{ failures: 0, last_error: null, retry_at: null },
    }
    await writeSetting(deps, certificate_row, renewed)
  } catch (error) {
    const failures = (kept?.failures ?? 0) + 1
    const pause_ms = Math.min(longest_pause_ms, first_pause_ms * 2 ** Math.min(failures - 1, 10))
    const retry_at = new Date(now.getTime() + pause_ms).toISOString()
    const last_error = (error as Error).message.slice(0, 1_000)
    await writeSetting(deps, certificate_row, {
      ...(kept ?? { directory, names }),
      failures,
      last_error,
      retry_at,
    } satisfies KeptCertificate)
    throw error
  }
}

/** In the last third of its life, and not before the pause after a failure has ended. */
function isDue(kept: KeptCertificate | undefined, now: Date): boolean {
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
  const found = failures < 3 ? await readSetting(deps, account_row) : undefined
  if (found?.['directory'] === directory)
    return { accountKey: await unseal(deps, String(found['key'])), accountUrl: String(found['url']) }
  const accountKey = (await acme.crypto.createPrivateEcdsaKey()).toString()
  const client = new acme.Client({ directoryUrl: directory, accountKey })
  const contact = email === undefined ? {} : { contact: [`mailto:${email}`] }
  await client.createAccount({ termsOfServiceAgreed: true, ...contact })
  const accountUrl = client.getAccountUrl()
  await writeSetting(deps, account_row, { directory, key: await seal(deps, accountKey), url: accountUrl })
  return { accountKey, accountUrl }
}
