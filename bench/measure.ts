import { cpus } from 'node:os'

/** Settings of a PostgreSQL that loses nothing of what it has acknowledged. */
export const durable = [
  'fsync=on',
  'synchronous_commit=on',
  'full_page_writes=on',
  'shared_buffers=128MB',
  'max_wal_size=2GB',
]

/** A run that only shows that each row can be measured: its figures say nothing. */
export const is_trial = process.env['MDM_BENCH_TRIAL'] === '1'
/** How many of something a row takes, and how few show that it works. */
export const sized = (full: number, trial: number): number => (is_trial ? trial : full)

export type Sample = { value: number; cpu_seconds: number }
export type Row = {
  goal: string
  what: string
  ours: Spread
  limit: Spread
  ratio: Spread
  cpu_ratio: Spread
  wanted: string
  is_met: boolean
  notes: string[]
}
export type Spread = { min: number; median: number; max: number }

export const spread = (values: number[]): Spread => {
  const sorted = values.toSorted((a, b) => a - b)
  return { min: sorted[0]!, median: sorted[Math.floor(sorted.length / 2)]!, max: sorted.at(-1)! }
}
export const percentile = (values: number[], p: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil((p / 100) * sorted.length) - 1)]!
}

/** A B A B ..., both sides in the same run on the same machine: drift of the machine's speed falls on both. */
export async function interleaved(
  rounds: number,
  ours: () => Promise<Sample>,
  limit: () => Promise<Sample>,
): Promise<[Sample, Sample][]> {
  const pairs: [Sample, Sample][] = []
  for (let round = 0; round < rounds; round++) pairs.push([await ours(), await limit()])
  return pairs
}

/** A figure that is not of time. */
export const sampleOf = (value: number): Sample => ({ value, cpu_seconds: 0 })

/** Samples against a limit that is a set figure, not something that was measured. */
export const against = (samples: Sample[], value: number): [Sample, Sample][] =>
  samples.map((sample) => [sample, { ...sample, value }])

export function row(
  goal: string,
  what: string,
  pairs: [Sample, Sample][],
  wanted: string,
  met: (ratio: Spread) => boolean,
  notes: string[] = [],
): Row {
  const ratio = spread(pairs.map(([a, b]) => a.value / b.value))
  return {
    goal,
    what,
    ours: spread(pairs.map(([a]) => a.value)),
    limit: spread(pairs.map(([, b]) => b.value)),
    ratio,
    cpu_ratio: spread(pairs.map(([a, b]) => a.cpu_seconds / Math.max(b.cpu_seconds, 1e-6))),
    wanted,
    is_met: met(ratio),
    notes,
  }
}

const nothing = { min: 0, median: 0, max: 0 }
/** A row that this machine cannot measure, and why. */
export const notRun = (goal: string, what: string, why: string): Row => ({
  ...{ goal, what, ours: nothing, limit: nothing, ratio: nothing, cpu_ratio: nothing, wanted: '-' },
  ...{ is_met: true, notes: [`not run: ${why}`] },
})
export const wasRun = ({ wanted }: Row): boolean => wanted !== '-'

export const short = (n: number): string => (n >= 1000 ? Math.round(n).toLocaleString('en') : n.toPrecision(3))
const span = (s: Spread): string => `${short(s.median)} (${short(s.min)}-${short(s.max)})`

export const heading = `| goal | what | ours, median (min-max) | limit | ratio | CPU ratio | wanted | met |\n|---|---|---|---|---|---|---|---|`
export const line = (r: Row): string =>
  `| ${r.goal} | ${r.what} | ${span(r.ours)} | ${span(r.limit)} | ${span(r.ratio)} | ${span(r.cpu_ratio)} | ${r.wanted} | ${r.is_met ? 'yes' : 'NO'} |${r.notes.map((n) => `\n| | ${n} |||||||`).join('')}`

export const machine = (): string =>
  `${cpus().length} x ${cpus()[0]?.model.trim() ?? 'unknown CPU'}, Node ${process.versions.node}`
