import { createHash } from 'node:crypto'
import { beginsWithZeros, constants, workText } from '@mdm/contract'
import type { Contract, In } from '@mdm/contract'
import type { Deps } from '../../../../deps.ts'
import { refuse } from '../../../../refusal.ts'
import { digest, newKid, newSecret } from '../../../../lib/ids.ts'
import { takeSharedTry } from '../../../../lib/rate-limit.ts'
import { failuresFrom, notePuzzleFailure, placeOf } from '../lockout.ts'
import type { Origin } from '../lockout.ts'
import { drawPuzzle, pictureSize } from './picture.ts'

type Answer = Omit<In<Contract['login']['calls']['check_puzzle']>, 'puzzle_kid' | 'work'>

const { min_ms, max_ms, tolerance_px } = constants.puzzle
const minute = 60_000
/** A picture left lying longer than this is no longer taken. */
const puzzleLifetimeMs = 10 * minute
const tokenLifetimeMs = 2 * minute
/** What a drag may claim to have lasted beyond the time since the picture was made: travel and clocks. */
const clockSlackMs = 2_000

/**
 * Zero bits: nothing for who has not failed, a millisecond after one failure, some seconds for who guesses on, and four times
 * that after 64: nobody is locked out, and whoever guesses pays for each guess.
 */
export const workBits = (failures: number): number =>
  failures === 0 ? 0 : Math.min(22, 10 + 2 * Math.floor(Math.log2(failures)))

/** A new puzzle for whoever asks; its x stays here. */
export async function createPuzzle(deps: Deps, from: Origin) {
  await takeSharedTry(deps, 'puzzle', { limit: 60, per_ms: minute }, await placeOf(deps, from))
  const { image, piece, x, y } = drawPuzzle()
  const puzzle_kid = newKid()
  const work_bits = workBits(await failuresFrom(deps, from))
  await deps.db
    .insertInto('puzzle')
    .values({ kid: puzzle_kid, offset_x: x, address: from.address, work_bits, created_at: deps.clock.now() })
    .execute()
  const { width, height, piece: piece_size } = pictureSize
  return { puzzle_kid, image, piece, width, height, piece_size, piece_y: y, work_bits }
}

/** Takes the one answer a puzzle has, right or wrong. A right one becomes a token for one sign-in. */
export async function answerPuzzle(
  deps: Deps,
  puzzle_kid: string,
  { work, ...answer }: Answer & { work: string },
  from: Origin,
): Promise<{ puzzle_token: string }> {
  const now = deps.clock.now()
  const puzzle = await deps.db
    .updateTable('puzzle')
    .set({ answered_at: now })
    .where('kid', '=', puzzle_kid)
    .where('answered_at', 'is', null)
    .where('created_at', '>', new Date(now.getTime() - puzzleLifetimeMs))
    .returning(['offset_x', 'created_at', 'work_bits'])
    .executeTakeFirst()
  if (!puzzle) return refuse('puzzle_expired')
  const hash = createHash('sha1').update(workText(puzzle_kid, work)).digest('hex')
  if (!beginsWithZeros(hash, puzzle.work_bits)) return refuse('puzzle_expired')
  const problem = judge(puzzle.offset_x, now.getTime() - puzzle.created_at.getTime(), answer)
  if (problem) {
    await notePuzzleFailure(deps, from)
    return refuse(problem)
  }
  const puzzle_token = newSecret()
  await deps.db
    .updateTable('puzzle')
    .set({ token_hash: digest(puzzle_token), token_expires_at: new Date(now.getTime() + tokenLifetimeMs) })
    .where('kid', '=', puzzle_kid)
    .execute()
  return { puzzle_token }
}

/**
 * What is wrong with an answer, if anything. `age_ms` is the time since the picture was made. A drag that claims to
 * have begun before its picture, jumps in time or ends elsewhere than the piece was not made by a hand.
 */
export function judge(
  offset_x: number,
  age_ms: number,
  { x, track }: Answer,
): 'puzzle_too_fast' | 'puzzle_too_slow' | 'puzzle_misaligned' | undefined {
  const last = track.at(-1)!
  if (last.t < min_ms || age_ms < min_ms) return 'puzzle_too_fast'
  if (last.t > max_ms) return 'puzzle_too_slow'
  if (last.t > age_ms + clockSlackMs) return 'puzzle_too_fast'
  const is_monotonic = track.every((point, i) => point.t >= (track[i - 1]?.t ?? 0))
  const is_moving = new Set(track.map((point) => point.x)).size > 1
  if (!is_monotonic || !is_moving || Math.abs(last.x - x) > 1) return 'puzzle_misaligned'
  return Math.abs(x - offset_x) > tolerance_px ? 'puzzle_misaligned' : undefined
}

/** Whether the token was good; it is not any more, whatever becomes of the sign-in. */
export async function spendPuzzleToken({ db, clock }: Deps, token: string): Promise<boolean> {
  const spent = await db
    .deleteFrom('puzzle')
    .where('token_hash', '=', digest(token))
    .returning('token_expires_at')
    .executeTakeFirst()
  return spent?.token_expires_at != null && spent.token_expires_at > clock.now()
}
