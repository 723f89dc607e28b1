import { alertKindNames } from '@mdm/contract'
import { newKid } from '../apps/server/src/lib/ids.ts'
import { judgeRules } from '../apps/server/src/modules/watch/alert/index.ts'
import { testDeps } from '../apps/server/src/testing/deps.ts'
import { startPostgres } from '../apps/server/src/testing/postgres.ts'
import pg from 'pg'
import { insertFleet } from './device-rows.ts'
import { against, row, sampleOf } from './measure.ts'
import type { Row, Sample } from './measure.ts'
import { treeCpuSeconds } from './processes.ts'
import { seedPerson } from './seed.ts'

const [rounds, devices, rules] = [5, 100_000, 50]
/** How often the job looks (jobs/jobs.ts). */
const every_seconds = 20
const [within_seconds, core] = [30, 0.1]

/** Rules of every kind of device with thresholds that few devices pass, as people make them. */
const params: Record<string, (n: number) => object> = {
  battery: (n) => ({ percent: 1 + (n % 3) }),
  storage: (n) => ({ percent: 95 + (n % 4) }),
  offline: (n) => ({ minutes: 43_000 + n }),
  fence: () => ({}),
  failed_tasks: (n) => ({ count: 1 + (n % 5), hours: 24 }),
  config_drift: (n) => ({ minutes: 60 + n }),
  app_behind: (n) => ({ package: `com.acme.app${n}`, version: '2.0' }),
  os_behind: (n) => ({ version: `8.${n % 2}` }),
}

/** Judging many rules over a large fleet: what it costs while nothing changes, and how soon a change is seen. */
export async function run(log: (text: string) => void): Promise<Row[]> {
  const postgres = await startPostgres(['shared_buffers=256MB', 'max_wal_size=4GB'])
  const url = await postgres.createDatabase()
  const deps = await testDeps({ url })
  const client = new pg.Client({ connectionString: url })
  try {
    await client.connect()
    const { account_kid, user_kid } = await seedPerson(client)
    await insertFleet(client, { account_kid, devices, groups: 120 })
    const kinds = alertKindNames.filter((kind) => params[kind])
    for (let n = 0; n < rules; n++) {
      const kind = kinds[n % kinds.length]!
      await client.query(
        `INSERT INTO alert_rule (kid, account_kid, name, kind, params, severity, is_on, for_seconds, calm_seconds, emails, language,
           is_noncompliant, created_by_kid, created_by, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, 'warning', true, 0, 60, '{}', 'en', true, $6, 'bench', now(), now())`,
        [newKid(), account_kid, `Rule ${n}`, kind, JSON.stringify(params[kind]!(n)), user_kid],
      )
    }
    await client.query('VACUUM ANALYZE')
    const look = async (): Promise<Sample> => {
      const [begun, before] = [performance.now(), treeCpuSeconds(process.pid)]
      await judgeRules(deps, { is_settled: true })
      return { value: (performance.now() - begun) / 1_000, cpu_seconds: treeCpuSeconds(process.pid) - before }
    }
    log(`first look: ${(await look()).value.toFixed(2)} s`)
    const [rest, seen]: [Sample[], Sample[]] = [[], []]
    for (let round = 0; round < rounds; round++) {
      await look()
      const at_rest = await look()
      rest.push(sampleOf(at_rest.cpu_seconds / every_seconds))
      await client.query(
        `UPDATE terminal_state SET battery_level = CASE WHEN battery_level > 3 THEN 1 ELSE 90 END WHERE terminal_kid IN
          (SELECT terminal_kid FROM terminal_state WHERE account_kid = $1 LIMIT 5000 OFFSET $2)`,
        [account_kid, round * 5_000],
      )
      const changed = await look()
      seen.push(sampleOf(changed.value + every_seconds))
      log(
        `at rest ${at_rest.cpu_seconds.toFixed(2)} s of CPU, after 5,000 changes ${changed.value.toFixed(2)} s, ${changed.cpu_seconds.toFixed(2)} s of CPU`,
      )
    }
    const note = `${devices.toLocaleString('en')} devices, ${rules} rules; server and database together`
    return [
      row('alerts', `share of a core at rest / ${core}`, against(rest, core), '<= 1', (r) => r.median <= 1, [note]),
      row(
        'alerts',
        `seconds until a change is judged / ${within_seconds}`,
        against(seen, within_seconds),
        '<= 1',
        (r) => r.median <= 1,
        [`the look after the change, and the ${every_seconds} s until it begins`],
      ),
    ]
  } finally {
    await client.end().catch(() => {})
    await deps.close()
    await postgres.stop()
  }
}
