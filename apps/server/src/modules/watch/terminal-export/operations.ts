import { sql } from 'kysely'
import { wholeAccount } from '../../../actor.ts'
import { contentTypeOf, exportName } from '../../../files/names.ts'
import type { OperationSource } from '../../../lib/operation-source.ts'
import { refuse } from '../../../refusal.ts'
import { cancel } from './export-jobs.ts'

export const exportOperations: OperationSource = {
  kind: 'device_export',
  table: 'terminal_export',
  columns: {
    kid: sql`e.kid`,
    state: sql`CASE WHEN e.state = 'running' AND e.worked_by IS NULL THEN 'waiting' WHEN e.state = 'done' THEN 'completed' ELSE e.state END`,
    name: sql`(e.request ->> 'name') || '.' || (e.request ->> 'format')`,
    account_kid: sql`e.account_kid`,
    created_by: sql`e.created_by`,
    created_at: sql`e.created_at`,
    finished_at: sql`e.finished_at`,
    total: sql`e.total`,
    done: sql`e.done`,
    size: sql`e.size`,
    result_until: sql`e.expires_at`,
  },
  from: ({ clock }) => sql`terminal_export e WHERE e.expires_at > ${clock.now()}`,
  cancel: {
    in: ['waiting', 'running'],
    run: (actor, { kid, account_kid }) => cancel(wholeAccount(actor, account_kid!), kid),
  },
  download: {
    in: ['completed'],
    async run({ deps }, { kid, account_kid }) {
      const row = await deps
        .scope(account_kid!)
        .selectFrom('terminal_export')
        .select(['object', 'request'])
        .where('kid', '=', kid)
        .executeTakeFirst()
      if (!row || row.object === null) return refuse('not_found')
      const name = exportName(row.request.name, row.request.format)
      return { url: deps.signFile(row.object, { name, content_type: contentTypeOf(name) }) }
    },
  },
}
