import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { device_gone, move, newMoves, writeMoves } from './moves.ts'
import { lockRows, openStates } from '../rows.ts'
import { tellMoves } from '../background/work.ts'

/**
 * Ends, in the caller's transaction, what these devices still owe, because they leave. Call the result after the commit:
 * it tells the browsers.
 */
export async function failTasksOfDevices(
  trx: Kysely<Tables>,
  deps: Deps,
  terminal_kids: readonly string[],
): Promise<() => void> {
  const now = deps.clock.now()
  const rows = await lockRows(
    trx,
    sql`p.terminal_kid = ANY(${[...terminal_kids]}::uuid[]) AND p.state = ANY(${openStates}::text[])`,
  )
  const moves = newMoves()
  for (const row of rows) move(moves, row, 'fail', now, { code: device_gone })
  await writeMoves(trx, moves)
  return () => tellMoves(deps, moves)
}
