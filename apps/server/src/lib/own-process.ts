import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { ownProgramArgs } from './own-program.ts'

/** A process of this server that reads what strangers send; `beside` and `name` are as for ownProgram. */
export function ownProcess(beside: string, name: string, more: { execArgv?: string[]; is_silent?: boolean } = {}) {
  const { execArgv = [], is_silent = false } = more
  const args = ownProgramArgs(beside, name)
  const output = is_silent ? 'ignore' : 'inherit'
  return fork(args.at(-1)!, {
    serialization: 'advanced',
    execArgv: [...execArgv, ...args.slice(0, -1)],
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
