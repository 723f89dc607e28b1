import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { postgres_missing } from '../apps/server/src/testing/postgres.ts'
import { mutations } from './mutations.ts'

type Report = { testResults: { assertionResults: { fullName: string; status: string }[] }[] }

/** The tests of a mutation that failed, run with it as every day. */
async function failing(at: number): Promise<string[]> {
  const { test: file } = mutations[at]!
  const folder = await mkdtemp(join(tmpdir(), 'mdm-mutation-'))
  const report = join(folder, 'report.json')
  const args = ['run', file, '--reporter=json', `--outputFile=${report}`]
  const { MDM_TEST_LONG: _, ...env } = process.env
  const child = spawn('node_modules/.bin/vitest', args, {
    cwd: join(import.meta.dirname, '..'),
    env: { ...env, MDM_TEST_MUTATION: String(at) },
    stdio: 'ignore',
  })
  await new Promise((resolve) => child.on('exit', resolve))
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report
  await rm(folder, { recursive: true })
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
  return tests.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName)
}

test.for(mutations.map((mutation, at) => ({ ...mutation, at })))(
  '$mistake: a test finds it',
  async (each, { skip }) => {
    if (each.finds.includes('postgres') && postgres_missing) skip(postgres_missing)
    expect(await failing(each.at)).toContainEqual(expect.stringContaining(each.finds))
  },
)
