import { queue_count_max, serverQueues } from '@mdm/contract'
import type { ServerQueue, ServerStatus } from '@mdm/contract'
import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type * as z from 'zod'
import type { Actor } from '../../../actor.ts'
import type { Deps } from '../../../deps.ts'
import { readinessOf } from '../../../http/readiness.ts'
import { certificateFault } from '../../../lib/issued-certificate.ts'
import { freeOf } from '../../../lib/disk-reserve.ts'
import { isAlive } from '../../../link/nodes.ts'

/** As it is given to the contract, which writes times. */
type Status = z.input<typeof ServerStatus>

/** What this server knows of itself and what the database knows of all, for whoever operates them. */
export async function serverStatus({ deps }: Actor): Promise<Status> {
  const [nodes, { database, broker, objects, disk }, about, online, storage, queues, failed_jobs, certificate, backup] =
    await Promise.all([
      nodesOf(deps),
      readinessOf(deps)(),
      databaseOf(deps),
      onlineOf(deps),
      storageOf(deps),
      Promise.all(serverQueues.map((name) => queueOf(deps, name))),
      failedJobsOf(deps),
      certificateOf(deps),
      backupOf(deps),
    ])
  return {
    nodes,
    parts: { database, broker, objects, disk },
    database: about,
    broker: { kind: deps.config.mqtt.url === undefined ? 'embedded' : 'external', online },
    storage,
    queues,
    failed_jobs,
    certificate,
    backup,
  }
}

async function nodesOf(deps: Deps): Promise<Status['nodes']> {
  const rows = await deps.db
    .selectFrom('node')
    .select(['kid', 'version', 'url', 'started_at', 'heard_at', 'clock_apart_ms'])
    .select(isAlive(deps).as('is_alive'))
    .orderBy('started_at')
    .orderBy('kid')
    .execute()
  return rows.map((row) => ({ ...row, is_this: row.kid === deps.node_kid }))
}

async function databaseOf({ db, database, replica }: Deps): Promise<Status['database']> {
  const { rows } = await sql<{ version: string; bytes: number; used: number; max: number }>`
    SELECT current_setting('server_version') AS version, pg_database_size(current_database())::bigint AS bytes,
      (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS used,
      current_setting('max_connections')::int AS max`.execute(db)
  const { version, bytes, used, max } = rows[0]!
  const connections = database.kind === 'postgres' ? { used, max } : null
  return { kind: database.kind, version, bytes, connections, replica_is_used: replica?.isUsed() ?? null }
}

async function onlineOf({ db }: Deps): Promise<number> {
  const { rows } = await sql<{ n: number }>`SELECT count(*)::int AS n FROM terminal_state WHERE is_online`.execute(db)
  return rows[0]!.n
}

async function storageOf({ db, config }: Deps): Promise<Status['storage']> {
  const { rows } = await sql<{ used: number }>`
    SELECT COALESCE(sum(used_bytes), 0)::bigint AS used FROM disk_space`.execute(db)
  return { kind: config.s3 ? 'bucket' : 'folder', used: rows[0]!.used, free: await freeOf(config.data) }
}

/** The rows of each that are due, with the time since when; each statement goes by an index that has no other rows. */
const due: Record<ServerQueue, (now: Date) => RawBuilder<unknown>> = {
  push: (now) => sql`SELECT send_at AS at FROM push_task_terminal WHERE send_at <= ${now}`,
  config: (now) => sql`SELECT send_at AS at FROM terminal_config_delivery WHERE send_at <= ${now}`,
  webhook: (now) =>
    sql`SELECT COALESCE(next_at, created_at) AS at FROM webhook_delivery WHERE state = 'queued' AND (next_at IS NULL OR next_at <= ${now})`,
  mail: (now) =>
    sql`SELECT COALESCE(next_at, created_at) AS at FROM mail WHERE state = 'queued' AND (next_at IS NULL OR next_at <= ${now})`,
  export: () => sql`SELECT created_at AS at FROM terminal_export WHERE state = 'running'`,
  os_build: () => sql`SELECT created_at AS at FROM os_build WHERE state IN ('waiting', 'running')`,
}

async function queueOf({ db, clock }: Deps, name: ServerQueue): Promise<Status['queues'][number]> {
  const now = clock.now()
  const { rows } = await sql<{ waiting: number; oldest: Date | null }>`
    SELECT count(*)::int AS waiting, min(at) AS oldest FROM (${due[name](now)} LIMIT ${queue_count_max}) due`.execute(
    db,
  )
  const { waiting, oldest } = rows[0]!
  return {
    name,
    waiting,
    lag_s: oldest === null ? 0 : Math.max(0, Math.round((now.getTime() - oldest.getTime()) / 1_000)),
  }
}

async function failedJobsOf({ db }: Deps): Promise<Status['failed_jobs']> {
  const rows = await db
    .selectFrom('job')
    .select(['name', 'last_error', 'last_finished_at'])
    .where('last_error', 'is not', null)
    .orderBy('name')
    .execute()
  return rows.map(({ name, last_error, last_finished_at: at }) => ({ name, error: last_error ?? '', at }))
}

async function certificateOf(deps: Deps): Promise<Status['certificate']> {
  const { tls, acme } = deps.config
  const ends_at = deps.memory.certificateEndsAt?.() ?? null
  return { kind: tls ? 'file' : acme ? 'acme' : 'proxy', ends_at, error: await certificateFault(deps) }
}

async function backupOf({ db }: Deps): Promise<Status['backup']> {
  const row = await db.selectFrom('setting').select('value').where('key', '=', 'last_backup').executeTakeFirst()
  if (!row) return null
  const { at, bytes, files } = row.value as { at: string; bytes: number; files: number }
  return { at: new Date(at), bytes, files }
}
