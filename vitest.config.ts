import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/**
 * `npm run test:long` runs what takes minutes by its nature (kills, the soak, plans over 100,000 rows), what every day runs on
 * the embedded database alone once more on PostgreSQL, and only that.
 */
const is_long = process.env['MDM_TEST_LONG'] === '1'
const of = (...folders: string[]) => folders.map((folder) => `${folder}/**/*${is_long ? '.long' : ''}.test.{ts,tsx}`)
const server = 'apps/server/src'
/** They run on the `databases` of the server's testing/devices.ts. */
const on_databases = () =>
  readdirSync(join(import.meta.dirname, server), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `${server}/${name}`)
    .filter((file) => readFileSync(join(import.meta.dirname, file), 'utf8').includes('describe.each(databases)'))

export default defineConfig({
  test: {
    globalSetup: 'tools/test-run.ts',
    pool: 'forks',
    // Two cores: more files at once only make each other late. The long ones wait most of their time.
    maxWorkers: is_long ? 3 : 2,
    testTimeout: 90_000,
    hookTimeout: 120_000,
    exclude: ['**/node_modules/**', '**/dist/**', ...(is_long ? [] : ['**/*.long.test.ts'])],
    passWithNoTests: is_long,
    projects: [
      {
        extends: true,
        test: {
          name: 'system',
          include: [
            ...of('packages', 'apps/server', 'apps/agent', 'testbed', 'tools'),
            ...(is_long ? on_databases() : []),
          ],
          // Files share a process: what they import is read, and databases are opened, once for all of them.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'console', include: of('apps/console') } },
    ],
  },
})
