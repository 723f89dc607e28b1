import { sql } from 'kysely'
import type { OperationSource } from '../../../lib/operation-source.ts'

/** Lists that somebody is about to download: the file is made as it is read, so there is nothing to wait for or to end. */
export const listExports: OperationSource = {
  kind: 'list_export',
  table: 'list_export',
  columns: {
    kid: sql`e.kid`,
    state: sql`'waiting'`,
    name: sql`e.request ->> 'name'`,
    account_kid: sql`e.account_kid`,
    created_by: sql`COALESCE(u.name, '')`,
    created_at: sql`e.created_at`,
    result_until: sql`e.expires_at`,
  },
  from: ({ clock }) => sql`list_export e
    LEFT JOIN session s ON s.kid = e.session_kid
    LEFT JOIN api_token t ON t.kid = e.session_kid
    LEFT JOIN user_account u ON u.kid = COALESCE(s.user_kid, t.user_kid)
    WHERE e.expires_at > ${clock.now()}`,
}
