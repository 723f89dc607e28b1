// Types, lint, format, unused code, boundaries, house rules and the OpenAPI file; nothing is started.
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { root, step } from './terminal.mjs'

const bin = (name) => `node_modules/.bin/${name}`
const houseRules = ['tools/boundaries', 'tools/house-rules', 'tools/words', 'packages/contract/src/pages']
/**
 * One checker: each further one infers the whole contract again for itself, which costs more than it saves where others
 * run beside it. What a project found is kept for the next run.
 */
const types = (name, project) => [
  `types (${name})`,
  bin('tsc'),
  ...['-p', project, '--checkers', '1', '--incremental'],
  ...['--tsBuildInfoFile', `node_modules/.cache/types/${project.replaceAll('/', '-')}.tsbuildinfo`],
]
const lint = [bin('oxlint'), '--type-aware', '--quiet']
/** In two parts, so that each core has one: what one infers of types is not what the other does. */
const browserFolders = ['apps/console', 'e2e']
// The longest first, so that the short ones fill what is left of the other core.
const checks = [
  ['format', bin('prettier'), '--check', '--log-level', 'warn', '--cache', '.'],
  ['lint (console, browser tests)', ...lint, ...browserFolders],
  ['lint (all else)', ...lint, ...browserFolders.flatMap((folder) => ['--ignore-pattern', `${folder}/**`])],
  types('console', 'apps/console/tsconfig.json'),
  types('server, agent, packages', 'tsconfig.json'),
  types('terminal', 'apps/terminal/tsconfig.json'),
  types('browser tests', 'e2e/tsconfig.json'),
  ['unused files, exports, packages', bin('knip'), '--no-progress'],
  // `npm test` runs them with all other tests.
  ...(process.argv.includes('--without-tests')
    ? []
    : [['house rules', bin('vitest'), 'run', ...houseRules, '--reporter=dot']]),
  ['OpenAPI, JSON Schema', process.execPath, '--import', 'tsx', 'tools/descriptions.ts', '--check'],
]

/**
 * For the programs written in Go, tsc and oxlint's reader of types. The reader makes as many checkers as it may use cores
 * and has no option for it. A fifth of their time was collecting garbage that goes with them a moment later.
 */
const env = { ...process.env, GOMAXPROCS: '1', GOGC: '400', GOMEMLIMIT: '2500MiB' }
const run = ([name, command, ...args]) =>
  new Promise((resolve) => {
    const started = performance.now()
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    child.on('error', (error) => resolve({ name, ok: false, output: String(error), ms: 0 }))
    child.on('exit', (code) => resolve({ name, ok: code === 0, output, ms: performance.now() - started }))
  })

/** Name and output. */
const failures = []
// Two at a time, for two cores.
const queue = [...checks]
await Promise.all(
  [0, 1].map(async () => {
    for (let check = queue.shift(); check; check = queue.shift()) {
      const { name, ok, output, ms } = await run(check)
      step(`${ok ? 'ok    ' : 'FAILED'} ${name} (${(ms / 1000).toFixed(1)} s)`)
      if (ok) continue
      failures.push([name, output.trimEnd()])
      console.error(output.trimEnd())
    }
  }),
)
console.log(`${checks.length - failures.length} passed, ${failures.length} failed, 0 skipped`)
// `npm test` tells them again at its end.
if (process.env.MDM_CHECK_FAILURES) writeFileSync(process.env.MDM_CHECK_FAILURES, JSON.stringify(failures))
process.exitCode = failures.length > 0 ? 1 : 0
