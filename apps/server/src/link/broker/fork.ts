import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The broker's process alone: it loads while its server still opens the database, and waits to be told where to listen. */
export const forkBroker = (): ChildProcess =>
  fork(entry(), {
    serialization: 'advanced',
    execArgv: execArguments(),
    env: environment(),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })

/** What reads hostile bytes is not told the server's secrets. */
const environment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    ['PATH', 'HOME', 'TMPDIR', 'TZ', 'NODE_ENV', 'NODE_OPTIONS'].flatMap((name) =>
      process.env[name] === undefined ? [] : [[name, process.env[name]]],
    ),
  )

/** Beside the bundle in production; the source itself, through tsx, everywhere else. */
const bundled = (): string => fileURLToPath(new URL('./broker-process.js', import.meta.url))
const entry = (): string =>
  existsSync(bundled()) ? bundled() : fileURLToPath(new URL('./broker-process.ts', import.meta.url))
const execArguments = (): string[] =>
  existsSync(bundled()) ? ['--enable-source-maps'] : ['--import', import.meta.resolve('tsx')]
