import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { beginsWithZeros, constants, workText } from '@mdm/contract'
import { caller } from '@mdm/testbed/caller.ts'
import type { Caller } from '@mdm/testbed/caller.ts'
import { accountOf, demo } from './demo-server.ts'
import { findHole, readPng } from './puzzle.ts'

/** Calls in the name of somebody of the demo; an operator may name the customer to act for. */
export const signedIn = (username: string, account_kid?: string): Caller =>
  caller(demo().url, { token: accountOf(username).token, ...(account_kid && { account_kid }) })

/** The token of a session that only this test knows, so that it may end it. Signed in by calls, as the page does. */
export async function newToken(username: string): Promise<string> {
  const { login } = caller(demo().url)
  const { puzzle_kid, image, piece, piece_y, work_bits } = await login.puzzle({})
  const x = findHole(readPng(image), readPng(piece), piece_y)
  const track = [0, 0.4, 1].map((share) => ({ x: x * share, t: 2 * constants.puzzle.min_ms * share }))
  const work = workFor(puzzle_kid, work_bits)
  // Somebody who slides is never faster than the server allows.
  await setTimeout(2 * constants.puzzle.min_ms)
  const { puzzle_token } = await login.check_puzzle({ puzzle_kid, x, track, work })
  const reply = await login.login({ username, password: hashed(accountOf(username).password), puzzle_token })
  if (!('token' in reply) || !reply.token) throw new Error(`${username} is asked for a second step`)
  return reply.token
}
function workFor(puzzle_kid: string, bits: number): string {
  if (bits === 0) return ''
  for (let work = 0; ; work++)
    if (beginsWithZeros(hashed(workText(puzzle_kid, String(work))), bits)) return String(work)
}

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
