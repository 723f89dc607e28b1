import { createHash, randomBytes, randomInt, scrypt } from 'node:crypto'
import { Refusal } from '../refusal.ts'
import { sameBytes } from './ids.ts'

export type PasswordCost = { log_n: number; r: number; p: number }
/** 32 MiB and about 0.1 s a try. */
const usual: PasswordCost = { log_n: 15, r: 8, p: 1 }
const hashBytes = 32
/** What is stored of somebody who has set none yet: no password is right for it. */
export const noPassword = 'none'

/** What a client sends for a password (specification, 9): its SHA-1, lower-case hex. */
export const clientHash = (plain: string): string => createHash('sha1').update(plain).digest('hex')

/**
 * `scrypt$<log2 N>$<r>$<p>$<salt>$<hash>` of what the client sends; parameters travel with the hash. It takes a tenth of a second: before a
 * transaction, in which others wait, and not in it.
 */
export async function hashPassword(sent: string, cost: PasswordCost = usual): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive(sent, salt, cost)
  return ['scrypt', cost.log_n, cost.r, cost.p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

/**
 * Whether `sent` is the password behind `stored`, in constant time. Without `stored` (no such user) it is false after
 * as long as a wrong password takes, so that time does not tell which names exist.
 */
export async function verifyPassword(
  sent: string,
  stored: string | undefined,
  cost: PasswordCost = usual,
): Promise<{ is_right: boolean; is_outdated: boolean }> {
  const parsed = stored === undefined ? undefined : parse(stored)
  const { salt, hash, ...used } = parsed ?? { ...cost, salt: Buffer.alloc(16), hash: Buffer.alloc(hashBytes) }
  const derived = await derive(sent, salt, used)
  const is_right = sameBytes(derived, hash) && parsed !== undefined
  const is_outdated = used.log_n !== cost.log_n || used.r !== cost.r || used.p !== cost.p
  return { is_right, is_outdated }
}

/** Rules that a password breaks ("6 to 18 characters mixing letters, digits and special characters"); none is good. */
export function passwordProblems(plain: string): string[] {
  const rules: [boolean, string][] = [
    [plain.length >= 6 && plain.length <= 18, 'a password has 6 to 18 characters'],
    [/\p{L}/u.test(plain), 'a password has a letter'],
    [/\d/.test(plain), 'a password has a digit'],
    [/[^\p{L}\d\s]/u.test(plain), 'a password has a special character'],
    [!/\p{Cc}/u.test(plain), 'a password has no control characters'],
  ]
  return rules.filter(([holds]) => !holds).map(([, problem]) => problem)
}

/**
 * Refuses as `bad_input` what anybody would try first: nothing, and the login name. `sent` is what a client sends, of
 * which no more can be told; its own rule is `passwordProblems`. `field` is what the call names the password.
 */
export function assertPassword(sent: string, username: string, field = 'password'): void {
  const first = ['', username, username.toLowerCase(), username.toUpperCase(), username.trim()]
  if (first.some((plain) => clientHash(plain) === sent))
    throw new Refusal('bad_input', {}, { [field]: { name: 'password_is_name' } })
}

/** What is stored of a new password of `username`, null of none yet; refused as by `assertPassword`. */
export async function newPasswordHash(sent: string | null, username: string, cost?: PasswordCost): Promise<string> {
  if (sent === null) return noPassword
  assertPassword(sent, username)
  return hashPassword(sent, cost)
}

/** A password for one person to type once: 16 characters (over 80 bits), none that look alike. */
export function randomPassword(): string {
  const letters = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ'
  const digits = '23456789'
  const pick = (from: string) => from[randomInt(from.length)]!
  for (;;) {
    const plain = Array.from({ length: 16 }, (_, i) => (i % 5 === 4 ? '-' : pick(letters + digits))).join('')
    if (passwordProblems(plain).length === 0) return plain
  }
}

function parse(stored: string): (PasswordCost & { salt: Buffer; hash: Buffer }) | undefined {
  const [scheme, log_n, r, p, salt, hash] = stored.split('$')
  if (scheme !== 'scrypt' || !salt || !hash) return undefined
  return {
    log_n: Number(log_n),
    r: Number(r),
    p: Number(p),
    salt: Buffer.from(salt, 'base64url'),
    hash: Buffer.from(hash, 'base64url'),
  }
}

const derive = (sent: string, salt: Buffer, { log_n, r, p }: PasswordCost): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const N = 2 ** log_n
    // OpenSSL asks for a little more than 128 * N * r.
    scrypt(sent, salt, hashBytes, { N, r, p, maxmem: 256 * N * r }, (error, hash) =>
      error ? reject(error) : resolve(hash),
    )
  })
