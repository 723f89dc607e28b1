import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { mutation } from './tools/mutations.ts'
import { patience_ms } from './tools/patience.ts'

/**
 * `npm run test:long` runs what takes minutes by its nature (kills, the soak, plans over 100,000 rows), what every day runs on
 * the embedded database alone once more on PostgreSQL, and only that.
 */
const is_long = process.env['MDM_TEST_LONG'] === '1'
const of = (...folders: string[]) => folders.map((folder) => `${folder}/**/*${is_long ? '.long' : ''}.test.{ts,tsx}`)
/** Test files below a folder, by whether their text has one of these words. */
const having = (folder: string, words: RegExp, wanted = true) =>
  readdirSync(join(import.meta.dirname, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.test\.tsx?$/.test(name))
    .map((name) => `${folder}/${name}`)
    .filter((file) => words.test(readFileSync(join(import.meta.dirname, file), 'utf8')) === wanted)
/** They run on the `databases` of the server's testing/devices.ts. */
const on_databases = () => having('apps/server/src', /describe\.each\(databases\)/)
/** A document belongs to one file; what replaces modules must not find them read already. */
const needs_own_process = /@vitest-environment|vi\.mock\(/

export default defineConfig({
  plugins: mutation(),
  test: {
    globalSetup: 'tools/test-run.ts',
    pool: 'forks',
    // On two cores: two files keep a core and a half busy, as each waits for its database now and then. The long ones wait
    // most of their time.
    maxWorkers: is_long ? 4 : 3,
    // For a slow machine, too: what is done sooner costs nothing.
    testTimeout: is_long ? 900_000 : 240_000,
    hookTimeout: is_long ? 900_000 : 240_000,
    setupFiles: ['tools/test-patience.ts'],
    expect: { poll: { timeout: patience_ms } },
    exclude: ['**/node_modules/**', '**/dist/**', ...(is_long ? [] : ['**/*.long.test.ts'])],
    passWithNoTests: is_long,
    projects: [
      {
        extends: true,
        test: {
          name: 'system',
          include: [
            ...of('packages', 'apps/server', 'apps/agent', 'apps/terminal', 'testbed', 'tools', 'bench'),
            ...(is_long ? on_databases() : []),
          ],
          // Files share a process: what they import is read, and databases are opened, once for all of them.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'console',
          setupFiles: ['tools/test-patience-dom.ts'],
          include: of('apps/console'),
          exclude: having('apps/console/src', needs_own_process, false),
        },
      },
      {
        extends: true,
        test: {
          name: 'console-logic',
          include: of('apps/console'),
          exclude: having('apps/console/src', needs_own_process),
          isolate: false,
        },
      },
    ],
  },
})
