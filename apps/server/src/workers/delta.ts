import { once } from 'node:events'
import type { Deps } from '../deps.ts'
import type { DeltaFacts, Making } from '../lib/os-delta/make.ts'
import { ownProcess } from '../lib/own-process.ts'
import { refuse } from '../refusal.ts'
import type { FromDeltaMaker, ToDeltaMaker } from './delta-messages.ts'

const heap_mebibytes = 256
/** Tables of the packer, a piece with its dictionary, and what zstd holds of both. */
const mebibytes = 640
/** Of a processor, for each MiB of both packages: far more than they take that are packed well. */
const cpu_ms_of_mebibyte = 30_000
const silent_ms = 600_000

type Asked = Omit<Making, 'on_progress'> & { bytes: number; on_progress(percent: number): void; signal: AbortSignal }

/**
 * Makes a difference in a process of its own. Throws the refusals of packages that cannot be read, and the reason of `signal` once that is
 * aborted; the process is gone by then.
 */
export async function deltaInProcess(deps: Deps, { signal, bytes, on_progress, ...paths }: Asked): Promise<DeltaFacts> {
  signal.throwIfAborted()
  const child = ownProcess(import.meta.url, 'delta-maker', {
    execArgv: [`--max-old-space-size=${heap_mebibytes}`],
    is_silent: true,
  })
  const gone = once(child, 'exit')
  gone.catch(() => {})
  const kill = () => void child.kill('SIGKILL')
  signal.addEventListener('abort', kill)
  let silent = setTimeout(kill, silent_ms)
  try {
    const limits = { cpu_ms: 60_000 + Math.ceil(bytes / 1024 ** 2) * cpu_ms_of_mebibyte, mebibytes }
    const answer = await new Promise<FromDeltaMaker | undefined>((resolve) => {
      child.once('error', () => resolve(undefined))
      child.once('exit', () => resolve(undefined))
      child.on('message', (said: FromDeltaMaker) => {
        if (said.kind !== 'progress') return resolve(said)
        clearTimeout(silent)
        silent = setTimeout(kill, silent_ms)
        on_progress(said.percent)
      })
      child.send({ ...paths, limits } satisfies ToDeltaMaker, () => {})
    })
    signal.throwIfAborted()
    if (answer?.kind === 'done') return answer.facts
    deps.log.warn({ ...answer, bytes }, 'a difference was not made')
    if (answer?.kind === 'invalid')
      return refuse(answer.reason === 'beyond_limits' ? 'os_delta_beyond_limits' : 'os_delta_failed')
    if (answer?.kind === 'broken' && answer.code === 'ENOSPC') return refuse('disk_full')
    return refuse(answer ? 'os_delta_failed' : 'os_delta_beyond_limits')
  } finally {
    clearTimeout(silent)
    signal.removeEventListener('abort', kill)
    kill()
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) await gone
  }
}
