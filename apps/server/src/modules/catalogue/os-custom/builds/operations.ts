import { sql } from 'kysely'
import { osBuildSteps } from '@mdm/contract'
import { wholeAccount } from '../../../../actor.ts'
import type { OperationSource } from '../../../../lib/operation-source.ts'
import { cancelBuild, downloadBuild, retryBuild } from './builds.ts'

const steps = sql.lit(osBuildSteps.length)
/** Steps that are over, in percent of all, and how far the present one is. */
const percent = sql`CASE WHEN b.state = 'completed' THEN 100
  ELSE ((array_position(${sql.raw(`ARRAY['${osBuildSteps.join("','")}']`)}, b.step) - 1) * 100 + b.progress) / ${steps} END`

export const buildOperations: OperationSource = {
  kind: 'os_build',
  table: 'os_custom',
  columns: {
    kid: sql`b.kid`,
    state: sql`b.state`,
    name: sql`c.name || ' ' || b.os_version`,
    account_kid: sql`b.account_kid`,
    created_by: sql`b.created_by`,
    created_at: sql`b.created_at`,
    finished_at: sql`b.ended_at`,
    total: sql`100`,
    done: percent,
    fault: sql`CASE WHEN b.state = 'failed' THEN b.fault END`,
    size: sql`b.size`,
  },
  from: () => sql`os_build b JOIN os_custom c ON c.kid = b.os_custom_kid`,
  cancel: {
    in: ['waiting', 'running'],
    run: (actor, { kid, account_kid }) => cancelBuild(wholeAccount(actor, account_kid!), kid),
  },
  retry: {
    in: ['failed'],
    run: (actor, { kid, account_kid }) => retryBuild(wholeAccount(actor, account_kid!), kid),
  },
  download: {
    in: ['completed'],
    run: (actor, { kid, account_kid }) => downloadBuild(wholeAccount(actor, account_kid!), kid),
  },
}
