// npm test: check, then unit, API, sweep and device tests, then the browser; one line of totals at the end.
// npm test -- check|unit|browser runs a part; npm test -- changed runs what the changes since main reach, browser files
// by the features that they walk. check goes before the rest: it keeps two cores busy itself, so beside the unit tests it
// would only make tests late, for the same sum.
// npm run test:long runs what takes minutes by its nature.
import { spawn, spawnSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { browserFilesOf } from './browser-files.mjs'
import { ensureBuilt } from './build.mjs'
import { findChromium } from './chromium.mjs'
import { linesOfSlowFiles, linesOfWaits } from './slow-files.mjs'
import { root, step } from './terminal.mjs'

const parts = ['check', 'unit', 'browser', 'changed', 'long']
const only = process.argv.slice(2)
const unknown = only.filter((name) => !parts.includes(name))
if (unknown.length > 0) {
  console.error(`Unknown part ${unknown.join(', ')}. There are: ${parts.join(', ')}`)
  process.exit(2)
}
const is_daily = only.includes('changed')
const is_long = only.includes('long')
const wants = (name) => only.length === 0 || only.includes(name) || is_daily
const totals = { passed: 0, failed: 0, skipped: 0 }
// Told again at the very end: a log is often cut to its last lines.
const failures = []
const slowFiles = []
const reports = mkdtempSync(join(tmpdir(), 'mdm-test-'))

const run = (command, args, env = {}) =>
  new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, ...env },
    })
    child.on('error', (error) => {
      console.error(error)
      resolve(1)
    })
    child.on('exit', (code) => resolve(code ?? 1))
  })
const add = (passed, failed, skipped) => {
  totals.passed += passed
  totals.failed += failed
  totals.skipped += skipped
}

if (wants('check')) {
  // The house rules are among the unit tests; alone, the check has them itself.
  const has_house_rules = !wants('unit') || is_daily
  step(`check: types, lint, format${has_house_rules ? ', house rules' : ''}, OpenAPI`)
  const failed = join(reports, 'failed-checks.json')
  const options = has_house_rules ? [] : ['--without-tests']
  const code = await run(process.execPath, ['tools/check.mjs', ...options], { MDM_CHECK_FAILURES: failed })
  failures.push(...read(failed, []))
  add(code === 0 ? 1 : 0, code === 0 ? 0 : 1, 0)
}

step('build')
ensureBuilt()

if (wants('check')) {
  step('size of what a browser loads first')
  const code = await run(process.execPath, ['tools/bundle-size.mjs'])
  if (code !== 0) failures.push(['size of what a browser loads first', 'above its limit'])
  add(code === 0 ? 1 : 0, code === 0 ? 0 : 1, 0)
}

if (wants('unit') || is_long) {
  step(
    is_long ? 'long tests' : is_daily ? 'tests that the changes since main reach' : 'unit, API, sweep and device tests',
  )
  const report = join(reports, 'vitest.json')
  const options = [
    'run',
    '--reporter=default',
    '--reporter=json',
    '--reporter=./tools/file-times.mjs',
    `--outputFile.json=${report}`,
  ]
  const times = join(reports, 'file-times.json')
  const code = await run(
    'node_modules/.bin/vitest',
    is_daily ? [...options, '--changed', 'main', '--passWithNoTests'] : options,
    { MDM_TEST_FILE_TIMES: times, ...(is_long && { MDM_TEST_LONG: '1' }) },
  )
  // Long tests take minutes by their nature.
  const { times: fileTimes, outside } = read(times, { times: [], outside: [] })
  if (!is_long) slowFiles.push('', 'slowest unit files', ...linesOfSlowFiles('unit', fileTimes.map(inTree)))
  failures.push(...outside)
  const {
    numPassedTests: passed,
    numFailedTests: failed,
    numPendingTests: skipped,
    numFailedTestSuites: brokenFiles,
    testResults: files,
  } = read(report, {
    numPassedTests: 0,
    numFailedTests: 1,
    numPendingTests: 0,
    numFailedTestSuites: 0,
    testResults: [],
  })
  for (const file of files)
    for (const test of file.assertionResults)
      if (test.status === 'failed') failures.push([`${file.name} > ${test.fullName}`, test.failureMessages.join('\n')])
  // A file that cannot even load, and one whose hook failed, count no failed test of their own.
  add(passed, failed === 0 && code !== 0 ? Math.max(1, brokenFiles) : failed, skipped)
}

const changedWalks = is_daily ? browserFilesOf(changedFiles()) : []
if (is_daily && changedWalks.length === 0) step('no browser test walks what has changed')
if (wants('browser') && (!is_daily || changedWalks.length > 0)) {
  const chromium = await findChromium()
  if (chromium) {
    step(`browser tests in ${chromium}`)
    const report = join(reports, 'playwright.json')
    // Playwright reads a file's name as a pattern.
    const files = changedWalks.map((file) => `${file.replaceAll('.', String.raw`\.`)}$`)
    const code = await run('node_modules/.bin/playwright', ['test', ...files], {
      MDM_TEST_CHROMIUM: chromium,
      PLAYWRIGHT_JSON_OUTPUT_NAME: report,
      MDM_TEST_BROWSER_WAITS: join(reports, 'waits.json'),
    })
    const { stats, suites } = read(report, {
      stats: { expected: 0, unexpected: 1, flaky: 0, skipped: 0 },
      suites: [],
    })
    const times = new Map()
    collect(suites, times)
    const slowest = linesOfSlowFiles(
      'browser',
      [...times].map(([file, ms]) => ({ file: `e2e/${file}`, ms })),
    )
    const { loads, waits } = read(join(reports, 'waits.json'), { loads: 0, waits: [] })
    slowFiles.push('', 'slowest browser files', ...slowest)
    slowFiles.push('', `longest waits of the browser tests, which loaded ${loads} pages`, ...linesOfWaits(waits))
    // A test that passes only when it is tried again is broken.
    const failed = stats.unexpected + stats.flaky
    add(stats.expected, failed === 0 && code !== 0 ? 1 : failed, stats.skipped)
  } else {
    console.error(
      'No Chromium: none is installed, Playwright could not download one, and Debian’s package needs root. Install chromium and run again.',
    )
    add(0, 1, 0)
  }
}

rmSync(reports, { recursive: true, force: true })
const summary = [
  ...slowFiles,
  ...failures.map(([test, why]) => `\nFAILED ${test.replace(`${root}/`, '')}\n${why.slice(0, 2_000)}`),
  `\n${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`,
].join('\n')
console.log(summary)
if (process.env.MDM_TEST_SUMMARY) appendFileSync(process.env.MDM_TEST_SUMMARY, `${summary}\n`)
process.exitCode = totals.failed || totals.passed === 0 ? 1 : 0

function read(file, otherwise) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return otherwise
  }
}

function inTree({ file, ms }) {
  return { file: file.replace(`${root}/`, ''), ms }
}

/** Files that differ from where this branch left main, committed or not. */
function changedFiles() {
  const git = (...args) => {
    const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
    if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`)
    return stdout.split('\n').filter((line) => line !== '')
  }
  return [
    ...git('diff', '--name-only', '--no-renames', '--merge-base', 'main'),
    ...git('ls-files', '--others', '--exclude-standard'),
  ]
}

/** Failed browser tests of Playwright's report, whose suites nest: file, describe. Adds up how long each file took. */
function collect(suites, times) {
  for (const suite of suites) {
    collect(suite.suites ?? [], times)
    for (const spec of suite.specs) {
      const results = spec.tests.flatMap((test) => test.results)
      times.set(
        spec.file,
        results.reduce((sum, { duration }) => sum + duration, times.get(spec.file) ?? 0),
      )
      if (spec.ok) continue
      const messages = results.flatMap((result) => result.errors.map((error) => error.message))
      failures.push([`${spec.file} > ${spec.title}`, messages.join('\n')])
    }
  }
}
