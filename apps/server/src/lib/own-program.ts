import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * The file that a process or thread of this server starts with. `beside` is the `import.meta.url` of the caller, `name` that of
 * its entry: beside the bundle in production; in the folder where a run of the tests has bundled them, because compiling takes
 * each start seconds; the source itself, which needs tsx, everywhere else.
 */
export function ownProgram(beside: string, name: string): { path: string; is_source: boolean } {
  const near = (path: string) => fileURLToPath(new URL(path, beside))
  if (!beside.endsWith('.ts')) return { path: near(`./${name}.js`), is_source: false }
  const of_tests = process.env['MDM_TEST_PROGRAMS']
  const bundled = of_tests === undefined ? undefined : join(of_tests, `${basename(name)}.js`)
  return bundled !== undefined && existsSync(bundled)
    ? { path: bundled, is_source: false }
    : { path: near(`./${name}.ts`), is_source: true }
}

/** What Node is started with to run such a program. */
export function ownProgramArgs(beside: string, name: string): string[] {
  const { path, is_source } = ownProgram(beside, name)
  return [...(is_source ? ['--import', import.meta.resolve('tsx')] : ['--enable-source-maps']), path]
}
