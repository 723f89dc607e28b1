import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createTransport } from 'nodemailer'
import pg from 'pg'
import type { Config } from '../../config.ts'
import { assertCaughtUp } from '../../db/replica.ts'
import { firstBootMark, inspectCluster } from '../../db/embedded/cluster-directory.ts'
import { openObjects } from '../../files/open-objects.ts'
import { connectExternal } from '../../link/external-connect.ts'
import type { ServerState } from '../asks.ts'
import { fault, fine, messageOf, warning } from './finding.ts'
import type { Finding } from './finding.ts'

const patience_ms = 5_000
const oldest_postgres = 15

export async function checkDatabase(config: Config, running: ServerState | undefined): Promise<Finding[]> {
  const subject = 'database'
  if (config.database_url !== undefined) return checkPostgres(config.database_url)
  if (running)
    return [
      running.database
        ? fine(subject, 'embedded, in use by the server that runs here, which it answers')
        : fault(subject, 'embedded, and does not answer its server', 'Look into the log of the server.'),
    ]
  const folder = join(config.data, 'db')
  // Who looks removes what a first start has not finished: that is for its owner alone.
  if ([join(folder, 'lock'), firstBootMark(folder)].some((path) => existsSync(path)))
    return [
      warning(
        subject,
        'embedded; a server begins to open it, or was killed',
        'Start the server, and run doctor again.',
      ),
    ]
  try {
    const state = await inspectCluster(folder)
    return [fine(subject, state === 'present' ? 'embedded, its files look whole' : 'embedded, made by the first start')]
  } catch (error) {
    return [fault(subject, messageOf(error), 'Restore a backup: docs/operate/restore.md.')]
  }
}

type Facts = {
  version: number
  encoding: string
  max_connections: number
  others: number
  has_trgm: boolean
  may_make_schema: boolean
  fsync: string
  full_page_writes: string
  now: Date
}

async function checkPostgres(url: string): Promise<Finding[]> {
  const subject = 'database'
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: patience_ms,
    query_timeout: patience_ms,
  })
  try {
    await client.connect()
    const { rows } = await client.query<Facts>(`
      SELECT current_setting('server_version_num')::int / 10000 AS version, current_setting('server_encoding') AS encoding,
        current_setting('max_connections')::int AS max_connections, now() AS now,
        (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()) AS others,
        EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm') AS has_trgm,
        has_database_privilege(current_database(), 'CREATE') AS may_make_schema,
        current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes`)
    return judgePostgres(rows[0]!, new Date())
  } catch (error) {
    return [
      fault(
        subject,
        `It cannot be reached: ${messageOf(error)}`,
        'Check DATABASE_URL, that PostgreSQL runs, and pg_hba.conf.',
      ),
    ]
  } finally {
    await client.end().catch(() => {})
  }
}

/** What DATABASE_REPLICA_URL names; nothing where it names none. */
export async function checkReplica({ database_url, database_replica_url }: Config): Promise<Finding[]> {
  const subject = 'replica'
  if (database_url === undefined || database_replica_url === undefined) return []
  const limits = { connectionTimeoutMillis: patience_ms, query_timeout: patience_ms }
  const [primary, replica] = [
    new pg.Client({ connectionString: database_url, ...limits }),
    new pg.Client({ connectionString: database_replica_url, ...limits }),
  ]
  try {
    await Promise.all([primary.connect(), replica.connect()])
    await assertCaughtUp(primary, replica, patience_ms)
    return [fine(subject, 'It shows what the database does; lists and exports read from it')]
  } catch (error) {
    return [
      warning(
        subject,
        `Lists and exports do not read from it: ${messageOf(error)}`,
        'Check DATABASE_REPLICA_URL, and pg_stat_replication of the database (docs/operate/nodes.md).',
      ),
    ]
  } finally {
    await Promise.allSettled([primary.end(), replica.end()])
  }
}

export function judgePostgres(facts: Facts, now: Date): Finding[] {
  const { version, encoding, max_connections, others, has_trgm, may_make_schema, fsync, full_page_writes } = facts
  const subject = 'database'
  const found: Finding[] = []
  if (version < oldest_postgres)
    found.push(fault(subject, `PostgreSQL ${version}`, `It has to be ${oldest_postgres} or newer.`))
  if (encoding !== 'UTF8')
    found.push(fault(subject, `Its encoding is ${encoding}`, "Create the database with ENCODING 'UTF8'."))
  if (!has_trgm) found.push(fault(subject, 'pg_trgm is missing', 'Install the package postgresql-contrib.'))
  if (!may_make_schema)
    found.push(
      warning(
        subject,
        'Its user may make no schema: mdm upgrade could not put its backup back',
        "Let the database's owner run GRANT CREATE ON DATABASE ... TO that user.",
      ),
    )
  if (fsync !== 'on' || full_page_writes !== 'on')
    found.push(warning(subject, 'fsync or full_page_writes is off', 'A power cut may lose the database: turn both on.'))
  if (max_connections - others < 20)
    found.push(
      warning(
        subject,
        `${others} of ${max_connections} connections are taken`,
        'A server takes 12: raise max_connections.',
      ),
    )
  const apart_s = Math.round((facts.now.getTime() - now.getTime()) / 1_000)
  if (Math.abs(apart_s) > 2)
    found.push(
      warning('clock', `The database's clock is ${apart_s} s from this one`, 'Run a time service (chrony) on both.'),
    )
  return found.length > 0
    ? found
    : [fine(subject, `PostgreSQL ${version}, ${others} of ${max_connections} connections are taken`)]
}

export async function checkBroker({ mqtt }: Config, running: ServerState | undefined): Promise<Finding[]> {
  const subject = 'broker'
  if (mqtt.url === undefined) {
    if (!running) return [fine(subject, 'embedded, starts with the server')]
    return [
      running.broker
        ? fine(subject, 'embedded, runs')
        : fault(subject, 'embedded, and is away', 'It starts again by itself: look into the log of the server.'),
    ]
  }
  try {
    const options = { clientId: `mdm-doctor-${randomUUID()}`, clean: true, connect_ms: patience_ms, reconnectPeriod: 0 }
    const client = await connectExternal(mqtt.url, options)
    await client.endAsync(true)
    const nameless = new URL(mqtt.url)
    nameless.username = nameless.password = ''
    const stranger = await connectExternal(nameless.href, options).catch(() => undefined)
    await stranger?.endAsync(true)
    return [
      stranger
        ? warning(
            subject,
            'It lets in who has no name',
            'The server tries at its start what a stranger may do there: docs/external-broker.md.',
          )
        : fine(subject, 'it lets in the server, and nobody without a name'),
    ]
  } catch (error) {
    return [
      fault(
        subject,
        `It cannot be reached: ${messageOf(error)}`,
        'Check MQTT_URL, its name and password: docs/external-broker.md.',
      ),
    ]
  }
}

export async function checkObjects(config: Config): Promise<Finding[]> {
  const subject = 'files'
  if (!config.s3) return [fine(subject, `in ${join(config.data, 'objects')}`)]
  const key = randomUUID()
  const scratch = await mkdtemp(join(tmpdir(), 'mdm-doctor-'))
  try {
    const store = await openObjects(config, scratch)
    try {
      await store.put(key, Readable.from([Buffer.from('doctor')]), 100)
      const back = await buffer(await store.read(key))
      if (back.toString() !== 'doctor')
        return [fault(subject, 'The bucket gives back other bytes', 'Use another store.')]
    } finally {
      await store.delete(key)
    }
    return [fine(subject, 'the bucket takes, gives and deletes objects')]
  } catch (error) {
    return [fault(subject, messageOf(error), 'Check MDM_S3_URL, the key, and that it may put, get, list and delete.')]
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

export async function checkMail({ smtp }: Config): Promise<Finding[]> {
  const subject = 'mail'
  if (smtp === null)
    return [warning(subject, 'No mail server: alerts are only shown', 'Set MDM_SMTP_URL and MDM_SMTP_FROM.')]
  const timeouts = { connectionTimeout: patience_ms, greetingTimeout: patience_ms, socketTimeout: patience_ms }
  const transport = createTransport({ url: smtp.url, ...timeouts })
  try {
    await transport.verify()
    return [fine(subject, 'the mail server lets this one in')]
  } catch (error) {
    return [fault(subject, messageOf(error), 'Check MDM_SMTP_URL: its host, port, name and password.')]
  } finally {
    transport.close()
  }
}

export async function checkPublicUrl({ public_url }: Config, running: ServerState | undefined): Promise<Finding[]> {
  const subject = 'public address'
  if (public_url === undefined)
    return [
      warning(subject, 'Devices elsewhere are told localhost', 'Set MDM_PUBLIC_URL to the address that they reach.'),
    ]
  if (!running)
    return [warning(subject, `${public_url} is asked while the server runs`, 'Start it, and run doctor again.')]
  try {
    const answer = await fetch(`${public_url}/health`, { signal: AbortSignal.timeout(patience_ms), redirect: 'manual' })
    const { data } = (await answer.json()) as { data?: { node_kid?: string } }
    if (data?.node_kid === running.node_kid) return [fine(subject, `${public_url} leads here`)]
    return [
      warning(
        subject,
        `${public_url} leads to another server`,
        'With several that is right; with one the proxy or DNS is wrong.',
      ),
    ]
  } catch (error) {
    return [
      fault(subject, `${public_url}: ${messageOf(error)}`, 'Check DNS, the firewall, the proxy and its certificate.'),
    ]
  }
}
