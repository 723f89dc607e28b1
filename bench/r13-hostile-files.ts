import { setTimeout as delay } from 'node:timers/promises'
import { contract } from '@mdm/contract'
import type { Call, Envelope } from '@mdm/contract'
import { hostilePackages } from '../apps/server/src/testing/hostile-packages.ts'
import { hostileSheets } from '../apps/server/src/testing/hostile-sheets.ts'
import { upload, withSite } from './console-site.ts'
import type { Site } from './console-site.ts'
import { against, percentile, row, sampleOf } from './measure.ts'
import type { Row } from './measure.ts'
import { treeMemory } from './processes.ts'

type Kind = {
  what: string
  files: readonly (readonly [what: string, refused: string, make: () => Promise<Buffer> | Buffer])[]
  /** What reads an upload of the kind. */
  reads: Call
}
const kinds: Kind[] = [
  { what: 'sheets', files: hostileSheets, reads: contract.terminalBatch.calls.preview_batch },
  { what: 'APKs, split packages and zips', files: hostilePackages, reads: contract.appCenter.calls.inspect_upload },
]
/** Between two files, so that what else this machine does falls on both sides. */
const idle_ms = 1_000
const look_ms = 20
/** Somebody at work asks for something so often. */
const ask_every_ms = 25
const mib = 1024 * 1024
/** Of one file: what a process takes that does nothing yet, and 64 MiB. */
const memory_mib = 64 + 64
const seconds = 2

/** R13: files that were made to harm are refused, and nobody else notices. */
export const run = (log: (text: string) => void): Promise<Row[]> =>
  withSite(async (site) => {
    const rows: Row[] = []
    for (const kind of kinds) rows.push(...(await measured(site, kind, log)))
    return rows
  })

async function measured(site: Site, { what: named, files, reads }: Kind, log: (text: string) => void): Promise<Row[]> {
  const kids: [what: string, refused: string, upload_kid: string][] = []
  for (const [what, refused, make] of files) kids.push([what, refused, await upload(site, await make())])
  await asked(site, reads, kids[0]![2])

  const idle: number[] = []
  const rest = treeMemory(site.server.pid)
  let peak = rest
  const watch = setInterval(() => (peak = Math.max(peak, treeMemory(site.server.pid))), look_ms)
  const busy: number[] = []
  const took: number[] = []
  for (const [what, refused, kid] of kids) {
    await whileOthersWork(site, idle, () => delay(idle_ms))
    const { result, ms } = await whileOthersWork(site, busy, () => asked(site, reads, kid))
    if (result === 1 || result === 500) throw new Error(`${what}: ${result}, not ${refused}`)
    took.push(ms / 1_000)
    log(`${what}: ${result} after ${Math.round(ms)} ms`)
  }
  clearInterval(watch)
  const above = (peak - rest) / mib
  const p95 = (of: number[]) => percentile(of, 95)
  log(
    `others: p95 ${p95(idle).toFixed(1)} ms at rest, ${p95(busy).toFixed(1)} ms meanwhile; ${above.toFixed(0)} MiB more at most`,
  )
  return [
    row(
      'R13',
      `${named}: others' p95 meanwhile / at rest`,
      [[sampleOf(p95(busy)), sampleOf(p95(idle))]],
      '<= 2',
      (r) => r.median <= 2,
      [`${kids.length} hostile files, one after the other`],
    ),
    row(
      'R13',
      `${named}: seconds to refuse one, at most / ${seconds}`,
      against([sampleOf(Math.max(...took))], seconds),
      '<= 1',
      (r) => r.max <= 1,
    ),
    row(
      'R13',
      `${named}: MiB above rest, at most / ${memory_mib}`,
      against([sampleOf(above)], memory_mib),
      '<= 1',
      (r) => r.max <= 1,
    ),
  ]
}

async function whileOthersWork<T>({ call }: Site, times: number[], work: () => Promise<T>): Promise<T> {
  let is_over = false
  const others = (async () => {
    while (!is_over) {
      const started = performance.now()
      await call(contract.terminal.calls.paging, {})
      times.push(performance.now() - started)
      await delay(ask_every_ms)
    }
  })()
  const done = await work()
  is_over = true
  await others
  return done
}

async function asked({ response }: Site, reads: Call, upload_kid: string): Promise<{ result: number; ms: number }> {
  const started = performance.now()
  const { result } = (await (await response(reads, { upload_kid })).json()) as Envelope
  return { result, ms: performance.now() - started }
}
