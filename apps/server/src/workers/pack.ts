import { once } from 'node:events'
import { setPriority } from 'node:os'
import { basename, dirname } from 'node:path'
import type { Deps } from '../deps.ts'
import type { Layers, LayersDone } from '../lib/os-layers.ts'
import { ownProcess } from '../lib/own-process.ts'
import { refuse } from '../refusal.ts'
import type { FromPacker, ToPacker } from './packer-messages.ts'
import { os_refusals } from './tasks.ts'

/** Deflating a gigabyte takes about a minute of a processor; memory does not grow with what is packed. */
const limits = { cpu_ms: 60 * 60_000, mebibytes: 192, clock_ms: 4 * 60 * 60_000 }
const heap_mebibytes = 192
/** Less than everything else the machine has to do. */
const priority = 10

type Watching = { signal: AbortSignal; on_progress: (done: number, total: number) => void }

/**
 * Packs an OS in a process of its own, which ends with its answer, with this server, or when `signal` is aborted.
 * Throws the refusal of what does not fit together, and the reason of the signal.
 */
export async function packInProcess(
  deps: Deps,
  layers: Layers,
  { signal, on_progress }: Watching,
): Promise<LayersDone> {
  signal.throwIfAborted()
  const child = ownProcess(import.meta.url, 'packer', { execArgv: [`--max-old-space-size=${heap_mebibytes}`] })
  const gone = once(child, 'exit')
  gone.catch(() => {})
  const kill = () => void child.kill('SIGKILL')
  signal.addEventListener('abort', kill)
  const clock = setTimeout(kill, limits.clock_ms)
  try {
    if (child.pid !== undefined) lowerPriority(child.pid)
    const answer = await new Promise<FromPacker | undefined>((resolve) => {
      child.once('error', () => resolve(undefined))
      child.once('exit', () => resolve(undefined))
      child.on('message', (said: FromPacker) => {
        if (said.kind === 'progress') on_progress(said.done, said.total)
        else resolve(said)
      })
      child.send({ layers, limits } satisfies ToPacker, () => {})
    })
    signal.throwIfAborted()
    if (answer?.kind === 'done') return answer.value
    if (answer?.kind === 'conflict') return refuse('os_build_conflict', { name: answer.name })
    if (answer?.kind === 'refused') return refuse(os_refusals[answer.reason])
    if (answer?.kind === 'disk_full') return refuse('disk_full')
    deps.log.warn({ build: basename(dirname(layers.target)), answer: answer ?? 'killed' }, 'an OS was not packed')
    return refuse(answer ? 'os_build_broken' : 'os_package_beyond_limits')
  } finally {
    clearTimeout(clock)
    signal.removeEventListener('abort', kill)
    kill()
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) await gone
  }
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, priority)
  } catch {
    // Some systems forbid it; it is still only one process of many.
  }
}
