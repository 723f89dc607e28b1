import { defineConfig } from 'vitest/config'

const of = (...folders: string[]) => folders.map((folder) => `${folder}/**/*.test.{ts,tsx}`)

export default defineConfig({
  test: {
    globalSetup: 'tools/test-run.ts',
    pool: 'forks',
    // Two cores: more files at once only make each other late.
    maxWorkers: 2,
    testTimeout: 90_000,
    hookTimeout: 120_000,
    exclude: ['**/node_modules/**', '**/dist/**'],
    projects: [
      {
        extends: true,
        test: {
          name: 'system',
          include: of('packages', 'apps/server', 'apps/agent', 'testbed', 'tools'),
          // Files share a process: what they import is read, and databases are opened, once for all of them.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'console', include: of('apps/console') } },
    ],
  },
})
