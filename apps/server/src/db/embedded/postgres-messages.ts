/** The few messages of PostgreSQL's frontend/backend protocol 3.0 that the embedded database needs to see. */

const text_of_status = { I: 'idle', T: 'transaction', E: 'failed' } as const
export type TransactionStatus = (typeof text_of_status)[keyof typeof text_of_status]

export const tag = {
  query: 81,
  parse: 80,
  sync: 83,
  flush: 72,
  terminate: 88,
  copy_data: 100,
  copy_done: 99,
  copy_fail: 102,
}
const ready_for_query = 90
const notification = 65

export function message(type: string, body: Uint8Array): Buffer {
  const head = Buffer.alloc(5)
  head.write(type, 'latin1')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

export const simpleQuery = (sql: string) => new Uint8Array(message('Q', Buffer.from(`${sql}\0`)))
export const sync_message = new Uint8Array(message('S', Buffer.alloc(0)))

/** What a client gets for its start-up message: authenticated, parameters, key, idle. */
export function startupReply(connection_id: number, parameters: Record<string, string>): Uint8Array {
  const key = Buffer.alloc(8)
  key.writeInt32BE(connection_id, 0)
  return new Uint8Array(
    Buffer.concat([
      message('R', Buffer.alloc(4)),
      ...Object.entries(parameters).map(([name, value]) => message('S', Buffer.from(`${name}\0${value}\0`))),
      message('K', key),
      message('Z', Buffer.from('I')),
    ]),
  )
}

export type Answer = { status: TransactionStatus | undefined; status_at: number; notifications: Uint8Array[] }

/** Walks an answer of the backend. `status` is undefined when it does not end with ReadyForQuery. */
export function readAnswer(bytes: Uint8Array): Answer {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const answer: Answer = { status: undefined, status_at: -1, notifications: [] }
  for (let at = 0; at + 5 <= buffer.length;) {
    const length = buffer.readInt32BE(at + 1) + 1
    const type = buffer[at]
    if (type === ready_for_query) {
      answer.status = text_of_status[String.fromCharCode(buffer[at + 5] ?? 0) as keyof typeof text_of_status]
      answer.status_at = at
    } else if (type === notification) answer.notifications.push(new Uint8Array(buffer.subarray(at, at + length)))
    at += length
  }
  return answer
}

export type Batch = {
  bytes: Uint8Array
  ends: 'query' | 'sync' | 'flush'
  statements: { name: string; text: string }[]
}

/** Cuts what has arrived into batches that the backend can answer at once; `rest` is an unfinished batch. */
export function cutBatches(buffer: Buffer): { batches: Batch[]; rest: Buffer; is_terminated: boolean } {
  const batches: Batch[] = []
  let start = 0
  let at = 0
  let statements: Batch['statements'] = []
  while (at + 5 <= buffer.length) {
    const type = buffer[at] ?? 0
    const length = buffer.readInt32BE(at + 1) + 1
    if (at + length > buffer.length) break
    const body = buffer.subarray(at + 5, at + length)
    at += length
    if (type === tag.terminate) return { batches, rest: Buffer.alloc(0), is_terminated: true }
    if (type === tag.query) statements.push({ name: '', text: textTo(body, 0) })
    if (type === tag.parse) {
      const name = textTo(body, 0)
      statements.push({ name, text: textTo(body, Buffer.byteLength(name) + 1) })
    }
    const ends = type === tag.query ? 'query' : type === tag.sync ? 'sync' : type === tag.flush ? 'flush' : undefined
    if (!ends) continue
    batches.push({ bytes: new Uint8Array(buffer.subarray(start, at)), ends, statements })
    statements = []
    start = at
  }
  return { batches, rest: buffer.subarray(start), is_terminated: false }
}

function textTo(body: Buffer, from: number): string {
  const end = body.indexOf(0, from)
  return body.toString('utf8', from, end < 0 ? body.length : end)
}
