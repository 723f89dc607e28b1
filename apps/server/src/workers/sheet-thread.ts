import { Readable } from 'node:stream'
import { MessageChannel } from 'node:worker_threads'
import type { MessagePort, Worker } from 'node:worker_threads'
import type { Layout } from '../lib/office/write.ts'
import { ownThread } from '../lib/own-thread.ts'
import type { Rows } from './sheet.ts'
import type { FromWriter, ThreadFormat, ToThread, ToWriter } from './sheet-messages.ts'

const chunk_bytes = 65_536
/**
 * V8 collects earlier where it knows a bound. That of the old generation is far from what sheets take: V8 that meets it
 * while it reads a message ends the whole process, not the thread.
 */
const resourceLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 4 }

/** One for all sheets of this process, from the first of them on. */
let thread: Worker | undefined

function threadOfSheets(): Worker {
  if (thread) return thread
  const started = ownThread(import.meta.url, 'sheet-writer', { resourceLimits })
  const forget = () => {
    if (thread === started) thread = undefined
  }
  // Each of its sheets hears from its own port that it is gone. A thread that failed still takes a while to end.
  started.once('error', forget)
  started.once('exit', forget)
  started.unref()
  return (thread = started)
}

/** A file whose bytes are made in a thread, beginning when somebody reads: no request waits for it. */
export function writtenInThread(format: ThreadFormat, layout: Layout, rows: Rows): Readable {
  const source = rows[Symbol.asyncIterator]()
  let port: MessagePort | undefined
  const stream = new Readable({
    highWaterMark: chunk_bytes,
    read() {
      port ??= begin()
      tell({ kind: 'read' })
    },
    destroy(error, done) {
      port?.close()
      Promise.resolve(source.return?.()).then(
        () => done(error),
        (left: Error) => done(error ?? left),
      )
    },
  })
  const tell = (said: ToWriter): void => port?.postMessage(said)

  function begin(): MessagePort {
    const { port1, port2 } = new MessageChannel()
    port1.on('message', (said: FromWriter) => {
      if (said.kind === 'bytes') stream.push(said.bytes)
      else if (said.kind === 'end') stream.push(null)
      else if (said.kind === 'failed') stream.destroy(new Error(`a sheet was not written: ${said.message}`))
      else void give()
    })
    port1.on('close', () => stream.destroy(new Error('the thread that writes sheets ended')))
    threadOfSheets().postMessage({ format, layout, port: port2 } satisfies ToThread, [port2])
    return port1
  }

  async function give(): Promise<void> {
    try {
      const { done, value } = await source.next()
      tell({ kind: 'rows', rows: done ? undefined : value })
    } catch (error) {
      stream.destroy(error as Error)
    }
  }
  return stream
}
