import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { OperationSource } from '../../../lib/operation-source.ts'
import { deletePackage, downloadPackage, retryPackage } from './packages.ts'
import { faultText } from './versions.ts'

const packages = (done: RawBuilder<unknown>, total: RawBuilder<unknown>): Omit<OperationSource, 'kind' | 'from'> => ({
  table: 'os_version',
  columns: {
    kid: sql`p.kid`,
    state: sql`CASE WHEN p.state = 'ready' THEN 'completed' WHEN p.state = 'failed' THEN 'failed'
      WHEN p.worked_by IS NULL THEN 'waiting' ELSE 'running' END`,
    name: sql`p.file_name`,
    account_kid: sql`v.built_for_kid`,
    created_by: sql`p.created_by`,
    created_at: sql`p.created_at`,
    total,
    done,
    fault: sql`CASE WHEN p.state = 'failed' THEN p.fault END`,
    size: sql`CASE WHEN p.state = 'ready' THEN p.size END`,
  },
  inWords: faultText,
  // A package that is given up is none any more: nothing of it is kept.
  cancel: { in: ['waiting', 'running'], run: (actor, { kid }) => deletePackage(actor, kid) },
  retry: { in: ['failed'], run: (actor, { kid }) => retryPackage(actor, kid) },
  download: { in: ['completed'], run: (actor, { kid }) => downloadPackage(actor, kid) },
})

export const packageOperations: OperationSource = {
  ...packages(sql`CASE WHEN p.state = 'ready' THEN p.size ELSE p.received END`, sql`p.size`),
  kind: 'os_package',
  from: () => sql`os_package p JOIN os_version v ON v.kid = p.os_version_kid WHERE NOT p.is_made`,
}

export const deltaOperations: OperationSource = {
  ...packages(sql`CASE WHEN p.state = 'ready' THEN 100 ELSE p.progress END`, sql`100`),
  kind: 'os_delta',
  from: () => sql`os_package p JOIN os_version v ON v.kid = p.os_version_kid WHERE p.is_made`,
}

/**
 * Pushes that are canceled because their version went offline, or somebody may not have it any more: from the line of the history that
 * says that it began to the one that says how many there were. A version that is released meanwhile ends it.
 */
export const cancellingOperations: OperationSource = {
  kind: 'os_cancelling',
  table: 'os_version',
  columns: {
    kid: sql`e.kid`,
    state: sql`CASE WHEN ended.at IS NOT NULL THEN 'completed' WHEN v.is_cancelling THEN 'running' ELSE 'canceled' END`,
    name: sql`v.os_version || ' (VER ' || v.ver || ')'`,
    account_kid: sql`v.built_for_kid`,
    created_by: sql`e.by_name`,
    created_at: sql`e.at`,
    finished_at: sql`ended.at`,
    done: sql`COALESCE(NULLIF(ended.detail, '')::bigint, 0)`,
  },
  from: () => sql`os_version_event e
    JOIN os_version v ON v.kid = e.os_version_kid
    LEFT JOIN LATERAL (
      SELECT o.at, o.detail FROM os_version_event o
      WHERE o.os_version_kid = e.os_version_kid AND o.event = 'pushes_canceled' AND (o.at, o.kid) > (e.at, e.kid)
      ORDER BY o.at, o.kid LIMIT 1
    ) ended ON true
    WHERE e.event = 'pushes_canceling'`,
}
