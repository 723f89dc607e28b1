import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { contract } from '@mdm/contract'
import { freePort } from '@mdm/server/testing/free-port.ts'
import { newSecret } from '../apps/server/src/lib/ids.ts'
import { selfSigned } from '../apps/server/src/testing/certificates.ts'
import { reply, startSource, tell } from './children.ts'
import { withSite } from './console-site.ts'
import type { Site } from './console-site.ts'
import { interleaved, percentile, row, sampleOf, sized } from './measure.ts'
import type { Row, Sample } from './measure.ts'
import type { P7Order, P7Report } from './p7-fleet-process.ts'
import { start, treeCpuSeconds } from './processes.ts'
import { seedFleet } from './seed.ts'

const [rounds, devices] = [sized(5, 1), Number(process.env['MDM_BENCH_DEVICES'] ?? sized(10_000, 100))]
const idle_calls = sized(200, 20)
const between_ms = 2_000

/** P7: a whole fleet connects over TLS at once, as after an outage, against as many bare TLS handshakes. */
export async function run(log: (text: string) => void): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'mdm-p7-'))
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const pair = selfSigned()
  await writeFile(cert, pair.cert)
  await writeFile(key, pair.key, { mode: 0o600 })
  const port = await freePort()
  try {
    const env = { MDM_TLS_CERT: cert, MDM_TLS_KEY: key, MDM_MQTTS_PORT: String(port) }
    return await withSite((site) => measured(site, port, [cert, key], log), { env })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function measured(site: Site, port: number, files: string[], log: (text: string) => void): Promise<Row[]> {
  const bare = start(['bench/bare-tls.mjs', ...files], {})
  const fleet = startSource('p7-fleet-process.ts')
  try {
    const { port: bare_port } = await reply<{ port: number }>(bare)
    const secret = newSecret()
    const { kids } = await seedFleet(site.client, secret, devices, site.account_kid)
    await site.client.query('VACUUM ANALYZE')
    const busy: number[] = []
    const meanwhile: number[] = []
    let turned_away = 0
    const all = async (what: string, to: number, of: number, as?: string): Promise<Sample> => {
      const before = treeCpuSeconds(of)
      const order: P7Order = { connect: { port: to, kids, secret: as } }
      const report = await tell<P7Report>(fleet, order)
      const sample = { value: report.seconds, cpu_seconds: treeCpuSeconds(of) - before }
      busy.push(report.cpu_seconds / report.seconds)
      if (as !== undefined) turned_away = Math.max(turned_away, report.turned_away)
      log(`${what}: ${devices} in ${report.seconds.toFixed(1)} s, ${report.turned_away} turned away`)
      await tell(fleet, { leave: true } satisfies P7Order)
      await delay(between_ms)
      return sample
    }
    const ours = async (): Promise<Sample> => {
      let is_over = false
      const reads = paged(site, () => is_over)
      const sample = await all('ours', port, site.server.pid, secret)
      is_over = true
      meanwhile.push(...(await reads))
      return sample
    }
    const theirs = () => all('bare TLS', bare_port, bare.pid)
    await ours()
    await theirs()
    busy.length = meanwhile.length = 0
    const idle = await paged(site, (done) => done >= idle_calls)
    const pairs = await interleaved(rounds, ours, theirs)
    const online = await site.client.query<{ n: string }>(
      'SELECT count(*) AS n FROM terminal_state WHERE last_online_at IS NOT NULL',
    )
    if (Number(online.rows[0]!.n) !== devices) throw new Error(`only ${online.rows[0]!.n} devices were ever online`)
    const notes = [
      `${devices.toLocaleString('en')} devices at once over TLS, self-signed P-256; until the hello of the last one is committed`,
      `${turned_away.toLocaleString('en')} tries were turned away at most, and made again; nobody failed for good`,
      `the generator used ${Math.round(Math.max(...busy) * 100)}% of its core: both sides wait for it alike`,
    ]
    const waits: [Sample, Sample][] = [[sampleOf(percentile(meanwhile, 95)), sampleOf(percentile(idle, 95))]]
    return [
      row('P7', 's until all are online / bare TLS handshakes', pairs, '<= 2', (r) => r.median <= 2, notes),
      row('P7', 'p95 of the device list meanwhile, ms / at rest', waits, '<= 5', (r) => r.median <= 5),
    ]
  } finally {
    await fleet.stop()
    await bare.stop()
  }
}

/** Milliseconds of each call of the device list, one after another, until it is enough. */
async function paged({ call }: Site, isOver: (done: number) => boolean): Promise<number[]> {
  const took: number[] = []
  while (!isOver(took.length)) {
    const begun = performance.now()
    await call(contract.terminal.calls.paging, {})
    took.push(performance.now() - begun)
    await delay(20)
  }
  return took
}
