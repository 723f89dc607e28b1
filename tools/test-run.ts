import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundle, programs } from '../apps/server/bundle.mjs'

/** Programs that only tests start. */
const test_programs = {
  ...programs,
  'stuck-reader': 'apps/server/src/testing/stuck-reader.ts',
  'slot-writer': 'apps/agent/src/testing/slot-writer.ts',
  'shell-opener': 'apps/agent/src/testing/shell-opener.ts',
  main: 'apps/server/src/main.ts',
  'server-process': 'testbed/src/reliability/server-process.ts',
}
const prefix = 'mdm-run-'

/**
 * Gives a run of the tests a folder for all that is temporary. Whatever test files leave there, and servers that they
 * share until the end, go with it; processes of the runner are ended too quickly to tidy up by themselves. What the server starts as
 * processes and threads is bundled once for the run: through tsx each start takes seconds.
 */
export default async function setup(): Promise<() => void> {
  const before = process.env['TMPDIR']
  // Asked for each project of a run: the first one's is for all.
  if (before !== undefined && basename(before).startsWith(prefix)) return () => {}
  const folder = mkdtempSync(join(tmpdir(), prefix))
  // PostgreSQL, which is another user, has its files below.
  chmodSync(folder, 0o711)
  process.env['TMPDIR'] = folder
  // Where Node finds the packages that are not bundled.
  const bundled = fileURLToPath(new URL(`../node_modules/.cache/${basename(folder)}`, import.meta.url))
  await bundle(test_programs, bundled)
  process.env['MDM_TEST_PROGRAMS'] = bundled
  return () => {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
    for (const pid of postgresIn(folder)) process.kill(pid, 'SIGQUIT')
    for (const path of [folder, bundled])
      rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
}

function postgresIn(folder: string): number[] {
  return readdirSync(folder).flatMap((name) => {
    try {
      const pid = Number(readFileSync(join(folder, name, 'data/postmaster.pid'), 'utf8').split('\n', 1)[0])
      return process.kill(pid, 0) ? [pid] : []
    } catch {
      return []
    }
  })
}
