import { refuse } from '../../../../refusal.ts'
import { provideKind } from '../../../push/push-task/index.ts'
import type { Kind, Stored } from '../../../push/push-task/index.ts'
import { endSteps, takeBack } from './end.ts'
import { devicesOfChange, releaseStagedChange } from './push.ts'

const changeOf = (stored: Stored) => stored['change_kid'] as string

/** A change of a configuration that goes out in steps (decision 045). Devices get it as their configuration, not as a task. */
const configuration: Kind<'configuration'> = {
  devicesAfter: (db, stored, after, limit) => devicesOfChange(db, changeOf(stored), after, limit),
  deliver: releaseStagedChange,
  ended: endSteps,
  stopped: (trx, stored, by) => takeBack(trx, changeOf(stored), by),
  async assertRetry(stored, { trx, account_kid }) {
    const change = await trx
      .selectFrom('configuration_change as c')
      .innerJoin('push_task as k', 'k.kid', 'c.push_task_kid')
      .select('k.phase')
      .where('c.kid', '=', changeOf(stored))
      .where('c.account_kid', '=', account_kid)
      .executeTakeFirst()
    // What was aborted was taken back.
    if (!change || change.phase === 'canceled') refuse('config_change_aborted')
  },
}

provideKind('configuration', configuration)
