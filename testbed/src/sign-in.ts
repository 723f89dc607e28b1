import { clientHash } from '@mdm/server/lib/passwords.ts'
import { workFor } from '@mdm/server/testing/sign-in.ts'
import { contract } from '@mdm/contract'
import { demoPassword } from './seed.ts'
import type { Caller } from './caller.ts'
import type { World } from './world.ts'

type Drag = { x: number; track: { x: number; t: number }[] }
export const drag = (x: number, ms: number): Drag => ({
  x,
  track: [0, 0.5, 1].map((share) => ({ x: x * share, t: ms * share })),
})

/** The answer to a new puzzle, as soon as one may be given: where its hole is stands in the database alone. */
export async function answered(
  { server, anonymous }: World,
  { move = (x) => drag(x, 340), who = anonymous }: { move?: (x: number) => Drag; who?: Caller } = {},
) {
  const { puzzle_kid, work_bits } = await who.login.puzzle({})
  // A puzzle is not to be solved faster than a hand can; this is that rule, not a guess at the machine's speed.
  await new Promise((resolve) => setTimeout(resolve, 350))
  const { offset_x } = await server.deps.db
    .selectFrom('puzzle')
    .select('offset_x')
    .where('kid', '=', puzzle_kid)
    .executeTakeFirstOrThrow()
  return { puzzle_kid, ...move(offset_x), work: workFor(puzzle_kid, work_bits) }
}

export const puzzleToken = async (w: World, who = w.anonymous): Promise<string> =>
  (await who.login.check_puzzle(await answered(w, { who }))).puzzle_token

/** As a person does, puzzle included. */
export async function signIn(w: World, username: string, who = w.anonymous) {
  const puzzle_token = await puzzleToken(w, who)
  return who.try_(contract.login.calls.login, { username, password: clientHash(demoPassword), puzzle_token })
}

/** As a person of the seed does before what asks for it. */
export const confirmPassword = (call: Caller): Promise<unknown> =>
  call.login.confirm_password({ password: clientHash(demoPassword) })
