import { clientHash, hashPassword } from './passwords.ts'
import type { PasswordCost } from './passwords.ts'

const hashes = new Map<string, Promise<string>>()

/** What is stored of a password that many made-up people have: worked out once, for demos and tests. */
export function sharedHash(plain: string, cost?: PasswordCost): Promise<string> {
  const key = JSON.stringify([plain, cost])
  const found = hashes.get(key) ?? hashPassword(clientHash(plain), cost)
  hashes.set(key, found)
  return found
}
