import { fleet, hello } from '/work/main/apps/server/src/link/test-fleet.ts'
import { realClock } from '/work/main/apps/server/src/lib/clock.ts'
const f = await fleet(2000, { clock: realClock as never })
console.log('ready')
const payload = (seq: number, i: number) => Buffer.from(JSON.stringify({ seq, device_time: new Date().toISOString(), battery: { level: (seq + i) % 100, charging: 'discharging', temperature: 31, voltage: 3900 }, network: { type: 'wifi', signal: -60, internal_ip: '10.0.0.9' }, run: { cpu: 12.5, memory_used: 1e9, memory_total: 4e9, storage_used: 1e9, storage_total: 1e10, uptime: 1000 } }))
for (let round = 0; round < 5; round++) {
  const n = 10_000
  const t = performance.now(); const c = process.cpuUsage()
  let next = 0
  await Promise.all(Array.from({ length: 2000 }, async (_, i) => { for (let k = 0; k < n / 2000; k++) await f.edge.callbacks.inbound(f.kids[i]!, 'state', payload(round * 100 + k + 1, i)) }))
  const ms = performance.now() - t; const u = process.cpuUsage(c)
  console.log(round, Math.round(n / ms * 1000), 'msg/s', 'cpu', ((u.user + u.system) / 1e6).toFixed(2), 's (all threads)')
}
const { rows } = await f.deps.database.pool.query('select count(*) n from terminal_report'); console.log(rows)
// bare: same batches of 1000
const pool = f.deps.database.pool
for (let round = 0; round < 5; round++) {
  const t = performance.now(); const c = process.cpuUsage()
  for (let b = 0; b < 10; b++) {
    const rows = Array.from({ length: 1000 }, (_, j) => { const i = (b * 1000 + j) % 2000; const p = JSON.parse(payload(1000 + round * 10 + b, i).toString()); const { seq, device_time, ...parts } = p; return { a: f.account_kid, k: f.kids[i], r: new Date(), d: device_time, q: seq, b: p.battery.level, c: p.run.cpu, mu: 1, mt: 2, su: 3, st: 4, p: parts, ...parts } })
    const client = await pool.connect()
    await client.query('begin')
    const json = JSON.stringify(rows.map(({ battery, network, run, ...r }) => r))
    await client.query(`INSERT INTO terminal_report (account_kid, terminal_kid, received_at, device_time, seq, battery_level, cpu, memory_used, memory_total, storage_used, storage_total, parts) SELECT * FROM jsonb_to_recordset($1::jsonb) AS r(a uuid, k uuid, r timestamptz, d timestamptz, q bigint, b real, c real, mu bigint, mt bigint, su bigint, st bigint, p jsonb)`, [json])
    await client.query(`UPDATE terminal_state s SET last_contact_at = r.r, battery_level = r.b, battery = r.battery, network = r.network, run = r.run, last_seq = r.q FROM jsonb_to_recordset($1::jsonb) AS r(k uuid, r timestamptz, q bigint, b real, battery jsonb, network jsonb, run jsonb) WHERE s.terminal_kid = r.k`, [JSON.stringify(rows.map(({ p, ...r }) => r))])
    await client.query('commit'); client.release()
  }
  console.log('bare', Math.round(10_000 / (performance.now() - t) * 1000), 'msg/s', 'cpu', ((process.cpuUsage(c).user + process.cpuUsage(c).system) / 1e6).toFixed(2))
}
await f.close(); process.exit(0)
