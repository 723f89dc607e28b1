// The device's end of a measured tunnel is masked as the agent's is.
import '../apps/agent/src/frame-masks.ts'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, step } from '../tools/terminal.mjs'
import { heading, line, machine } from './measure.ts'
import type { Row } from './measure.ts'

/** One file per goal of the product; each answers with its rows. */
const goals: Record<string, () => Promise<{ run: (log: (text: string) => void) => Promise<Row[]> }>> = {
  P1: () => import('./p1-ingest.ts'),
  P4: () => import('./p4-device-list.ts'),
  P8: () => import('./p8-files.ts'),
  P6: () => import('./p6-push.ts'),
  P9: () => import('./p9-export.ts'),
  'P9-import': () => import('./p9-import.ts'),
  P10: () => import('./p10-start.ts'),
  P11: () => import('./p11-memory.ts'),
  P13: () => import('./p13-remote.ts'),
  P14: () => import('./p14-meshcentral.ts'),
  P15: () => import('./p15-agents-of-others.ts'),
  'catch-up': () => import('./catch-up.ts'),
  'push-create': () => import('./push-create.ts'),
  'push-retention': () => import('./push-retention.ts'),
  config: () => import('./config-change.ts'),
  fences: () => import('./fences.ts'),
  alerts: () => import('./alerts.ts'),
  delta: () => import('./delta.ts'),
  maintenance: () => import('./maintenance.ts'),
  R13: () => import('./r13-hostile-files.ts'),
}

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !goals[name])
if (unknown.length > 0) {
  console.error(`No goal ${unknown.join(', ')}. There are: ${Object.keys(goals).join(', ')}`)
  process.exit(2)
}
const rows: Row[] = []
for (const name of asked.length > 0 ? asked : Object.keys(goals)) {
  step(name)
  const { run } = await goals[name]!()
  const found = await run(step)
  rows.push(...found)
}
const table = `${heading}\n${rows.map(line).join('\n')}`
console.log(`${machine()}\n${table}`)
if (asked.length === 0) {
  const file = join(root, 'bench', 'results.md')
  writeFileSync(
    file,
    `# Measured\n\n\`npm run bench\` on ${machine()}: both sides in one run, five rounds, interleaved.\n\n${table}\n`,
  )
  step(`written to ${file}`)
}
process.exit(rows.every((r) => r.is_met) ? 0 : 1)
