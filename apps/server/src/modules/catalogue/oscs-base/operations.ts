import { sql } from 'kysely'
import type { OperationSource } from '../../../lib/operation-source.ts'
import { refuse } from '../../../refusal.ts'
import { downloadFile, retryFile } from './files.ts'

/** Checks of the packages that custom OS are built on. */
export const baseFileOperations: OperationSource = {
  kind: 'base_file',
  table: 'oscs_base',
  columns: {
    kid: sql`f.kid`,
    state: sql`CASE WHEN f.state = 'ready' THEN 'completed' WHEN f.state = 'failed' THEN 'failed'
      WHEN f.worked_by IS NULL THEN 'waiting' ELSE 'running' END`,
    name: sql`f.file_name`,
    created_by: sql`f.created_by`,
    created_at: sql`f.created_at`,
    total: sql`f.size`,
    done: sql`CASE WHEN f.state = 'ready' THEN f.size ELSE 0 END`,
    fault: sql`CASE WHEN f.state = 'failed' THEN f.fault END`,
    size: sql`f.size`,
  },
  from: () => sql`oscs_file f`,
  retry: {
    in: ['failed'],
    run: async (actor, { kid }) => retryFile(actor, kid, await isOfModel(actor, kid)),
  },
  download: {
    in: ['waiting', 'running', 'completed', 'failed'],
    run: async (actor, { kid }) => downloadFile(actor, kid, await isOfModel(actor, kid)),
  },
}

async function isOfModel({ deps }: Parameters<typeof retryFile>[0], kid: string): Promise<boolean> {
  const row = await deps.db.selectFrom('oscs_file').select('kind').where('kid', '=', kid).executeTakeFirst()
  return (row ?? refuse('not_found')).kind === 'sum'
}
