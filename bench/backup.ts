import { execFile } from 'node:child_process'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { withSite } from './console-site.ts'
import type { Site } from './console-site.ts'
import { insertFleet } from './device-rows.ts'
import { postmaster } from './ingest.ts'
import { interleaved, row, sized } from './measure.ts'
import type { Row, Sample } from './measure.ts'
import { treeCpuSeconds } from './processes.ts'

const rounds = sized(5, 1)
const devices = sized(1_000_000, 2_000)
const runs = promisify(execFile)

/** `mdm backup` of a large fleet beside its running server, encrypted and with hashes, against `pg_dump` of the same database alone. */
export const run = (log: (text: string) => void): Promise<Row[]> =>
  withSite(async (site) => {
    await insertFleet(site.client, { account_kid: site.account_kid, devices, groups: sized(1_000, 20) })
    await site.client.query('VACUUM ANALYZE')
    log('devices registered')
    const folder = await mkdtemp(join(tmpdir(), 'mdm-bench-backup-'))
    const passphrase = join(folder, 'passphrase')
    await writeFile(passphrase, 'of a measurement only')
    const postgres_pid = await postmaster(site.client)
    const sizes = { ours: 0, dump: 0 }
    const timed = async (size: keyof typeof sizes, program: string, args: string[]): Promise<Sample> => {
      const file = join(folder, size)
      const cpu = () => treeCpuSeconds(process.pid) + treeCpuSeconds(postgres_pid)
      const [began, before] = [performance.now(), cpu()]
      await runs(program, [...args, file], { env: { ...process.env, ...environment(site) } })
      const sample = { value: (performance.now() - began) / 1000, cpu_seconds: cpu() - before }
      sizes[size] = (await stat(file)).size
      await rm(file)
      log(`${size}: ${sample.value.toFixed(1)} s`)
      return sample
    }
    const backup = ['apps/server/dist/mdm.js', 'backup', '--passphrase-file', passphrase]
    try {
      const pairs = await interleaved(
        rounds,
        () => timed('ours', process.execPath, backup),
        () => timed('dump', 'pg_dump', ['--format=custom', `--dbname=${site.database}`, '--file']),
      )
      const { rows } = await site.client.query<{ mib: string }>(
        'SELECT pg_database_size(current_database()) / 1048576 AS mib',
      )
      const size = `${devices.toLocaleString('en')} devices, a database of ${rows[0]!.mib} MiB`
      const files = `a backup of ${mib(sizes.ours)} MiB, a dump of ${mib(sizes.dump)} MiB`
      return [row('backup', 's of mdm backup / pg_dump', pairs, '<= 3', (r) => r.median <= 3, [`${size}; ${files}`])]
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

const environment = ({ database, data }: Site) => ({
  DATABASE_URL: database,
  MDM_ALLOW_PLAIN_DATABASE: 'true',
  MDM_DATA: data,
})
const mib = (bytes: number): number => Math.round(bytes / 1024 / 1024)
