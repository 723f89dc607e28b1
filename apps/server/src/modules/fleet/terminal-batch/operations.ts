import { batch_limits } from '@mdm/contract'
import { sql } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { refuse } from '../../../refusal.ts'
import type { OperationRow, OperationSource } from '../../../lib/operation-source.ts'
import { cancelJob } from './batch-jobs.ts'
import type { Job } from './batch-jobs.ts'
import { resultFile } from './sheet/files.ts'

const imports: Pick<OperationSource, 'table' | 'columns' | 'cancel' | 'result'> = {
  table: 'batch_job',
  columns: {
    kid: sql`b.kid`,
    state: sql`CASE WHEN b.state = 'running' AND b.done = 0 THEN 'waiting' WHEN b.state = 'done' THEN 'completed' ELSE b.state END`,
    created_by: sql`b.created_by`,
    created_at: sql`b.created_at`,
    finished_at: sql`b.finished_at`,
    total: sql`b.total`,
    done: sql`b.done`,
    failed: sql`b.failed`,
    result_until: sql`b.created_at + make_interval(days => ${sql.lit(batch_limits.result_days)})`,
  },
  cancel: { in: ['waiting', 'running'], run: async ({ deps }, row) => cancelJob(deps, await jobIn(deps, row)) },
  result: {
    in: ['completed', 'failed', 'canceled'],
    run: async ({ deps }, row, language) => resultFile(deps, await jobIn(deps, row), { language }),
  },
}

async function jobIn({ db }: Actor['deps'], { kid }: OperationRow): Promise<Job> {
  const job = await db.selectFrom('batch_job').selectAll().where('kid', '=', kid).executeTakeFirst()
  return job ?? refuse('not_found')
}

export const deviceImports: OperationSource = {
  ...imports,
  kind: 'device_import',
  columns: { ...imports.columns, name: sql`b.schedule_version`, account_kid: sql`b.account_kid` },
  from: () => sql`batch_job b WHERE b.policy_kid IS NULL`,
}

export const policyImports: OperationSource = {
  ...imports,
  kind: 'policy_import',
  columns: { ...imports.columns, name: sql`p.name` },
  from: () => sql`batch_job b JOIN policy p ON p.kid = b.policy_kid`,
}
