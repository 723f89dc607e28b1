import type { Up } from '@mdm/device-link'
import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import type { Tables } from '../../../../db/schema/tables.ts'
import type { Deps } from '../../../../deps.ts'
import type { Stored } from '../kinds/kind.ts'
import { kindOf } from '../kinds/kinds.ts'
import type { TaskRow } from '../rows.ts'

type Said = { terminal_kid: string; body: Up['task'] }

/**
 * Reports of a completion that what the device says elsewhere contradicts, each with the code that it fails with.
 * A device whose newest hello may be lost is believed.
 */
export async function contradictions<S extends Said>(
  deps: Pick<Deps, 'link'>,
  trx: Transaction<Tables>,
  said: readonly S[],
  rowOf: (said: S) => TaskRow | undefined,
): Promise<Map<S, string>> {
  const found = new Map<S, string>()
  const claimed = said.flatMap((each) => {
    const row = rowOf(each)
    const is_judged = row && each.body.state === 'completed' && kindOf(row.type).contradicted
    return is_judged ? [{ said: each, row }] : []
  })
  const unheard = await unheardSince(
    trx,
    deps.link.hellosLostUntil?.(),
    claimed.map(({ said: { terminal_kid } }) => terminal_kid),
  )
  const completed = claimed.filter(({ said: { terminal_kid } }) => !unheard.has(terminal_kid))
  if (completed.length === 0) return found
  const kids = [...new Set(completed.map(({ row }) => row.push_task_kid))]
  const { rows: pushes } = await sql<{ kid: string; payload: Stored }>`
    SELECT kid, payload FROM push_task WHERE kid = ANY(${kids}::uuid[])
  `.execute(trx)
  for (const { kid, payload } of pushes) {
    const mine = completed.filter(({ row }) => row.push_task_kid === kid)
    const reports = mine.map(({ said: { terminal_kid, body } }) => ({ terminal_kid, result: body.result }))
    const codes = await kindOf(mine[0]!.row.type).contradicted!(trx, payload, reports)
    for (const [index, { said: report }] of mine.entries())
      if (codes[index] !== undefined) found.set(report, codes[index])
  }
  return found
}

/** Those of which no hello was stored since hellos were lost. */
async function unheardSince(
  trx: Transaction<Tables>,
  lost_until: Date | undefined,
  terminal_kids: readonly string[],
): Promise<Set<string>> {
  if (!lost_until || terminal_kids.length === 0) return new Set()
  const rows = await trx
    .selectFrom('terminal_state')
    .select('terminal_kid')
    .where('terminal_kid', 'in', terminal_kids)
    .where((eb) => eb.or([eb('connected_at', 'is', null), eb('connected_at', '<', lost_until)]))
    .execute()
  return new Set(rows.map(({ terminal_kid }) => terminal_kid))
}
