import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { WorkerOptions } from 'node:worker_threads'

/**
 * A thread of this server. `beside` is the `import.meta.url` of whoever starts it, `name` that of its entry: beside the
 * bundle in production; the source itself, through tsx's loader, everywhere else.
 */
export function ownThread(beside: string, name: string, options: WorkerOptions = {}): Worker {
  if (!beside.endsWith('.ts')) return new Worker(new URL(`./${name}.js`, beside), options)
  const loader = pathToFileURL(
    createRequire(import.meta.url)
      .resolve('tsx/esm/api')
      .replace(/\.cjs$/, '.mjs'),
  ).href
  const source = new URL(`./${name}.ts`, beside).href
  const boot = `import(${JSON.stringify(loader)}).then(({ register }) => { register(); return import(${JSON.stringify(source)}) })`
  return new Worker(boot, { ...options, eval: true, execArgv: [] })
}
