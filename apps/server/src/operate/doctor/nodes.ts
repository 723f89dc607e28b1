import pg from 'pg'
import type { Config } from '../../config.ts'
import { silent_ms } from '../../db/claim.ts'
import { clocksAgree } from '../../link/nodes.ts'
import { fine, fault, warning } from './finding.ts'
import type { Finding } from './finding.ts'

const patience_ms = 5_000
/** Beside its pool: two that listen, and for moments those of a start or of a vacuum. */
const own_connections = 5
/** For operators, backups and monitors. */
const spare_connections = 10

type NodeFacts = { url: string | null; files: string | null; clock_apart_ms: number | null }

/** The servers of one PostgreSQL as they say of themselves; nothing of a database that has none yet. */
export async function checkNodes(config: Config): Promise<Finding[]> {
  if (config.database_url === undefined) return []
  const client = new pg.Client({
    connectionString: config.database_url,
    connectionTimeoutMillis: patience_ms,
    query_timeout: patience_ms,
  })
  try {
    await client.connect()
    const { rows } = await client.query<NodeFacts>(
      `SELECT url, files, clock_apart_ms FROM node WHERE heard_at >= now() - make_interval(secs => $1) ORDER BY kid`,
      [silent_ms / 1_000],
    )
    const found = await client.query<{ max: number }>(`SELECT current_setting('max_connections')::int AS max`)
    return judgeNodes(config, rows, found.rows[0]!.max)
  } catch {
    // That it cannot be reached, or is empty, is said of the database.
    return []
  } finally {
    await client.end().catch(() => {})
  }
}

export function judgeNodes(
  { s3, data_is_shared, database_pool }: Pick<Config, 's3' | 'data_is_shared' | 'database_pool'>,
  nodes: readonly NodeFacts[],
  max_connections: number,
): Finding[] {
  const subject = 'servers'
  const nameOf = ({ url }: NodeFacts): string => url ?? 'one that does not listen yet'
  const found: Finding[] = []
  const places = new Set(nodes.flatMap(({ files }) => files ?? []))
  if (places.size > 1)
    found.push(
      fault(
        subject,
        `They keep files in ${places.size} places`,
        'Give all one bucket (MDM_S3_URL): docs/operate/nodes.md.',
      ),
    )
  else if (nodes.length > 1 && !s3 && !data_is_shared)
    found.push(
      fault(
        subject,
        `${nodes.length} servers, and files below MDM_DATA`,
        'Set MDM_S3_URL, or MDM_DATA_SHARED=true where MDM_DATA is a shared file system.',
      ),
    )
  for (const node of nodes)
    if (!clocksAgree(node.clock_apart_ms ?? 0))
      found.push(
        warning(
          'clock',
          `That of ${nameOf(node)} is ${(node.clock_apart_ms! / 1_000).toFixed(1)} s from the database's`,
          'Run a time service (chrony) on all of them.',
        ),
      )
  const wanted = Math.max(1, nodes.length) * (database_pool + own_connections) + spare_connections
  if (wanted > max_connections)
    found.push(
      warning(
        subject,
        `${Math.max(1, nodes.length)} x (${database_pool} + ${own_connections}) + ${spare_connections} connections are wanted, PostgreSQL has ${max_connections}`,
        'Raise max_connections, or lower MDM_DATABASE_POOL: docs/operate/nodes.md.',
      ),
    )
  if (found.length > 0) return found
  if (nodes.length > 1) return [fine(subject, `${nodes.length} share the database: ${nodes.map(nameOf).join(', ')}`)]
  return [
    fine(
      subject,
      s3 || data_is_shared ? 'one; others may join' : 'one; a second one needs a bucket (MDM_S3_URL) for both',
    ),
  ]
}
