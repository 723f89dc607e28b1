import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { root } from '../tools/terminal.mjs'
import { machine, notRun, row, sampleOf, sized } from './measure.ts'
import type { Row, Sample } from './measure.ts'
import { treeCpuSeconds, treePids, treePss } from './processes.ts'
import { mdm, up } from './products.ts'

const file = join(root, 'bench', 'budget.json')
const rounds = sized(5, 1)
const settle_ms = sized(8_000, 1_000)
const mib = 1024 * 1024
/** Of a part, in the unit of its cost. */
const least = 0.1
/** A name of a built file without the mark of its content: what it was called in the release before. */
const withoutHash = (name: string) => name.replace(/^assets\//, '').replace(/-[\w-]{8}(?=\.\w+$)/, '')

/** Of one cost: the figure, and what it is made of. `slack`: how much of it is the chance of one run. */
type Cost = { value: number; parts: Record<string, number>; slack: number }
type Release = { version: string; date: string; machine: string; costs: Record<string, Cost> }

/**
 * What the product costs whoever takes it, against the last release (budget.json), and which part of it grew. A release writes it anew:
 * MDM_BENCH_RELEASE=1.
 */
export async function run(log: (text: string) => void): Promise<Row[]> {
  const costs = { ...(await started(log)), ...(await loaded()) }
  if (process.env['MDM_BENCH_RELEASE'] === '1') await written(costs)
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined)
    return [notRun('budget', 'growth', 'bench/budget.json is not there: MDM_BENCH_RELEASE=1 writes it')]
  const release = JSON.parse(text) as Release
  return Object.entries(costs).map(([what, cost]) => {
    const before = release.costs[what]
    const most = 1 + (before?.slack ?? cost.slack)
    const pair: [Sample, Sample] = [sampleOf(cost.value), sampleOf(before?.value ?? cost.value)]
    const notes = [
      `release ${release.version} of ${release.date}, ${release.machine}`,
      ...(before ? grownParts(cost, before) : ['not measured then']),
    ]
    return row('budget', `${what} / the last release`, [pair], `<= ${most}`, (r) => r.median <= most, notes)
  })
}

/** The three that grew most, by what. */
export function grownParts({ parts }: Pick<Cost, 'parts'>, before: Pick<Cost, 'parts'>): string[] {
  const names = [...new Set([...Object.keys(parts), ...Object.keys(before.parts)])]
  const grown = names
    .map((name) => ({ name, by: (parts[name] ?? 0) - (before.parts[name] ?? 0) }))
    .filter(({ by }) => by >= least)
    .toSorted((a, b) => b.by - a.by)
    .slice(0, 3)
  return grown.length === 0 ? [] : [`grew: ${grown.map(({ name, by }) => `${name} +${by.toFixed(1)}`).join(', ')}`]
}

/** CPU of a start on what is there, and memory at rest with database and broker. */
async function started(log: (text: string) => void): Promise<Record<string, Cost>> {
  const home = await mkdtemp(join(tmpdir(), 'mdm-budget-'))
  try {
    const product = await mdm(join(home, 'data'))
    // What a first start makes is there afterwards.
    await up(product, async () => delay(settle_ms))
    const starts: Cost[] = []
    const rests: Cost[] = []
    for (let round = 0; round < rounds; round++)
      await up(product, async ({ pid }) => {
        starts.push({ value: treeCpuSeconds(pid), parts: {}, slack: 0.1 })
        await delay(settle_ms)
        rests.push({ value: treePss(pid) / mib, parts: memoryParts(pid), slack: 0.1 })
        log(`start ${starts.at(-1)!.value.toFixed(2)} CPU-seconds, at rest ${Math.round(rests.at(-1)!.value)} MiB`)
      })
    const middle = (all: Cost[]) => all.toSorted((a, b) => a.value - b.value)[Math.floor(all.length / 2)]!
    const start = { ...middle(starts), parts: await programParts() }
    return { 'start to first page, CPU-seconds': start, 'memory at rest, MiB (PSS)': middle(rests) }
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

/** MiB of each process, by what it holds them for. */
function memoryParts(pid: number): Record<string, number> {
  const parts: Record<string, number> = {}
  for (const each of treePids(pid)) {
    const command = readFileSync(`/proc/${each}/cmdline`, 'utf8').split('\0').join(' ')
    const process_name = /broker/.test(command) ? 'broker' : each === pid ? 'server' : 'other'
    let name = ''
    for (const line of readFileSync(`/proc/${each}/smaps`, 'utf8').split('\n')) {
      const mapping = /^[0-9a-f]+-[0-9a-f]+ \S+ \S+ \S+ \S+\s*(.*)$/.exec(line)
      if (mapping) name = kindOf(mapping[1]!)
      const pss = /^Pss:\s+(\d+) kB/.exec(line)
      if (!pss) continue
      const key = `${process_name}: ${name}`
      parts[key] = (parts[key] ?? 0) + Number(pss[1]) / 1024
    }
  }
  return parts
}
/** V8 and WebAssembly keep their heaps in memory without a name; the program and its libraries are files. */
function kindOf(name: string): string {
  if (name === '') return 'heaps'
  if (name.startsWith('[')) return name.slice(1, -1)
  return name.endsWith('/node') ? 'node' : 'libraries'
}

/** KiB of each file that the server may load. */
async function programParts(): Promise<Record<string, number>> {
  const { stdout } = await promisify(execFile)('du', ['--bytes', '--all', 'apps/server/dist'], { cwd: root })
  const parts: Record<string, number> = {}
  for (const [, bytes, name] of stdout.matchAll(/^(\d+)\t(?:.*\/)?([\w-]+\.js)$/gm))
    // Pieces that programs share are named by their content alone.
    parts[name!.startsWith('chunk-') ? 'shared code' : name!] =
      (parts[name!.startsWith('chunk-') ? 'shared code' : name!] ?? 0) + Number(bytes) / 1024
  return parts
}

/** JavaScript of the first load of each page, in the language in which it is largest, as tools/bundle-size.mjs counts it. */
async function loaded(): Promise<Record<string, Cost>> {
  const counted = await promisify(execFile)(process.execPath, ['tools/bundle-size.mjs', '--files'], {
    cwd: root,
  }).catch(
    // It ends so where a limit of its own is passed, and has said the figures by then.
    (error: { stdout: string }) => error,
  )
  const costs: Record<string, Cost> = {}
  let current: Cost | undefined
  for (const line of counted.stdout.split('\n')) {
    const page = /^(\/\S+): ([\d.]+) KB/.exec(line)
    if (page)
      current = costs[`first load of ${page[1]}, KiB of JavaScript`] = {
        value: Number(page[2]),
        parts: {},
        slack: 0.02,
      }
    const part = /^ {2}([\d.]+) {2}(\S+)$/.exec(line)
    if (!part || !current) continue
    const name = withoutHash(part[2]!)
    current.parts[name] = (current.parts[name] ?? 0) + Number(part[1])
  }
  return costs
}

async function written(costs: Record<string, Cost>): Promise<void> {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
  const release: Release = { version, date: new Date().toISOString().slice(0, 10), machine: machine(), costs }
  // A part that is too small to be named when it grows is not kept.
  const round = (key: string, value: unknown) =>
    typeof value !== 'number' ? value : key !== 'slack' && value < least ? undefined : Math.round(value * 100) / 100
  await writeFile(file, `${JSON.stringify(release, round, 2)}\n`)
}
