import { constants } from '@mdm/contract'
import { newKid } from '@mdm/server/lib/ids.ts'
import type { Stage } from '../stage.ts'

type Of = Pick<Stage, 'deps' | 'customer_kid'>

/** Takes away what `fillResets` has made. */
export const forgetResets = ({ deps }: Of) =>
  deps.db.deleteFrom('push_task').where('created_by', '=', 'Sweep').execute()

/** As many factory resets of this hour as an account may have. */
export async function fillResets(of: Of): Promise<void> {
  const { deps, customer_kid } = of
  await forgetResets(of)
  const now = deps.clock.now()
  const start_at = new Date(now.getTime() + 86_400_000)
  await deps.db
    .insertInto('push_task')
    .values({
      ...{ kid: newKid(), account_kid: customer_kid, type: 'factory_reset', payload: '{}', phase: 'planned' },
      ...{ created_by_kid: newKid(), created_by: 'Sweep', created_at: now, description: '', summary: '' },
      ...{ target_count: constants.factory_reset_per_hour, start_at, total: 0, wait_receipt: 0 },
    })
    .execute()
}
