// npm test: check, then unit, API, sweep and device tests, then the browser; one line of totals at the end.
// npm test -- check|unit|browser runs a part; npm test -- changed runs what the changes since main reach;
// npm run test:long runs what takes minutes by its nature.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureBuilt } from './build.mjs'
import { findChromium } from './chromium.mjs'
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
const wants = (name) => only.length === 0 || only.includes(name) || (is_daily && name !== 'browser')
const totals = { passed: 0, failed: 0, skipped: 0 }
// Told again at the very end: a log is often cut to its last lines.
const failures = []
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
  const code = await run(process.execPath, ['tools/check.mjs', ...(has_house_rules ? [] : ['--without-tests'])])
  add(code === 0 ? 1 : 0, code === 0 ? 0 : 1, 0)
}

step('build')
ensureBuilt()

if (wants('check')) {
  step('size of what a browser loads first')
  const code = await run(process.execPath, ['tools/bundle-size.mjs'])
  add(code === 0 ? 1 : 0, code === 0 ? 0 : 1, 0)
}

if (wants('unit') || is_long) {
  step(
    is_long ? 'long tests' : is_daily ? 'tests that the changes since main reach' : 'unit, API, sweep and device tests',
  )
  const report = join(reports, 'vitest.json')
  const options = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const code = await run(
    'node_modules/.bin/vitest',
    is_daily ? [...options, '--changed', 'main', '--passWithNoTests'] : options,
    is_long ? { MDM_TEST_LONG: '1' } : {},
  )
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
  for (const file of files) {
    if (file.status === 'failed' && file.assertionResults.length === 0) failures.push([file.name, file.message])
    for (const test of file.assertionResults)
      if (test.status === 'failed') failures.push([`${file.name} > ${test.fullName}`, test.failureMessages.join('\n')])
  }
  // A file that cannot even load counts no failed test of its own.
  add(passed, failed === 0 && code !== 0 ? Math.max(1, brokenFiles) : failed, skipped)
}

if (wants('browser')) {
  const chromium = await findChromium()
  if (chromium) {
    step(`browser tests in ${chromium}`)
    const report = join(reports, 'playwright.json')
    const code = await run('node_modules/.bin/playwright', ['test'], {
      MDM_TEST_CHROMIUM: chromium,
      PLAYWRIGHT_JSON_OUTPUT_NAME: report,
    })
    const { stats, suites } = read(report, {
      stats: { expected: 0, unexpected: 1, flaky: 0, skipped: 0 },
      suites: [],
    })
    collect(suites)
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
for (const [test, why] of failures) console.log(`\nFAILED ${test.replace(`${root}/`, '')}\n${why.slice(0, 2_000)}`)
console.log(`\n${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`)
process.exitCode = totals.failed || totals.passed === 0 ? 1 : 0

function read(file, otherwise) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return otherwise
  }
}

/** Failed browser tests of Playwright's report, whose suites nest: file, describe. */
function collect(suites) {
  for (const suite of suites) {
    collect(suite.suites ?? [])
    for (const spec of suite.specs)
      if (!spec.ok)
        failures.push([
          `${spec.file} > ${spec.title}`,
          spec.tests
            .flatMap((test) => test.results.flatMap((result) => result.errors.map((error) => error.message)))
            .join('\n'),
        ])
  }
}
