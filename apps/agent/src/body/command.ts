import { spawn } from 'node:child_process'
import { TaskFailure } from './body.ts'

/** A command is a JSON array of strings, or words with spaces between. It never goes through a shell. */
export function parseCommand(text: string | undefined): string[] | undefined {
  const trimmed = text?.trim()
  if (!trimmed) return undefined
  if (!trimmed.startsWith('[')) return trimmed.split(/\s+/)
  let words: unknown
  try {
    words = JSON.parse(trimmed)
  } catch {
    throw new Error(`Not a JSON array: ${trimmed}`)
  }
  if (!Array.isArray(words) || words.length === 0 || words.some((word) => typeof word !== 'string'))
    throw new Error(`Not a JSON array of strings: ${trimmed}`)
  return words as string[]
}

export type Ran = { code: number | null; stdout: Buffer; stderr: string }

export type RunOptions = {
  timeout_ms: number
  signal?: AbortSignal
  env?: Record<string, string>
  stdin?: string
  max_bytes?: number
  cwd?: string
}

/**
 * Runs a program for at most `timeout_ms` and `max_bytes` of output. `env` adds to the environment: values that come
 * from the server travel there or on stdin, never as options. Throws TaskFailure when it cannot be started or is too slow.
 */
export function runCommand([program, ...args]: string[], options: RunOptions): Promise<Ran> {
  const { max_bytes = 1_048_576 } = options
  return new Promise((resolve, reject) => {
    if (options.signal?.aborted) return reject(options.signal.reason)
    // An environment cannot carry NUL.
    const extra = Object.entries(options.env ?? {}).map(([name, value]) => [name, value.replaceAll('\0', '')])
    const env = { ...process.env, ...(Object.fromEntries(extra) as Record<string, string>) }
    const child = spawn(program ?? '', args, { env, cwd: options.cwd, stdio: ['pipe', 'pipe', 'pipe'] })
    const stdout: Buffer[] = []
    const stderr: Buffer[] = []
    let size = 0
    let failure: unknown
    const give_up = (reason: unknown) => {
      failure ??= reason
      child.kill('SIGKILL')
    }
    const timer = setTimeout(
      () => give_up(new TaskFailure('command_timeout', `${program} took longer than ${options.timeout_ms / 1000} s`)),
      options.timeout_ms,
    )
    const abort = () => give_up(options.signal?.reason)
    options.signal?.addEventListener('abort', abort, { once: true })
    const collect = (into: Buffer[]) => (chunk: Buffer) => {
      size += chunk.length
      if (size > max_bytes) give_up(new TaskFailure('command_output', `${program} wrote more than ${max_bytes} bytes`))
      else into.push(chunk)
    }
    child.stdout.on('data', collect(stdout))
    child.stderr.on('data', collect(stderr))
    // A program that does not read its input is no fault.
    child.stdin.on('error', () => {})
    child.stdin.end(options.stdin ?? '')
    const settle = (run: () => void) => {
      clearTimeout(timer)
      options.signal?.removeEventListener('abort', abort)
      run()
    }
    child.on('error', (error) =>
      settle(() => reject(failure ?? new TaskFailure('command_failed', `${program}: ${error.message}`))),
    )
    child.on('close', (code) =>
      settle(() => {
        if (failure !== undefined) reject(failure)
        else resolve({ code, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString('utf8') })
      }),
    )
  })
}
