import type { Up } from '@mdm/device-link'
import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Stored } from '../kinds/kind.ts'
import { kindOf } from '../kinds/kinds.ts'
import type { TaskRow } from '../rows.ts'

type Said = { terminal_kid: string; body: Up['task'] }
const keyOf = (push_task_kid: string, terminal_kid: string): string => `${push_task_kid} ${terminal_kid}`

/**
 * Reports of a completion that what the device says elsewhere contradicts, by push and device, each with the code that it fails with.
 */
export async function contradictions(
  trx: Transaction<Tables>,
  said: readonly Said[],
  rowOf: (said: Said) => TaskRow | undefined,
): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const completed = said.flatMap((each) => {
    const row = rowOf(each)
    const is_judged = row && each.body.state === 'completed' && kindOf(row.type).contradicted
    return is_judged ? [{ ...each, row }] : []
  })
  if (completed.length === 0) return found
  const kids = [...new Set(completed.map(({ row }) => row.push_task_kid))]
  const { rows: pushes } = await sql<{ kid: string; payload: Stored }>`
    SELECT kid, payload FROM push_task WHERE kid = ANY(${kids}::uuid[])
  `.execute(trx)
  for (const { kid, payload } of pushes) {
    const mine = completed.filter(({ row }) => row.push_task_kid === kid)
    const reports = mine.map(({ terminal_kid, body: { result } }) => ({ terminal_kid, result }))
    const codes = await kindOf(mine[0]!.row.type).contradicted!(trx, payload, reports)
    for (const [index, { terminal_kid }] of mine.entries())
      if (codes[index] !== undefined) found.set(keyOf(kid, terminal_kid), codes[index])
  }
  return found
}
