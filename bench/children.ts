import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { start, treePids } from './processes.ts'
import type { Running } from './processes.ts'

const bundled = fileURLToPath(new URL('../apps/server/dist', import.meta.url))
const collector = fileURLToPath(new URL('./collect-garbage.mjs', import.meta.url))

/**
 * Starts one of bench's own processes from its source. What a server starts further is the bundle, as in production: to
 * compile a program first costs more than what it is measured for. `collects`: it and those below it obey collectGarbage.
 */
export const startSource = (file: string, env: Record<string, string> = {}, { collects = false } = {}): Running =>
  start(['--import', 'tsx', `bench/${file}`], {
    MDM_TEST_PROGRAMS: bundled,
    ...env,
    ...(collects ? { NODE_OPTIONS: `--import ${collector}` } : {}),
  })

/** The next message of a process. Throws when it ends instead. */
export async function reply<T>({ child }: Running): Promise<T> {
  const over = new AbortController()
  const options = { signal: over.signal }
  const ended = once(child, 'exit', options).then(() => {
    throw new Error('a process of the measurement ended')
  })
  ended.catch(() => {})
  try {
    const [message] = (await Promise.race([once(child, 'message', options), ended])) as [T]
    return message
  } finally {
    over.abort()
  }
}
export async function tell<T>(process: Running, order: object): Promise<T> {
  const answer = reply<T>(process)
  process.child.send(order)
  return answer
}

/** What is left after this is what the processes keep. */
export async function collectGarbage({ pid }: Running): Promise<void> {
  for (const one of treePids(pid)) if (isNode(one)) process.kill(one, 'SIGUSR2')
  await new Promise((resolve) => setTimeout(resolve, 2_000))
}
/** tsx keeps a compiler of another make beside it. */
const isNode = (pid: number): boolean => /^(node|MainThread)$/.test(readFileSync(`/proc/${pid}/comm`, 'utf8').trim())
