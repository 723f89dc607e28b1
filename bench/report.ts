import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../tools/terminal.mjs'
import { chart, limitOf } from './chart.ts'
import { heading, line, short, wasRun } from './measure.ts'
import type { Row } from './measure.ts'

const kept_file = join(root, 'bench', 'results.json')
const table_file = join(root, 'bench', 'results.md')
const page_file = join(root, 'docs', 'performance.md')
const pictures = join(root, 'docs', 'performance')

/** Of one goal: its rows as they were measured last, when and on what. */
export type Result = { date: string; machine: string; rows: Row[] }
export type Results = Record<string, Result>

/** What the page says, and which goals stand under it. */
const chapters = [
  {
    file: 'beside',
    title: 'Beside what you would pick instead',
    about: `Each figure is a ratio to a program that does only that one thing, or to another product, on the same machine in the same run, one
after the other in turns: a bare client of the database, Mosquitto, nginx, raw TLS, MeshCentral.`,
    goals: ['P1', 'P2', 'P3', 'P6', 'P8', 'P9', 'P9-import', 'P14', 'P14-remote', 'P15'],
  },
  {
    file: 'people',
    title: 'What people wait for',
    about: 'Lists, the first page after a start, and a screen of a device that somebody looks at.',
    goals: ['P4', 'P5', 'year', 'P10', 'P13', 'alerts', 'fences', 'config', 'push-create'],
  },
  {
    file: 'fleet',
    title: 'What a fleet costs, and how far it goes',
    about:
      'Memory of a device that is online, a whole fleet that comes back at once, and what grows with the number of devices.',
    goals: ['P7', 'P11', 'P12', 'P16', 'catch-up', 'delta', 'push-retention', 'maintenance', 'backup', 'sizing', 'R13'],
  },
  {
    file: 'budget',
    title: 'What it costs to have it at all',
    about: 'Start, memory at rest and the first load of a page, against the last release.',
    goals: ['budget'],
  },
] as const

/** What could not be run says nothing: a figure from where it could is worth more. */
export const measured = (found: Results): Results =>
  Object.fromEntries(Object.entries(found).filter(([, { rows }]) => rows.some(wasRun)))

/** Keeps what was measured beside what other goals measured before, and writes the tables and pictures anew. */
export async function keep(found: Results): Promise<void> {
  const before = await readFile(kept_file, 'utf8').then(
    (text) => JSON.parse(text) as Results,
    () => ({}),
  )
  const all: Results = { ...before, ...measured(found) }
  await writeFile(kept_file, `${JSON.stringify(all, undefined, 1)}\n`)
  await writeFile(table_file, tableOf(all))
  await mkdir(pictures, { recursive: true })
  await writeFile(page_file, await pageOf(all))
}

const when = ({ date, machine }: Result) => `${date}, ${machine}`
const tableOf = (all: Results): string =>
  [
    '# Measured\n\nBy `npm run bench`: both sides in one run, interleaved. Each goal stands as it was measured last.\n',
    ...Object.entries(all).map(
      ([name, result]) => `## ${name}\n\n${when(result)}\n\n${heading}\n${result.rows.map(line).join('\n')}\n`,
    ),
  ].join('\n')

async function pageOf(all: Results): Promise<string> {
  const parts = [
    `# What it costs, and where its limits are

This page is written by \`npm run bench\` and says only what was measured; \`bench/results.md\` has every figure with its spread. A bar
is how much of its goal a row uses: up to the line it is met. The thin line goes from the best round to the worst. What is not here was
not measured.

To measure it yourself: \`npm run bench\`, or some goals, \`npm run bench -- P4 P13\`, on a machine that does nothing else.
\`MDM_BENCH_TRIAL=1\` shows with few of everything that a row can be measured, and keeps nothing; \`MDM_BENCH_LARGE=0\` leaves out the million
devices of P4, \`MDM_BENCH_DEVICES\` says how many come back at once in P7, \`MDM_BENCH_YEAR=1\` seeds all of \`year\` instead of a tenth, and \`MDM_BENCH_RELEASE=1\` makes what \`budget\` measures the
release that the next ones are held against.
`,
  ]
  for (const { file, title, about, goals } of chapters) {
    const measured = goals.flatMap((name) => (all[name] ? [{ name, ...all[name] }] : []))
    // A row that the machine could not measure has no goal to hold it against.
    const rows = measured.flatMap((result) => result.rows).filter(({ wanted }) => limitOf(wanted) !== undefined)
    if (rows.length === 0) continue
    await writeFile(join(pictures, `${file}.svg`), chart(title, rows))
    const missed = rows.filter(({ is_met }) => !is_met)
    parts.push(
      `## ${title}\n\n${about}\n\n![${title}: how much of its goal each row uses](performance/${file}.svg)\n`,
      `| | ours | beside it | ratio | goal |\n|---|---|---|---|---|\n${rows.map(costLine).join('\n')}\n`,
      missed.length > 0
        ? `Not met: ${missed.map(({ goal, what, ratio, wanted }) => `${goal} ${what}, ${ratio.median.toPrecision(3)} (${wanted})`).join('; ')}.\n`
        : 'All of these are met.\n',
      `Measured: ${measured.map((result) => `${result.name} on ${when(result)}`).join('; ')}.\n`,
    )
  }
  return parts.join('\n')
}

const costLine = ({ goal, what, ours, limit, ratio, wanted }: Row): string =>
  `| ${goal} ${what} | ${[ours, limit, ratio].map(({ median }) => short(median)).join(' | ')} | ${wanted} |`
