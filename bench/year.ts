// A year of a busy site: what was kept of it, and every call that reads over that.
import pg from 'pg'
import type { Call } from '@mdm/contract'
import { z } from 'zod'
import { planner_options } from '../apps/server/src/db/postgres.ts'
import { partitionedTables } from '../apps/server/src/db/schema/tables.ts'
import type { Caller } from '../testbed/src/caller.ts'
import { everyCall, makeThings, validInput } from '../testbed/src/sweeps/features.ts'
import { confirmPasswords } from '../testbed/src/sweeps/stage.ts'
import { world } from '../testbed/src/world.ts'
import type { World } from '../testbed/src/world.ts'
import { insertFleet } from './device-rows.ts'
import { onPostgres } from './ingest.ts'
import { against, percentile, row, sampleOf, sized } from './measure.ts'
import type { Row } from './measure.ts'
import { parts } from './messages.ts'

/** Of a year that fills hours of seeding; 1 is a million devices, of which each reported a hundred times. */
const share = Number(process.env['MDM_BENCH_YEAR'] ?? sized(0.1, 0.001))
const devices = Math.round(1_000_000 * share)
const reports_each = 100
const logged = Math.round(5_000_000 * share)
const tasks = Math.round(50_000 * share)
const devices_of_task = 20
const calls = 10
const p95_ms = 300
/** What it takes is of a file, however many rows there are. */
const of_files = new Set(['app_center/inspect_upload'])
/** Rows of one statement. */
const piece = 1_000_000
const settings = ['shared_buffers=512MB', 'max_wal_size=8GB', 'work_mem=8MB']

/** The slowest of all calls that read, over a year's rows. */
export const run = (log: (text: string) => void): Promise<Row[]> =>
  onPostgres(settings, async ({ database, later }) => {
    const w = await world({ database_url: database.url })
    later(() => w[Symbol.asyncDispose]())
    const client = new pg.Client({ connectionString: database.url, options: planner_options })
    await client.connect()
    later(() => client.end())
    await confirmPasswords(w)
    const things = await makeThings(w, 0)
    log('one of everything')
    await fill(client, w, log)
    const found = await measured(
      w,
      everyCall.filter(({ effect, path }) => effect === 'read' && !of_files.has(path)),
      (path) => validInput(things, path),
    )
    const slowest = found.toSorted((a, b) => b.p95 - a.p95)
    const told = slowest.slice(0, 10).map(({ name, p95 }) => `${name} ${Math.round(p95)} ms`)
    for (const line of told) log(line)
    const rows = `${devices.toLocaleString('en')} devices, ${(devices * reports_each).toLocaleString('en')} reports, ${logged.toLocaleString('en')} entries of the log, ${tasks.toLocaleString('en')} tasks`
    const what = `p95 of the slowest of ${found.length} reads / ${p95_ms} ms`
    return [
      row('year', what, against([sampleOf(slowest[0]!.p95)], p95_ms), '<= 1', (r) => r.median <= 1, [
        rows,
        told.join('; '),
      ]),
    ]
  })

/** Rows that the product made itself, many times over: of each table some of what a busy site has. */
async function fill(client: pg.Client, w: World, log: (text: string) => void): Promise<void> {
  const { account_kid } = w.seed.customers[0]!
  await makeMonths(client)
  await insertFleet(client, { account_kid, devices, groups: sized(1_000, 20) })
  log('devices')
  const inPieces = async (rows: number, insert: (from: number, to: number) => Promise<unknown>) => {
    for (let from = 1; from <= rows; from += piece) await insert(from, Math.min(rows, from + piece - 1))
  }
  await inPieces(devices * reports_each, (from, to) =>
    client.query(
      `INSERT INTO terminal_report (account_kid, terminal_kid, received_at, device_time, seq, battery_level, cpu, memory_used,
         memory_total, storage_used, storage_total, parts)
       SELECT $1, t.kid, at, at, n, n % 101, 12.5, 1610612736, 4294967296, 12884901888, 34359738368, $2::jsonb
       FROM generate_series($3::bigint, $4::bigint) n
         JOIN (SELECT kid, row_number() OVER () AS i FROM terminal WHERE account_kid = $1) t ON t.i = 1 + n % $5::bigint,
         LATERAL (SELECT now() - n / $6::float8 * interval '170 days' AS at) a`,
      [account_kid, JSON.stringify(parts), from, to, devices, devices * reports_each],
    ),
  )
  log('reports')
  await multiplied(client, 'operation_log', logged, {
    kid: 'gen_random_uuid()',
    created_at: `now() - n / ${logged}::float8 * interval '80 days'`,
  })
  log('entries of the log')
  await multiplied(client, 'push_task', tasks, {
    kid: 'gen_random_uuid()',
    created_at: `now() - n / ${tasks}::float8 * interval '170 days'`,
    ended_at: `now() - n / ${tasks}::float8 * interval '170 days'`,
    ...{
      phase: `'ended'`,
      list_kid: 'NULL',
      open_until: 'NULL',
      total: `${devices_of_task}`,
      completed: '19',
      failed: '1',
    },
    ...{ wait_receipt: '0', schedule_kid: 'NULL', requirement_kid: 'NULL', retry: 'NULL', retry_at: 'NULL' },
  })
  await client.query(
    `WITH d AS MATERIALIZED (SELECT kid, sn, row_number() OVER () - 1 AS i FROM terminal WHERE account_kid = $1),
     k AS MATERIALIZED (SELECT *, row_number() OVER () AS i FROM push_task WHERE account_kid = $1 AND phase = 'ended')
     INSERT INTO push_task_terminal (push_task_kid, terminal_kid, account_kid, sn, type, state, state_at, code, created_at)
     SELECT k.kid, d.kid, k.account_kid, d.sn, k.type, CASE WHEN j = 1 THEN 'failed' ELSE 'completed' END, k.created_at,
       CASE WHEN j = 1 THEN 'timeout' END, k.created_at
     FROM k CROSS JOIN generate_series(1, $2::int) j JOIN d ON d.i = (k.i * 7 + j) % $3::bigint`,
    [account_kid, devices_of_task, devices],
  )
  log('tasks')
  await client.query('VACUUM ANALYZE')
}

/** Partitions of the months that are kept. */
async function makeMonths(client: pg.Client): Promise<void> {
  for (const [table, { months }] of Object.entries(partitionedTables))
    await client.query(`DO $$ DECLARE m timestamptz; BEGIN
      FOR m IN SELECT generate_series(date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' - interval '${months} months',
          date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' - interval '1 month', interval '1 month') LOOP
        EXECUTE format('CREATE TABLE IF NOT EXISTS ${table}_y%s PARTITION OF ${table} FOR VALUES FROM (%L) TO (%L)',
          to_char(m AT TIME ZONE 'UTC', 'YYYY"m"MM'), to_char(m AT TIME ZONE 'UTC', 'YYYY-MM-01T00:00:00Z'),
          to_char(m AT TIME ZONE 'UTC' + interval '1 month', 'YYYY-MM-01T00:00:00Z'));
      END LOOP; END $$`)
}

/** Copies of the rows of a table, `count` in all, but for what `except` says of each copy `n`. */
async function multiplied(client: pg.Client, table: string, count: number, except: Record<string, string>) {
  const { rows } = await client.query<{ name: string }>(
    `SELECT column_name AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name = $1 AND is_generated = 'NEVER' ORDER BY ordinal_position`,
    [table],
  )
  const columns = rows.map(({ name }) => name)
  const values = columns.map((name) => except[name] ?? `r.${name}`)
  await client.query(
    `INSERT INTO ${table} (${columns.join(', ')})
     WITH r AS MATERIALIZED (SELECT *, row_number() OVER () - 1 AS i, count(*) OVER () AS of FROM ${table})
     SELECT ${values.join(', ')} FROM generate_series(1, ${count}) n JOIN r ON r.i = n % r.of`,
  )
}

type Found = { name: string; p95: number }
/** Each call as whoever may make it, its plain input, a deep page and a search for what is not there. */
async function measured(w: World, reads: readonly Call[], inputOf: (path: string) => object): Promise<Found[]> {
  const found: Found[] = []
  for (const call of reads)
    for (const [kind, input] of Object.entries(variants(call, inputOf(call.path)))) {
      const who = await whoMay(w, call, input)
      if (!who) continue
      const times: number[] = []
      for (let n = 0; n < calls; n++) {
        const begun = performance.now()
        await who.try_(call, input)
        times.push(performance.now() - begun)
      }
      found.push({ name: `${call.path}${kind}`, p95: percentile(times, 95) })
    }
  return found
}

function variants(call: Call, input: object): Record<string, object> {
  const shape = call.input instanceof z.ZodObject ? call.input.shape : {}
  return {
    '': input,
    ...('page' in shape && { ' (page 50)': { ...input, page: 50 } }),
    ...('search' in shape && { ' (search)': { ...input, search: 'nothing like it' } }),
  }
}

/** What nobody may ask as it stands here is no read that can be slow. */
async function whoMay(w: World, call: Call, input: object): Promise<Caller | undefined> {
  for (const who of [w.customers[0]!, w.operator]) {
    const { result } = await who.try_(call, input)
    if (result === 1) return who
  }
  return undefined
}
