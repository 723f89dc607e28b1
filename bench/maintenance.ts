import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openDatabase } from '@mdm/server/db/client.ts'
import type { Database } from '@mdm/server/db/client.ts'
import { migrations } from '@mdm/server/db/schema/migrations/index.ts'
import { row, sampleOf } from './measure.ts'
import type { Row } from './measure.ts'
import { p95 } from './meanwhile.ts'

const log_rows = 63_000
const quiet = { info() {}, warn() {}, error() {} }

/** How long others wait for the embedded database while it is maintained, against analysing the operation log whole. */
export async function run(log: (text: string) => void): Promise<Row[]> {
  const data_dir = await mkdtemp(join(tmpdir(), 'mdm-maintenance-'))
  const database = await openDatabase({ data_dir, migrations, log: quiet, maintenance_every_ms: 0 })
  try {
    await fillLog(database)
    await database.vacuum()
    const whole = await meanwhile(database, async () => {
      await database.pool.query('VACUUM (ANALYZE) operation_log_1')
      await database.pool.query('VACUUM (ANALYZE) operation_log_2')
      await database.pool.query('ANALYZE operation_log')
    })
    // As many again, so that there is something to do.
    await database.pool.query(`UPDATE operation_log SET remark = 'x'`)
    const pieces = await meanwhile(database, () => database.vacuum())
    const idle = await meanwhile(database, () => database.vacuum())
    for (const [name, found] of Object.entries({ whole, pieces, idle }))
      log(
        `${name}: ${Object.entries(found)
          .map(([what, ms]) => `${what} ${Math.round(ms)} ms`)
          .join(', ')}`,
      )
    const pair = (what: 'p95' | 'longest') =>
      [[sampleOf(pieces[what]), sampleOf(whole[what])]] satisfies Parameters<typeof row>[2]
    const wanted = 'at most a third'
    const goal = 'maintenance'
    return [
      row(goal, 'p95 of what others wait, ms', pair('p95'), wanted, ({ median }) => median <= 1 / 3),
      row(goal, 'the longest that others wait, ms', pair('longest'), wanted, ({ median }) => median <= 1 / 3),
    ]
  } finally {
    await database.close()
    await rm(data_dir, { recursive: true, force: true })
  }
}

async function fillLog({ pool }: Database): Promise<void> {
  for (const [name, from, to] of [
    [1, '2026-01-01', '2026-02-01'],
    [2, '2026-02-01', '2026-03-01'],
  ])
    await pool.query(
      `CREATE TABLE operation_log_${name} PARTITION OF operation_log FOR VALUES FROM ('${from}') TO ('${to}')`,
    )
  await pool.query(`
    INSERT INTO operation_log (kid, account_kid, account_name, operator_kid, operator_name, operator_username, module_code,
      action_code, ip, result, message, duration_ms, created_at, client, request, response)
    SELECT gen_random_uuid(), md5((n % 40)::text)::uuid, 'Account ' || n % 40, md5((n % 400)::text)::uuid, 'Person ' || n % 400,
      'person.' || n % 400, 'module' || n % 30, 'action' || n % 90, '192.0.2.' || n % 250, 1, '', n % 900,
      '2026-01-01'::timestamptz + n * interval '70 seconds', jsonb_build_object('agent', repeat(md5(n::text), 4)),
      jsonb_build_object('body', repeat(md5(n::text), 20)), jsonb_build_object('data', repeat(md5(n::text), 20))
    FROM generate_series(1, ${log_rows}) n`)
}

/** What others wait for a small question while `work` goes on. */
async function meanwhile({ pool }: Database, work: () => Promise<unknown>) {
  const waits: number[] = []
  let is_over = false
  const others = (async () => {
    while (!is_over) {
      const begun = performance.now()
      await pool.query('SELECT count(*) FROM account')
      waits.push(performance.now() - begun)
      await delay(5)
    }
  })()
  const before = process.cpuUsage()
  const begun = performance.now()
  await work()
  const took = performance.now() - begun
  const { user, system } = process.cpuUsage(before)
  is_over = true
  await others
  return { took, cpu: (user + system) / 1000, p95: p95(waits), longest: Math.max(...waits) }
}
