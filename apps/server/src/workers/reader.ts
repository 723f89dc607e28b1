import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { Refusal } from '../refusal.ts'
import type { ByteSource } from '../lib/apk/source.ts'
import type { FromReader, TaskLimits, ToReader } from './reader-messages.ts'
import { read_bytes_max } from './reader-messages.ts'

export type Ended =
  | { kind: 'done'; value: unknown }
  /** `stack` of what no reader should throw. */
  | { kind: 'broken'; stack: string }
  /** It used more than it may. */
  | { kind: 'killed' }
  /** It could not be started. */
  | { kind: 'not_begun' }

export type Asked = { name: string; input: unknown; source: ByteSource; limits: TaskLimits }

const start_ms = 60_000
/** Less than everything else the machine has to do. */
const priority = 10

/**
 * Has a process that was started for this carry out one task, and ends it, also when it has answered. Throws the refusal
 * of the task, and the reason of `signal` once that is aborted.
 */
export async function carryOut(child: ChildProcess, asked: Asked, signal?: AbortSignal): Promise<Ended> {
  const gone = once(child, 'exit')
  gone.catch(() => {})
  const kill = () => void child.kill('SIGKILL')
  signal?.addEventListener('abort', kill)
  let clock = setTimeout(kill, start_ms)
  /** Its code is loaded by the time it asks for the first bytes: from here on it is the file that costs. */
  let has_begun = false
  try {
    signal?.throwIfAborted()
    // From its start on: to load its code is the most that a small file costs.
    lowerPriority(child)
    const { name, input, source, limits } = asked
    const answer = await new Promise<FromReader | undefined>((resolve, reject) => {
      child.once('error', () => resolve(undefined))
      child.once('exit', () => resolve(undefined))
      child.on('message', (said: FromReader) => {
        if (said.kind !== 'read') return resolve(said)
        if (!has_begun) {
          has_begun = true
          clearTimeout(clock)
          clock = setTimeout(kill, limits.clock_ms)
        }
        read(source, said).then((bytes) => tell(child, bytes), reject)
      })
      tell(child, { kind: 'task', name, input, size: source.size, limits })
    })
    signal?.throwIfAborted()
    if (answer?.kind === 'refused') throw new Refusal(answer.refusal, answer.details)
    if (answer?.kind === 'done' || answer?.kind === 'broken') return answer
    return { kind: has_begun ? 'killed' : 'not_begun' }
  } finally {
    clearTimeout(clock)
    signal?.removeEventListener('abort', kill)
    kill()
    // Its memory is free again before another begins.
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) await gone
  }
}

const tell = (child: ChildProcess, said: ToReader): void => {
  if (child.connected) child.send(said, () => {})
}

async function read(
  source: ByteSource,
  { id, start, length }: Extract<FromReader, { kind: 'read' }>,
): Promise<ToReader> {
  if (length > read_bytes_max) return { kind: 'no_bytes', id, message: 'more than may be read at once' }
  return { kind: 'bytes', id, bytes: await source.read(start, length) }
}

function lowerPriority({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, priority)
  } catch {
    // Some systems forbid it; the reader is still only one process of many.
  }
}
