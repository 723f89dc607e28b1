import { sql } from 'kysely'
import { wholeAccount } from '../../../../actor.ts'
import type { OperationSource } from '../../../../lib/operation-source.ts'
import { cancelSchedule } from './scrap-schedule.ts'

/** Devices that are scrapped in the background. */
export const scrapOperations: OperationSource = {
  kind: 'scrapping',
  table: 'scrap_schedule',
  columns: {
    kid: sql`s.kid`,
    state: sql`CASE WHEN s.state = 'waiting' AND s.scrapped > 0 THEN 'running' WHEN s.state = 'done' THEN 'completed' ELSE s.state END`,
    account_kid: sql`s.account_kid`,
    created_by: sql`s.created_by`,
    created_at: sql`s.created_at`,
    finished_at: sql`s.finished_at`,
    total: sql`s.total`,
    done: sql`s.scrapped`,
  },
  from: () => sql`scrap_schedule s`,
  cancel: {
    in: ['waiting', 'running'],
    run: (actor, { kid, account_kid }) => cancelSchedule(wholeAccount(actor, account_kid!), kid),
  },
}
