import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { asFailure } from '../body/failures.ts'
import { findOsTool, installOs, settleOs } from './os-tools.ts'
import type { OsToolName } from './os-tools.ts'

let folder: string
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'mdm-os-tools-'))))
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(() => vi.unstubAllEnvs())

/** Stands for a tool: writes down how it was called. */
function program(name: OsToolName, says: string, code: number): void {
  const text = `#!/bin/sh\necho "$@" >> ${folder}/called\necho '${says}' >&2\nexit ${code}\n`
  writeFileSync(join(folder, name), text, { mode: 0o755 })
  writeFileSync(join(folder, 'called'), '')
  vi.stubEnv('PATH', `${folder}:/bin`)
}
const called = () => readFileSync(join(folder, 'called'), 'utf8').trim().split('\n')
const failureOf = (work: Promise<void>) => work.then(() => undefined, asFailure)

test.each([
  ['rauc', 'install /x.raucb', 'status mark-good', 'status mark-bad'],
  ['mender', 'install /x.raucb', 'commit', 'rollback'],
] as const)('%s installs, keeps and leaves in its own words, and its failure is told', async (name, ...words) => {
  program(name, 'fine', 0)
  await installOs(name, '/x.raucb', {})
  await settleOs(name, 'keep')
  await settleOs(name, 'leave')
  expect(called()).toEqual(words)
  program(name, 'LastError: Signature size (0) exceeds bundle size', 1)
  expect(await failureOf(installOs(name, '/x.raucb', {}))).toMatchObject({
    code: 'os_failed',
    message: expect.stringContaining('LastError: Signature size'),
  })
  expect(await failureOf(settleOs(name, 'keep'))).toMatchObject({ code: 'os_failed' })
  program(name, 'write: No space left on device', 1)
  expect(await failureOf(installOs(name, '/x.raucb', {}))).toMatchObject({ code: 'no_space' })
})

test('SWUpdate counts where it is installed and knows whose images it takes, unless the owner chose otherwise', () => {
  program('swupdate', '', 0)
  const cert = join(folder, 'cert.pem')
  const rules = { os_tool: 'swupdate', swupdate_cert: cert } as const
  expect(findOsTool(rules)).toBeUndefined()
  writeFileSync(cert, 'certificate')
  expect(findOsTool(rules)).toBe('swupdate')
  expect([findOsTool({ ...rules, os_tool: 'none' }), findOsTool({ os_tool: 'swupdate' })]).toEqual([
    undefined,
    undefined,
  ])
})
