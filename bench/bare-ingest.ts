// The limit of P1: the rows and states of the same reports, written by a bare client that does nothing else.
import pg from 'pg'
import { parts, window_size } from './messages.ts'

export type BareOrder = { url: string; account_kid: string; kids: string[]; batch: number; seconds: number }
export type BareReport = { rows: number; seconds: number; cpu_seconds: number }

const history = `
  INSERT INTO terminal_report (account_kid, terminal_kid, received_at, device_time, seq, battery_level, cpu, memory_used,
    memory_total, storage_used, storage_total, parts)
  SELECT * FROM jsonb_to_recordset($1::jsonb) AS r(a uuid, k uuid, r timestamptz, d timestamptz, q bigint, b real, c real,
    mu bigint, mt bigint, su bigint, st bigint, p jsonb)`
const current = `
  UPDATE terminal_state s SET last_contact_at = r.c, device_time = r.t, clock_is_off = r.o, last_seq = r.q,
    state_at = COALESCE(r.a, s.state_at), battery_level = r.l, battery_charging = r.g, network_type = r.n, signal = r.s,
    battery = COALESCE(r.battery, s.battery), network = COALESCE(r.network, s.network), run = COALESCE(r.run, s.run)
  FROM jsonb_to_recordset($1::jsonb) AS r(k uuid, c timestamptz, t timestamptz, o boolean, q bigint, a timestamptz, l real,
    g text, n text, s real, battery jsonb, network jsonb, run jsonb)
  WHERE s.terminal_kid = r.k`

let client: pg.Client | undefined
let seq = Date.now() * 1000
let turn = 0

async function run({ url, account_kid, kids, batch, seconds }: BareOrder): Promise<BareReport> {
  if (!client) {
    client = new pg.Client({ connectionString: url })
    await client.connect()
  }
  const { battery, network, run } = parts
  let rows = 0
  const begun = performance.now()
  const cpu = process.cpuUsage()
  while (performance.now() - begun < seconds * 1000) {
    const at = new Date()
    // A device sends its window at once, so that the server finds this many of them in one batch.
    const reporting = Array.from({ length: batch / window_size }, () => kids[turn++ % kids.length]!)
    const reports = Array.from({ length: batch }, (_, i) => ({
      ...{ a: account_kid, k: reporting[i % reporting.length], r: at, d: at, q: ++seq, b: battery.level, c: run.cpu },
      ...{ mu: run.memory_used, mt: run.memory_total, su: run.storage_used, st: run.storage_total, p: parts },
    }))
    const states = reporting.map((k) => ({
      ...{ k, c: at, t: at, o: false, q: seq, a: at, l: battery.level, g: battery.charging },
      ...{ n: network.type, s: network.signal, ...parts },
    }))
    await client.query('BEGIN')
    await client.query(history, [JSON.stringify(reports)])
    await client.query(current, [JSON.stringify(states)])
    await client.query('COMMIT')
    rows += batch
  }
  const { user, system } = process.cpuUsage(cpu)
  return { rows, seconds: (performance.now() - begun) / 1000, cpu_seconds: (user + system) / 1e6 }
}

process.on('message', (order: BareOrder) => {
  run(order).then(
    (report) => process.send!(report),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
