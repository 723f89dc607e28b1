// Writes workbooks and PDFs, many at once, each as fast as it is read and no faster: what waits holds a few chunks.
import { parentPort } from 'node:worker_threads'
import { ReadableStream } from 'node:stream/web'
import type { MessagePort } from 'node:worker_threads'
import { writeXlsx } from '../lib/office/write.ts'
import type { Rows } from './sheet.ts'
import type { FromWriter, ToThread, ToWriter } from './sheet-messages.ts'

parentPort!.on('message', ({ format, layout, port }: ToThread) => serve(format, layout, port))

function serve(format: ToThread['format'], layout: ToThread['layout'], port: MessagePort): void {
  const { rows, receive, stop } = rowsFrom(port)
  const written = format === 'pdf' ? ReadableStream.from(pdf(layout, rows)) : writeXlsx(layout, rows)
  const reader = written.getReader()
  port.on('message', (said: ToWriter) => {
    if (said.kind === 'rows') receive(said.rows)
    else void answer()
  })
  port.on('close', () => {
    stop()
    reader.cancel().catch(() => {})
  })

  async function answer(): Promise<void> {
    try {
      const { done, value } = await reader.read()
      if (done) return tell(port, { kind: 'end' })
      // A copy of its own: zlib goes on writing into the buffer that this is a part of.
      const bytes = new Uint8Array(value)
      port.postMessage({ kind: 'bytes', bytes } satisfies FromWriter, [bytes.buffer])
    } catch (error) {
      tell(port, { kind: 'failed', message: String(error) })
    }
  }
}

/** The library and its font are loaded for the first file of that kind. */
async function* pdf(layout: ToThread['layout'], rows: Rows): AsyncGenerator<Uint8Array> {
  const { writePdf } = await import('../lib/office/pdf.ts')
  yield* writePdf(layout, rows)
}

const tell = (port: MessagePort, said: FromWriter): void => port.postMessage(said)

type Batch = Extract<ToWriter, { kind: 'rows' }>['rows']

/** Rows of the other side, asked for batch by batch. After `stop` whoever waits for them is told so. */
function rowsFrom(port: MessagePort): { rows: Rows; receive(batch: Batch): void; stop(): void } {
  let waiting: { resolve(batch: Batch): void; reject(error: Error): void } | undefined
  async function* rows() {
    for (;;) {
      const batch = await new Promise<Batch>((resolve, reject) => {
        waiting = { resolve, reject }
        tell(port, { kind: 'more_rows' })
      })
      if (!batch) return
      yield batch
    }
  }
  return {
    rows: rows(),
    receive: (batch) => waiting?.resolve(batch),
    stop: () => waiting?.reject(new Error('nobody reads the sheet any more')),
  }
}
