import { createHash } from 'node:crypto'
import { caller } from '@mdm/testbed/caller.ts'
import type { Caller } from '@mdm/testbed/caller.ts'
import { accountOf, demo } from './demo-server.ts'

/** Calls in the name of somebody of the demo; an operator may name the customer to act for. */
export const signedIn = (username: string, account_kid?: string): Caller =>
  caller(demo().url, { token: accountOf(username).token, ...(account_kid && { account_kid }) })

/** A password as the wire carries it. */
export const hashed = (password: string): string => createHash('sha1').update(password).digest('hex')

const day_ms = 24 * 3_600_000
export const daysFromNow = (days: number): string => new Date(Date.now() + days * day_ms).toISOString()

export const password = 'Kho-2026!'
/** Somebody new of a customer, with one of its roles, whose sign-in nobody else's test depends on. */
export async function addPerson(
  call: Caller,
  username: string,
  role_code = 'viewer',
): Promise<{ username: string; password: string }> {
  const role = (await call.userAccount.list_role({})).find(({ code }) => code === role_code)
  if (!role) throw new Error(`there is no role ${role_code}`)
  await call.userAccount.insert({ username, password: hashed(password), name: username, role_kids: [role.kid] })
  return { username, password }
}
