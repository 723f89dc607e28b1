import { clientHash, hashPassword } from './passwords.ts'

const hashes = new Map<string, Promise<string>>()

/** What is stored of a password that many made-up people have: worked out once, for demos and tests. */
export function sharedHash(plain: string): Promise<string> {
  const found = hashes.get(plain) ?? hashPassword(clientHash(plain))
  hashes.set(plain, found)
  return found
}
