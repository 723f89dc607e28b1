import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { WorkerOptions } from 'node:worker_threads'
import { ownProgram } from './own-program.ts'

/** A thread of this server; `beside` and `name` are as for ownProgram. */
export function ownThread(beside: string, name: string, options: WorkerOptions = {}): Worker {
  const { path, is_source } = ownProgram(beside, name)
  // What the process was started with (a script of its own, say) is not the thread's.
  if (!is_source) return new Worker(path, { ...options, execArgv: [] })
  const loader = pathToFileURL(
    createRequire(import.meta.url)
      .resolve('tsx/esm/api')
      .replace(/\.cjs$/, '.mjs'),
  ).href
  const source = pathToFileURL(path).href
  const boot = `import(${JSON.stringify(loader)}).then(({ register }) => { register(); return import(${JSON.stringify(source)}) })`
  return new Worker(boot, { ...options, eval: true, execArgv: [] })
}
