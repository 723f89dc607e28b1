import { refuse } from '../../../refusal.ts'
import type { Kind } from './kind.ts'

/** A change of a configuration that goes out in steps (decision 045). Devices get it as their configuration, not as a task. */
export const configuration: Kind<'configuration'> = {
  is_configuration: true,
  async assertRetry(stored, { trx, account_kid }) {
    const change = await trx
      .selectFrom('configuration_change as c')
      .innerJoin('push_task as k', 'k.kid', 'c.push_task_kid')
      .select('k.phase')
      .where('c.kid', '=', stored['change_kid'] as string)
      .where('c.account_kid', '=', account_kid)
      .executeTakeFirst()
    // What was aborted was taken back.
    if (!change || change.phase === 'canceled') refuse('config_change_aborted')
  },
}
