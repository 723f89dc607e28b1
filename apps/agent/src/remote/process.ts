import { spawn } from 'node:child_process'
import type { ChildProcess, StdioOptions } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { Duplex } from 'node:stream'
import type { Readable, Writable } from 'node:stream'

/** Whether a file is there that this process may run. */
export function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Where a program is, of those that PATH leads to. */
export function programPath(program: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, program))
    .find(canRun)
}

/** A process in a session of its own that does not outlive this one, not even a killed one, where util-linux can see to that. */
export function spawnBound(
  [program = '', ...args]: readonly string[],
  options: { env?: NodeJS.ProcessEnv; cwd?: string; stdio: StdioOptions },
): ChildProcess {
  const binder = programPath('setpriv')
  return binder
    ? spawn(binder, ['--pdeathsig', 'KILL', '--', program, ...args], { ...options, detached: true })
    : spawn(program, args, { ...options, detached: true })
}

/** Ends all processes of a session: what was started in the background of a shell belongs to it. */
export async function endSession(session: number): Promise<void> {
  const pids = await readdir('/proc').catch(() => [])
  for (const pid of pids.filter((name) => /^\d+$/.test(name))) {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')
    // The name in brackets may hold anything; state, parent, group and session come after it.
    const [, , , its_session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (Number(its_session) !== session) continue
    try {
      process.kill(Number(pid), 'SIGKILL')
    } catch {
      // It has ended by itself meanwhile.
    }
  }
}

/** Both ends of a process as one stream. `end` is called once, when either side has ended; the stream is closed when it has. */
export function streamOf(
  child: ChildProcess,
  {
    outputs,
    end,
    write,
  }: { outputs: readonly Readable[]; end: () => Promise<unknown>; write?: (bytes: Buffer) => Buffer },
): Duplex {
  const input = child.stdin as Writable | null
  let ended: Promise<unknown> | undefined
  const finish = async () => (ended ??= end())
  const stream = new Duplex({
    read: () => outputs.forEach((output) => output.resume()),
    write(chunk: Buffer, _encoding, done) {
      if (!input?.writable || input.write(write ? write(chunk) : chunk)) done()
      else input.once('drain', () => done())
    },
    destroy(error, done) {
      void finish().then(() => done(error))
    },
  })
  input?.on('error', () => {})
  for (const output of outputs)
    output.on('data', (bytes: Buffer) => {
      if (!stream.push(bytes)) for (const each of outputs) each.pause()
    })
  child.on('error', (error) => {
    void finish()
    stream.destroy(error)
  })
  child.on('close', () => {
    void finish()
    stream.push(null)
  })
  // A process in the background may hold the output open after the shell itself has ended.
  child.on('exit', () => void finish())
  return stream
}
