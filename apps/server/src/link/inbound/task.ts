import { isFinal } from '@mdm/contract'
import type { Batch, ItemOf } from './items.ts'

/** Reports of tasks; what the device has is no longer owed to it. */
export async function task(batch: Batch, items: ItemOf<'task'>[]): Promise<void> {
  const { deps, trx, devices, outbound } = batch
  const known = items.filter(({ kid }) => devices.has(kid))
  if (known.length === 0) return
  for (const { kid, at } of known) devices.get(kid)!.last_contact_at = at
  const { moves, after_end } = await deps.features.pushes.applyReports(
    deps,
    trx,
    known.map(({ kid, at, body }) => ({ terminal_kid: kid, at, body })),
  )
  batch.after(() => {
    outbound.forgetSends([...moves.changes.keys()].filter((row) => row.send_at === null))
    deps.features.pushes.tellMoves(deps, moves)
    for (const { row, attempt, state } of after_end) {
      deps.live.publish(row.account_kid, { type: 'push_task', kid: row.push_task_kid })
      // The device goes on with what is over here.
      if (!isFinal(state)) outbound.tell(row.terminal_kid, 'cancel', { task_kid: row.push_task_kid, attempt })
    }
  })
}
