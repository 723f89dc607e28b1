import { Worker } from 'node:worker_threads'
import { Refusal } from '../refusal.ts'
import type { ByteSource } from '../lib/apk/source.ts'
import type { FromReader, TaskLimits, ToReader } from './reader-messages.ts'

type AnyTask = (source: ByteSource, input: never) => Promise<unknown>
type Task = Extract<ToReader, { kind: 'task' }>

/** Carries out the one task that this process was started for. It ends when its parent ends it, or is gone. */
export function serveTask(tasks: Record<string, AnyTask>): void {
  const waiting = new Map<number, { resolve(bytes: Buffer): void; reject(error: Error): void }>()
  const say = (said: FromReader): void => void process.send?.(said, () => {})

  async function work({ name, input, size, limits }: Task): Promise<void> {
    let asked = 0
    const source: ByteSource = {
      size,
      read: (start, length) =>
        new Promise((resolve, reject) => {
          // What it does before is to load its own code.
          if (asked === 0) watchOver(limits)
          waiting.set((asked += 1), { resolve, reject })
          say({ kind: 'read', id: asked, start, length })
        }),
    }
    try {
      say({ kind: 'done', value: await tasks[name]!(source, input as never) })
    } catch (error) {
      if (error instanceof Refusal) say({ kind: 'refused', refusal: error.refusal, details: error.details })
      else say({ kind: 'broken', stack: String((error as Error).stack) })
    }
  }

  process.on('disconnect', () => process.exit())
  process.on('message', (said: ToReader) => {
    if (said.kind === 'task') return void work(said)
    const read = waiting.get(said.id)
    waiting.delete(said.id)
    if (said.kind === 'no_bytes') read?.reject(new Error(said.message))
    else read?.resolve(Buffer.from(said.bytes.buffer, said.bytes.byteOffset, said.bytes.length))
  })
}

/**
 * Ends this process when it uses too much. A thread of its own looks: the reader may never come back to ask, and what it
 * takes beside V8's heap is seen by nobody else.
 */
export function watchOver({ cpu_ms, mebibytes }: Omit<TaskLimits, 'clock_ms'>): void {
  const { user, system } = process.cpuUsage()
  const workerData = {
    cpu_us: user + system + cpu_ms * 1000,
    bytes: process.memoryUsage.rss() + mebibytes * 1024 ** 2,
  }
  const look = `
    const { cpu_us, bytes } = require('node:worker_threads').workerData
    setInterval(() => {
      const { user, system } = process.cpuUsage()
      if (user + system > cpu_us || process.memoryUsage.rss() > bytes) process.kill(process.pid, 'SIGKILL')
    }, 20)`
  new Worker(look, { eval: true, workerData, execArgv: [] }).unref()
}
