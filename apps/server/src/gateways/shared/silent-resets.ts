import type { Work } from '../../lib/background.ts'
import type { Deps } from '../../deps.ts'
import { transactionThen } from '../../db/after-commit.ts'
import type { KeptWork } from './command-work.ts'

const piece = 200

/** A device that was told to reset itself says no more: it has done so when it has been silent for long enough. */
export async function endResets(deps: Deps): Promise<void> {
  const { applyReports, tellMoves } = deps.features.pushes
  const at = deps.clock.now()
  await transactionThen(deps.db, async (trx, after) => {
    const rows = await trx
      .selectFrom('terminal_agent')
      .select(['terminal_kid', 'kept'])
      .where('reset_due_at', '<=', at)
      .orderBy('reset_due_at')
      .limit(piece)
      .forUpdate()
      .skipLocked()
      .execute()
    const reports = rows.flatMap(({ terminal_kid, kept }) =>
      (kept as KeptWork).open.flatMap(({ type, task_kid, attempt }) =>
        type === 'factory_reset'
          ? [{ terminal_kid, at, body: { task_kid, attempt, state: 'completed' as const } }]
          : [],
      ),
    )
    if (reports.length > 0) {
      const { moves } = await applyReports(deps, trx, reports)
      after(() => tellMoves(deps, moves))
    }
    for (const { terminal_kid, kept } of rows) {
      const open = (kept as KeptWork).open.filter(({ type }) => type !== 'factory_reset')
      await trx
        .updateTable('terminal_agent')
        .set({ reset_due_at: null, kept: JSON.stringify({ ...kept, open }) })
        .where('terminal_kid', '=', terminal_kid)
        .execute()
    }
  })
}

export const agentResets: Work = { name: 'agent_resets', every_ms: 60_000, by_age: true, run: endResets }
