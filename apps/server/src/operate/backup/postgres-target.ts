import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { silent_ms } from '../../db/claim.ts'
import { advisoryLocks, schema_lock, server_application } from '../../db/postgres.ts'
import type { Log } from '../../lib/log.ts'
import { OperatorFault } from '../fault.ts'

const connect_ms = 5_000
const look_ms = 250
/** One that was killed a moment ago still looks alive: so long until it does not, and a heartbeat more. */
const alone_ms = silent_ms + 3_000
const lock_not_available = '55P03'
/** Of a database that was spoiled, a table or a column may be missing. */
const missing = ['42P01', '42703']

/** Runs `work` while no server can start on this database: it waits before it looks at the schema. */
export async function whileNobodyStarts<T>(
  url: string,
  log: Log,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  let has_begun = false
  const config = { connectionString: url, application_name: 'mdm restore', lock_timeout: alone_ms }
  const exclusive = advisoryLocks({ ...config, connectionTimeoutMillis: connect_ms }, log)
  try {
    return await exclusive(schema_lock, (signal) => {
      has_begun = true
      return work(signal)
    })
  } catch (error) {
    if (has_begun) throw error
    if ((error as { code?: string }).code === lock_not_available)
      throw new OperatorFault('A server starts on the database of DATABASE_URL or changes its schema: stop it first.')
    throw unreachable(error)
  }
}

const unreachable = (error: unknown) =>
  new OperatorFault(`The database of DATABASE_URL cannot be reached: ${(error as Error).message}.`)

async function ask<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connect_ms })
  client.on('error', () => {})
  try {
    await client.connect()
    return await work(client)
  } catch (error) {
    throw error instanceof OperatorFault ? error : unreachable(error)
  } finally {
    await client.end().catch(() => {})
  }
}

export const assertEmptyDatabase = (url: string, aside: string): Promise<void> =>
  ask(url, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
       WHERE schemaname NOT IN ('pg_catalog', 'information_schema') LIMIT 1`,
    )
    if (rows[0]) throw new OperatorFault(`The database of DATABASE_URL has tables (${rows[0].name}). ${aside}`)
  })

/** Whether the server that calls itself `node_kid` works on this database. */
export const isDatabaseOf = (url: string, node_kid: string): Promise<boolean> =>
  ask(url, async (client) => {
    const { rows } = await client.query('SELECT FROM node WHERE kid = $1', [node_kid]).catch(noneWhereMissing)
    return rows.length > 0
  })

/** Throws OperatorFault unless what is in the database can be set aside: it is of no server that lives, and of this user. */
export const assertMaySetAside = (url: string): Promise<void> =>
  ask(url, async (client) => {
    await assertOwn(client)
    for (const until = Date.now() + alone_ms; ; await delay(look_ms)) {
      const others = await othersOn(client)
      if (others.length === 0) return
      if (Date.now() > until)
        throw new OperatorFault(
          `Another server works on the database of DATABASE_URL: ${others.join(', ')}. ` +
            'What is of all servers is put back while none of them runs: stop every one, then do it again.',
        )
    }
  })

async function assertOwn(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string; owner: string; is_own: boolean }>(
    `SELECT tablename AS name, tableowner AS owner, pg_has_role(tableowner, 'USAGE') AS is_own
     FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`,
  )
  if (rows.length > 0 && !rows.some(({ name }) => name === 'kysely_migration'))
    throw new OperatorFault(
      `The database of DATABASE_URL has tables of something else (${rows[0]!.name}): is it the right one?`,
    )
  const foreign = rows.find(({ is_own }) => !is_own)
  if (foreign)
    throw new OperatorFault(
      `The user of DATABASE_URL does not own the table ${foreign.name}, which is of ${foreign.owner}: let a superuser give the tables to it.`,
    )
  const may = await client.query<{ create_schema: boolean; database: string; user: string }>(
    `SELECT has_database_privilege(current_database(), 'CREATE') AS create_schema,
       quote_ident(current_database()) AS database, quote_ident(current_user) AS user`,
  )
  const { create_schema, database, user } = may.rows[0]!
  if (!create_schema)
    throw new OperatorFault(
      `The user of DATABASE_URL may make no schema: let the database's owner run GRANT CREATE ON DATABASE ${database} TO ${user}.`,
    )
}

/** Those that have said a moment ago that they live, by the database's clock, and those that are connected. */
async function othersOn(client: pg.Client): Promise<string[]> {
  const heard = await client
    .query<{ name: string }>(
      `SELECT coalesce(url, kid::text) AS name FROM public.node
       WHERE heard_at >= now() - make_interval(secs => $1) ORDER BY 1`,
      [silent_ms / 1_000],
    )
    .catch(noneWhereMissing)
  if (heard.rows.length > 0) return heard.rows.map(({ name }) => name)
  const connected = await client.query<{ name: string }>(
    `SELECT DISTINCT coalesce('one at ' || host(client_addr), 'one that is connected') AS name FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = $1 AND pid <> pg_backend_pid() ORDER BY 1`,
    [server_application],
  )
  return connected.rows.map(({ name }) => name)
}

function noneWhereMissing(error: { code?: string }): { rows: never[] } {
  if (missing.includes(error.code ?? '')) return { rows: [] }
  throw error
}

/**
 * Around a dump whose own schema, `public`, takes the place of what is there: that goes to the schema `name`. The schema itself, its
 * rights and its extensions, which may be of somebody else, stay.
 */
export const settingAside = (name: string) => ({
  schema: 'public',
  first: `
    SET LOCAL client_min_messages = warning;
    CREATE SCHEMA IF NOT EXISTS public;
    CREATE SCHEMA ${name};
    DO $aside$
      DECLARE one record;
      BEGIN
        FOR one IN
          SELECT d.classid, d.objid FROM pg_depend d
          WHERE d.refclassid = 'pg_namespace'::regclass AND d.refobjid = 'public'::regnamespace AND d.deptype = 'n'
            AND d.classid <> 'pg_extension'::regclass
            AND NOT EXISTS (SELECT FROM pg_depend e WHERE e.classid = d.classid AND e.objid = d.objid AND e.deptype = 'e')
            -- The sequence of a column goes with its table.
            AND NOT EXISTS (
              SELECT FROM pg_depend c JOIN pg_class s ON s.oid = c.objid AND s.relkind = 'S'
              WHERE c.classid = 'pg_class'::regclass AND d.classid = c.classid AND c.objid = d.objid AND c.deptype IN ('a', 'i'))
        LOOP
          EXECUTE (
            SELECT format('ALTER %s %s SET SCHEMA ${name}', replace(type, ' object', ''), identity)
            FROM pg_identify_object(one.classid, one.objid, 0));
        END LOOP;
      END $aside$;
    CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;`,
  last: `
    DO $last$ BEGIN
      IF to_regclass('public.kysely_migration') IS NULL THEN
        RAISE EXCEPTION 'the backup has no tables of this server in the schema public';
      END IF;
    END $last$;`,
})
