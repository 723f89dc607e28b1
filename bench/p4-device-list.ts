import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Contract, Out } from '@mdm/contract'
import { planner_options } from '../apps/server/src/db/postgres.ts'
import { startPostgres } from '../apps/server/src/testing/postgres.ts'
import { world } from '../testbed/src/world.ts'
import { bareOf, casesOf, positionAt, runBare } from './device-queries.ts'
import type { Bare, Case } from './device-queries.ts'
import { insertFleet } from './device-rows.ts'
import { postmaster } from './ingest.ts'
import { percentile, row, spread } from './measure.ts'
import type { Row, Sample } from './measure.ts'
import { cpuSeconds, treeCpuSeconds } from './processes.ts'

const rounds = 5
/** Calls of one case in one round, in turns of a few on either side. */
const [calls, turn] = [30, 5]
const [small, large, strangers] = [100_000, 1_000_000, 20_000]
/** What HTTP, session, parsing and checking may cost on top of the rows. */
const overhead_ms = 2
const settings = ['shared_buffers=512MB', 'max_wal_size=4GB']

type Page = Out<Contract['terminal']['calls']['paging']>
type Prepared = Case & { bare: Bare; body: object }
type Fleet = {
  cases: Prepared[]
  call(body: object): Promise<Page>
  client: pg.Client
  close(): Promise<void>
}
/** p95 in milliseconds, and CPU seconds a call; one entry a round. */
type Measured = { ours: Sample[]; bare: Sample[] }

/** P4: the device list over HTTP against hand-written SQL for the same rows, every sort, filter and depth. */
export async function run(log: (text: string) => void): Promise<Row[]> {
  const has_large = process.env['MDM_BENCH_LARGE'] !== '0'
  const postgres = await startPostgres(settings)
  const open: Fleet[] = []
  try {
    const scans: string[][] = []
    for (const devices of has_large ? [small, large] : [small]) {
      log(`${devices.toLocaleString('en')} devices and ${strangers.toLocaleString('en')} of another customer`)
      const fleet = await openFleet(await postgres.createDatabase(), devices)
      open.push(fleet)
      log(`${fleet.cases.length} cases, each answer compared`)
      scans.push(await scansDuring(fleet))
    }
    const [few, many] = open
    const pid = await postmaster(few!.client)
    const others = othersShare(() => cpuSeconds(process.pid) + treeCpuSeconds(pid))
    const [of_few, of_many] = await measure(open, pid, log)
    const busy = `other processes used ${Math.round(others() * 100)}% of the machine`
    const rows = ratios('100k', few!, of_few!, [...scans[0]!, busy])
    if (!many) return rows
    return [...rows, ...ratios('1M', many, of_many!, scans[1]!), ...growth(many.cases, of_few!, of_many!)]
  } finally {
    for (const fleet of open) await fleet.close()
    await postgres.stop()
  }
}

/** Begins to watch: the share of all cores that is used by neither side of the measurement. */
function othersShare(own: () => number): () => number {
  const used = () => {
    const [user, nice, system, idle, iowait, irq, softirq, steal] = readFileSync('/proc/stat', 'utf8')
      .split('\n', 1)[0]!
      .split(/ +/)
      .slice(1)
      .map((ticks) => Number(ticks) / 100)
    const busy = user! + nice! + system! + irq! + softirq! + steal!
    return { busy: busy - own(), all: busy + idle! + iowait! }
  }
  const before = used()
  return () => {
    const after = used()
    return (after.busy - before.busy) / (after.all - before.all)
  }
}

async function openFleet(url: string, devices: number): Promise<Fleet> {
  const w = await world({ database_url: url })
  // The product's own planner settings on both sides: they are no merit of its statements.
  const client = new pg.Client({ connectionString: url, options: planner_options })
  // Where preparing fails, the database goes away under it: that is not what went wrong.
  client.on('error', () => {})
  await client.connect()
  const [customer, stranger] = w.seed.customers
  const { account_kid } = customer!
  await insertFleet(client, { account_kid, devices, groups: 120 })
  await insertFleet(client, { account_kid: stranger!.account_kid, devices: strangers, groups: 20 })
  await client.query('VACUUM ANALYZE')
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const { token } = w.customers[0]!.identity
  const call = (body: object) => post(agent, `${w.url}/api/terminal/paging`, token!, body)
  const cases: Prepared[] = []
  const groups = { top: customer!.groups['North depot']!, leaf: await leafOf(client, account_kid) }
  for (const one of casesOf(groups)) cases.push(await prepare(client, account_kid, call, one))
  return {
    cases,
    call,
    client,
    async close() {
      agent.destroy()
      await client.end().catch(() => {})
      await w[Symbol.asyncDispose]()
    },
  }
}

/** A client as thin as the one on the other side: one kept connection, nothing but the request. */
function post(agent: Agent, url: string, token: string, input: object): Promise<Page> {
  const body = Buffer.from(JSON.stringify(input))
  const headers = {
    'content-type': 'application/json',
    'content-length': body.length,
    authorization: `Bearer ${token}`,
  }
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers }, (reply) => {
      const chunks: Buffer[] = []
      reply.on('data', (chunk: Buffer) => chunks.push(chunk))
      reply.on('error', reject)
      reply.on('end', () => {
        const { result, message, data } = JSON.parse(Buffer.concat(chunks).toString()) as {
          result: number
          message: string
          data: Page
        }
        if (result === 1) resolve(data)
        else reject(new Error(`terminal/paging: ${result} ${message} ${JSON.stringify(data)}`))
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

async function leafOf(client: pg.Client, account_kid: string): Promise<string> {
  const { rows } = await client.query<{ kid: string }>(
    `SELECT kid FROM terminal_group g WHERE account_kid = $1
       AND NOT EXISTS (SELECT FROM terminal_group c WHERE c.parent_kid = g.kid) ORDER BY name LIMIT 1`,
    [account_kid],
  )
  return rows[0]!.kid
}

/** Puts a case in its place in the list, and sees that both sides answer the same. */
async function prepare(client: pg.Client, account_kid: string, call: Fleet['call'], one: Case): Promise<Prepared> {
  const is_deep = one.depth === 'half' || one.depth === 'nulls'
  const position = is_deep ? await positionAt(client, account_kid, one) : undefined
  const bare = bareOf(account_kid, one, position)
  // The product's own cursor, moved: nobody would page through half a million rows to measure one page.
  const moved = async (): Promise<string> => {
    const own = JSON.parse(Buffer.from((await call(one.input)).next!, 'base64url').toString()) as unknown[]
    return Buffer.from(JSON.stringify([...own.slice(0, 2), position!.value, position!.kid])).toString('base64url')
  }
  const body = is_deep ? { ...one.input, after: await moved() } : one.input
  const [ours, theirs] = [await call(body), await runBare(client, bare)]
  const total = theirs.n > 10_000 && !ours.total_is_exact ? 10_000 : theirs.n
  if (ours.items.map((item) => item.kid).join() !== theirs.kids.join() || ours.total !== total)
    throw new Error(`${one.name}: not the same rows (${ours.total}, ${total})`)
  return { ...one, bare, body }
}

/** Sequential scans of the two tables while only the product reads. Sessions report after ten idle seconds at most. */
async function scansDuring({ cases, call, client }: Fleet): Promise<string[]> {
  const read = async () => {
    await delay(11_000)
    await client.query('SELECT pg_stat_clear_snapshot()')
    const { rows } = await client.query<{ relname: string; seq_scan: string; idx_scan: string }>(
      `SELECT relname, seq_scan, idx_scan FROM pg_stat_user_tables WHERE relname IN ('terminal', 'terminal_state') ORDER BY 1`,
    )
    return rows
  }
  const before = await read()
  for (const { body } of cases) for (let n = 0; n < 5; n++) await call(body)
  const after = await read()
  return after.map(({ relname, seq_scan, idx_scan }, i) => {
    const [seq, idx] = [Number(seq_scan) - Number(before[i]!.seq_scan), Number(idx_scan) - Number(before[i]!.idx_scan)]
    return `${seq > 0 || idx === 0 ? 'FAILED: ' : ''}${relname}: ${seq} sequential and ${idx.toLocaleString('en')} index scans in ${cases.length * 5} calls`
  })
}

async function measure(fleets: Fleet[], postgres_pid: number, log: (text: string) => void): Promise<Measured[][]> {
  const measured = fleets.map(({ cases }) => cases.map((): Measured => ({ ours: [], bare: [] })))
  for (let round = -1; round < rounds; round++) {
    log(round < 0 ? 'warm-up' : `round ${round + 1} of ${rounds}`)
    for (const [i] of fleets[0]!.cases.entries()) {
      const takes = fleets.map(({ cases, call, client }) => {
        const { body, bare } = cases[i]!
        return { ours: take(() => call(body)), bare: take(() => runBare(client, bare)) }
      })
      // Ours, bare, ours, bare ... in short turns: whatever else the machine does falls on both.
      for (let done = 0; done < (round < 0 ? turn : calls); done += turn)
        for (const { ours, bare } of takes) {
          await ours.turn(postgres_pid)
          await bare.turn(postgres_pid)
        }
      if (round < 0) continue
      for (const [f, { ours, bare }] of takes.entries()) {
        measured[f]![i]!.ours.push(ours.sample())
        measured[f]![i]!.bare.push(bare.sample())
      }
    }
  }
  return measured
}

function take(once: () => Promise<unknown>) {
  const times: number[] = []
  let cpu_seconds = 0
  return {
    async turn(postgres_pid: number) {
      const cpu = () => cpuSeconds(process.pid) + treeCpuSeconds(postgres_pid)
      const before = cpu()
      for (let n = 0; n < turn; n++) {
        const begun = performance.now()
        await once()
        times.push(performance.now() - begun)
      }
      cpu_seconds += cpu() - before
    },
    sample: (): Sample => ({ value: percentile(times, 95), cpu_seconds: cpu_seconds / times.length }),
  }
}

const pairsOf = ({ ours, bare }: Measured): [Sample, Sample][] =>
  ours.map((sample, i) => [{ ...sample, value: Math.max(sample.value - overhead_ms, 0.01) }, bare[i]!])
const medianRatio = (pairs: [Sample, Sample][]): number => spread(pairs.map(([a, b]) => a.value / b.value)).median

function ratios(size: string, { cases }: Fleet, measured: Measured[], scans: string[]): Row[] {
  const all = cases.map(({ name }, i) => ({ name, pairs: pairsOf(measured[i]!) }))
  const sorted = all.toSorted((a, b) => medianRatio(b.pairs) - medianRatio(a.pairs))
  if (process.env['MDM_BENCH_CASES'] === '1')
    for (const { name, pairs } of sorted) {
      const [ours, bare] = [0, 1].map((side) => spread(pairs.map((pair) => pair[side]!.value)).median.toFixed(2))
      console.log(`${medianRatio(pairs).toFixed(2)}  ${ours} + ${overhead_ms} / ${bare} ms  ${name}`)
    }
  const missed = sorted.filter(({ pairs }) => medianRatio(pairs) > 3).map(({ name }) => name)
  const is_scanned = scans.some((scan) => scan.startsWith('FAILED'))
  const one = (which: string, { name, pairs }: (typeof all)[number], notes: string[]) =>
    row(
      'P4',
      `${size} devices, ${which} of ${cases.length}: (p95 ms - ${overhead_ms}) / p95 ms of SQL`,
      pairs,
      '<= 3',
      (r) => r.median <= 3 && !is_scanned,
      [name, ...notes],
    )
  const overall = missed.length > 0 ? [`FAILED: ${missed.length} above 3: ${missed.join('; ')}`] : []
  return [
    one('worst case', sorted[0]!, [...overall, ...scans]),
    one('median case', sorted[Math.floor(sorted.length / 2)]!, []),
  ]
}

/**
 * What a fleet ten times as large costs. A filter that ten times as many devices match, up to where counting stops, takes
 * longer in any SQL: beside the growth of all cases stands how that of these compares with the growth of the SQL
 * (decision 004).
 */
function growth(cases: Case[], few: Measured[], many: Measured[]): Row[] {
  const grown = (of: Sample[], from: Sample[]): Sample[] =>
    of.map(({ value, cpu_seconds }, r) => ({
      value: value / from[r]!.value,
      cpu_seconds: cpu_seconds / from[r]!.cpu_seconds,
    }))
  const all = cases.map(({ name }, i) => {
    const [ours, sql] = [grown(many[i]!.ours, few[i]!.ours), grown(many[i]!.bare, few[i]!.bare)]
    const is_growing = spread(sql.map(({ value }) => value)).median > 1.3
    const against = (limits: Sample[]) => ours.map((each, r): [Sample, Sample] => [each, limits[r]!])
    return { name, is_growing, pairs: against(sql.map(() => ({ value: 1, cpu_seconds: 1 }))), by_sql: against(sql) }
  })
  const growing = all.filter(({ is_growing }) => is_growing).map(({ name, by_sql }) => ({ name, pairs: by_sql }))
  const steady = all.filter(({ is_growing }) => !is_growing)
  return [
    ...grownMost('p95 of 1M devices / of 100k', all),
    ...grownMost('the same where SQL takes as long', steady),
    ...grownMost('the same / that of SQL where it takes longer too', growing),
  ]
}

function grownMost(what: string, some: { name: string; pairs: [Sample, Sample][] }[]): Row[] {
  const worst = some.toSorted((a, b) => medianRatio(b.pairs) - medianRatio(a.pairs))
  if (worst.length === 0) return []
  const missed = worst
    .filter(({ pairs }) => medianRatio(pairs) > 1.3)
    .map(({ name, pairs }) => `${name} ${medianRatio(pairs).toFixed(2)}`)
  return [
    row('P4', `${what}, worst case of ${some.length}`, worst[0]!.pairs, '<= 1.3', (r) => r.median <= 1.3, [
      worst[0]!.name,
      ...(missed.length > 0 ? [`FAILED: ${missed.length} above 1.3: ${missed.join('; ')}`] : []),
    ]),
  ]
}
