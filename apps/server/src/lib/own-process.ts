import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * A process of this server that reads what strangers send. `beside` is the `import.meta.url` of whoever starts it, `name`
 * that of its entry: beside the bundle in production; the source itself, through tsx, everywhere else.
 */
export function ownProcess(beside: string, name: string, more: { execArgv?: string[]; is_silent?: boolean } = {}) {
  const { execArgv = [], is_silent = false } = more
  const bundled = fileURLToPath(new URL(`./${name}.js`, beside))
  const is_bundle = existsSync(bundled)
  const output = is_silent ? 'ignore' : 'inherit'
  return fork(is_bundle ? bundled : fileURLToPath(new URL(`./${name}.ts`, beside)), {
    serialization: 'advanced',
    execArgv: [...execArgv, ...(is_bundle ? ['--enable-source-maps'] : ['--import', import.meta.resolve('tsx')])],
    env: environment(),
    stdio: ['ignore', output, output, 'ipc'],
  }) satisfies ChildProcess
}

/** What reads hostile bytes is not told the server's secrets. */
const environment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    ['PATH', 'HOME', 'TMPDIR', 'TZ', 'NODE_ENV', 'NODE_OPTIONS'].flatMap((name) =>
      process.env[name] === undefined ? [] : [[name, process.env[name]]],
    ),
  )
