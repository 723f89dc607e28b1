import { createHash } from 'node:crypto'
import { beginsWithZeros, contract, workText } from '@mdm/contract'
import type { Session, TotpAsked } from '@mdm/contract'
import { testPassword } from './calls.ts'
import type { As, TestApi } from './calls.ts'
import { clientHash } from '../lib/passwords.ts'

const { puzzle, check_puzzle, login, confirm_password } = contract.login.calls

/** What the answer must come with. */
export function workFor(puzzle_kid: string, bits: number): string {
  const hashOf = (work: string) => createHash('sha1').update(workText(puzzle_kid, work)).digest('hex')
  for (let work = 0; ; work++) if (beginsWithZeros(hashOf(String(work)), bits)) return String(work)
}

/** More work takes seconds and proves nothing more: what is asked of whom is the puzzle's own test. */
const work_bits_max = 12

/** Solves a puzzle as a person would; `off` pixels beside the hole. */
export async function solve(
  o: TestApi,
  as: As = {},
  { off = 0, puzzle_kid }: { off?: number; puzzle_kid?: string } = {},
) {
  const kid = puzzle_kid ?? (await o.call(puzzle, {}, as)).data.puzzle_kid
  await o.deps.clock.advance(2_000)
  const row = await o.deps.db
    .selectFrom('puzzle')
    .select(['offset_x', 'work_bits'])
    .where('kid', '=', kid)
    .executeTakeFirst()
  const work_bits = Math.min(row?.work_bits ?? 0, work_bits_max)
  await o.deps.db.updateTable('puzzle').set({ work_bits }).where('kid', '=', kid).execute()
  const x = (row?.offset_x ?? 100) + off
  const track = [0, 0.4, 1].map((share) => ({ x: x * share, t: 1_000 * share }))
  return o.call(check_puzzle, { puzzle_kid: kid, x, track, work: workFor(kid, work_bits) }, as)
}

/** The first step of signing in, puzzle included. */
export async function signIn(o: TestApi, username: string, password = testPassword, as: As = {}) {
  const { puzzle_token } = (await solve(o, as)).data
  return o.call(login, { username, password: clientHash(password), puzzle_token }, as)
}

/** What a completed sign-in answered. */
export function sessionIn(reply: { data: Session | TotpAsked }): Session & { token: string } {
  if (!('user_kid' in reply.data) || reply.data.token === undefined) throw new Error('nobody has signed in')
  return { ...reply.data, token: reply.data.token }
}

/** For the next minutes this session may do what asks for the password again. */
export const confirm = (o: TestApi, as: As, password = testPassword) =>
  o.call(confirm_password, { password: clientHash(password) }, as)
