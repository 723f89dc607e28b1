import { randomInt } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import type { Deps } from '../../../deps.ts'
import { keyedDigest, unseal } from '../../../lib/sealed.ts'

const issuer = 'MDM'
const period = 30
const sixDigits = /^\d{6}$/
/** Steps before and after the present one that still count: a phone's clock is seldom right. */
const window = 1
const recovery = { count: 10, groups: 3, letters: 4, alphabet: 'abcdefghjkmnpqrstuvwxyz23456789' } as const

/** What an authenticator app is given. */
export function newTotp(username: string): { secret: string; otpauth_url: string } {
  const totp = totpOf(new Secret({ size: 20 }).base32, username)
  return { secret: totp.secret.base32, otpauth_url: totp.toString() }
}

/** The step that a code of six digits belongs to; undefined when it is none of the present ones. */
export async function stepOfCode(deps: Deps, sealed_secret: string, code: string): Promise<number | undefined> {
  // The library throws at what is not as many bytes as digits.
  if (!sixDigits.test(code)) return undefined
  const timestamp = deps.clock.now().getTime()
  const delta = totpOf(await unseal(deps, sealed_secret)).validate({ token: code, timestamp, window })
  return delta === null ? undefined : Math.floor(timestamp / 1000 / period) + delta
}

/** Takes a code of the app, or a recovery code, once. False when it is neither, or was used before. */
export async function useCode(deps: Deps, user: { kid: string; totp_secret: string }, typed: string): Promise<boolean> {
  const code = typed.toLowerCase().replace(/[\s-]/g, '')
  return sixDigits.test(code) ? useDigits(deps, user, code) : useRecoveryCode(deps, user.kid, code)
}

async function useDigits(deps: Deps, { kid, totp_secret }: { kid: string; totp_secret: string }, code: string) {
  const step = await stepOfCode(deps, totp_secret, code)
  if (step === undefined) return false
  const { numUpdatedRows } = await deps.db
    .updateTable('user_account')
    .set({ totp_last_step: step })
    .where('kid', '=', kid)
    .where('totp_secret', '=', totp_secret)
    .where((eb) => eb.or([eb('totp_last_step', 'is', null), eb('totp_last_step', '<', step)]))
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

async function useRecoveryCode(deps: Deps, kid: string, code: string): Promise<boolean> {
  const hash = await recoveryHash(deps, kid, code)
  const { numUpdatedRows } = await deps.db
    .updateTable('user_account')
    .set((eb) => ({ totp_recovery: eb.fn<string[]>('array_remove', ['totp_recovery', eb.val(hash)]) }))
    .where('kid', '=', kid)
    .where((eb) => eb(eb.val(hash), '=', eb.fn.any('totp_recovery')))
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Codes to write down, and their hashes to keep. */
export async function newRecoveryCodes(deps: Deps, user_kid: string): Promise<{ codes: string[]; hashes: string[] }> {
  const { alphabet, count, groups, letters } = recovery
  const group = () => Array.from({ length: letters }, () => alphabet[randomInt(alphabet.length)]).join('')
  const codes = Array.from({ length: count }, () => Array.from({ length: groups }, group).join('-'))
  const hashes = await Promise.all(codes.map((code) => recoveryHash(deps, user_kid, code.replaceAll('-', ''))))
  return { codes, hashes }
}

const recoveryHash = (deps: Deps, user_kid: string, code: string): Promise<string> =>
  keyedDigest(deps, `recovery ${user_kid} ${code}`)

const totpOf = (secret: string, label = ''): TOTP =>
  new TOTP({ issuer, label, algorithm: 'SHA1', digits: 6, period, secret })
