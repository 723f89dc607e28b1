// The device's end of a measured tunnel is masked as the agent's is.
import '../apps/agent/src/frame-masks.ts'
import { step } from '../tools/terminal.mjs'
import { heading, is_trial, line, machine } from './measure.ts'
import type { Row } from './measure.ts'
import { keep } from './report.ts'
import type { Results } from './report.ts'

/** One file per goal of the product; each answers with its rows. */
const goals: Record<string, () => Promise<{ run: (log: (text: string) => void) => Promise<Row[]> }>> = {
  P1: () => import('./p1-ingest.ts'),
  P2: () => import('./p2-pass-through.ts'),
  P3: () => import('./p3-embedded.ts'),
  P4: () => import('./p4-device-list.ts'),
  P5: () => import('./p5-browser.ts'),
  P6: () => import('./p6-push.ts'),
  P7: () => import('./p7-reconnect.ts'),
  P8: () => import('./p8-files.ts'),
  P9: () => import('./p9-export.ts'),
  'P9-import': () => import('./p9-import.ts'),
  P10: () => import('./p10-start.ts'),
  P11: () => import('./p11-memory.ts'),
  P12: () => import('./p12-growth.ts'),
  P13: () => import('./p13-remote.ts'),
  P14: () => import('./p14-meshcentral.ts'),
  'P14-remote': () => import('./p14-remote.ts'),
  P15: () => import('./p15-agents-of-others.ts'),
  P16: () => import('./p16-nodes.ts'),
  'catch-up': () => import('./catch-up.ts'),
  'push-create': () => import('./push-create.ts'),
  'push-retention': () => import('./push-retention.ts'),
  config: () => import('./config-change.ts'),
  fences: () => import('./fences.ts'),
  alerts: () => import('./alerts.ts'),
  delta: () => import('./delta.ts'),
  maintenance: () => import('./maintenance.ts'),
  backup: () => import('./backup.ts'),
  sizing: () => import('./sizing.ts'),
  year: () => import('./year.ts'),
  budget: () => import('./budget.ts'),
  R13: () => import('./r13-hostile-files.ts'),
}

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !goals[name])
if (unknown.length > 0) {
  console.error(`No goal ${unknown.join(', ')}. There are: ${Object.keys(goals).join(', ')}`)
  process.exit(2)
}
const found: Results = {}
for (const name of asked.length > 0 ? asked : Object.keys(goals)) {
  step(name)
  const { run } = await goals[name]!()
  const date = new Date().toISOString().slice(0, 10)
  found[name] = { date, machine: machine(), rows: await run(step) }
  // What comes after it may fail, an hour later.
  if (!is_trial) await keep(found)
}
const rows = Object.values(found).flatMap((result) => result.rows)
console.log(`${machine()}\n${heading}\n${rows.map(line).join('\n')}`)
if (is_trial) console.log('MDM_BENCH_TRIAL: each row can be measured; the figures say nothing, and are not kept.')
process.exit(is_trial || rows.every((r) => r.is_met) ? 0 : 1)
