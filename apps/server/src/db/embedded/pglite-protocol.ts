import type { MessagePort } from 'node:worker_threads'

/** What the main thread and the worker of the embedded database say to each other. */
export type WorkerOptions = {
  cluster_dir: string
  /** A dumpDataDir tarball to start a new cluster from; initdb without it. */
  image: string | undefined
  /** A transaction that says nothing for so long is rolled back. */
  idle_transaction_ms: number
  state: SharedArrayBuffer
}
export type ToWorker =
  | { kind: 'connect'; id: number; port: MessagePort }
  /** No transaction that begins from then on may write. */
  | { kind: 'read_only'; is_on: boolean }
  | { kind: 'close' }
export type FromWorker =
  { kind: 'ready' } | { kind: 'failed'; message: string } | { kind: 'read_only'; is_on: boolean } | { kind: 'closed' }
/** null: the client is gone. */
export type ToPort = Uint8Array | null
export type FromPort = Uint8Array | { code: string; message: string }

const text_bytes = 600

/**
 * The worker cannot answer while WebAssembly runs, so what it runs is written where the main thread can read it:
 * since when (process.hrtime, 0 when nothing runs), who owns the session, and the statement's text without parameters.
 */
export class RunningStatement {
  readonly shared: SharedArrayBuffer
  readonly #numbers: BigInt64Array
  readonly #text: Uint8Array
  constructor(shared = new SharedArrayBuffer(32 + text_bytes)) {
    this.shared = shared
    this.#numbers = new BigInt64Array(shared, 0, 4)
    this.#text = new Uint8Array(shared, 32, text_bytes)
  }
  begin(text: string) {
    const bytes = Buffer.from(text.slice(0, text_bytes / 3))
    this.#text.set(bytes)
    Atomics.store(this.#numbers, 2, BigInt(bytes.length))
    Atomics.store(this.#numbers, 0, process.hrtime.bigint())
  }
  end() {
    Atomics.store(this.#numbers, 0, 0n)
  }
  set owner(connection_id: number) {
    Atomics.store(this.#numbers, 1, BigInt(connection_id))
  }
  get owner() {
    return Number(Atomics.load(this.#numbers, 1))
  }
  get running_ms() {
    const since = Atomics.load(this.#numbers, 0)
    return since ? Number(process.hrtime.bigint() - since) / 1e6 : 0
  }
  get text() {
    return Buffer.from(this.#text.slice(0, Number(Atomics.load(this.#numbers, 2)))).toString('utf8')
  }
}
