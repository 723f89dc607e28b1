import { errors } from '@mdm/contract'
import type { BatchResultRow, Contract, In, Language, Paged } from '@mdm/contract'
import { sql } from 'kysely'
import { readPage } from '../../../db/paging.ts'
import type { Deps } from '../../../deps.ts'
import { jobOf } from './batch-jobs.ts'
import type { JobOwner } from './batch-jobs.ts'
import { faultText, isInState, stateOf } from './row-state.ts'

/** What became of each row, as the caller may read it. */
export async function pagingRows(
  deps: Deps,
  owner: JobOwner,
  input: In<Contract['terminalBatch']['calls']['paging_batch_row']>,
  language: Language,
): Promise<Paged<BatchResultRow>> {
  const job = await jobOf(owner, input.schedule_version)
  const { state } = input
  const page = await readPage({
    query: deps
      .scope(job.account_kid)
      .selectFrom('batch_row')
      .selectAll('batch_row')
      .where('batch_job_kid', '=', job.kid)
      .$if(state !== undefined, (q) => q.where(isInState(state!, job))),
    input,
    columns: { row: { ref: sql`batch_row.sheet_row` }, sn: { ref: sql`batch_row.sn` } },
    key: sql`batch_row.n`,
  })
  const items = page.items.map((row): BatchResultRow => {
    const { sheet_row, sn, work_order, name, production_date, group_path, terminal_kid } = row
    const is = stateOf(row, job)
    const is_refused = is === 'already' || is === 'refused'
    return {
      ...{ row: sheet_row, sn, work_order, name, production_date, group_path, state: is, terminal_kid },
      result: is_refused ? errors[row.outcome as keyof typeof errors].result : null,
      message: is_refused ? faultText(row, language) : null,
    }
  })
  return { ...page, items }
}
