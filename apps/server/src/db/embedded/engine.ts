import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { MessageChannel } from 'node:worker_threads'
import type { MessagePort, Worker } from 'node:worker_threads'
import { endFirstBoot, inspectCluster, markFirstBoot, notCreated, notOpened } from './cluster-directory.ts'
import { connectionLost, databaseBusy, DatabaseError, statementTooLong } from '../../lib/database-errors.ts'
import type { DatabaseLog } from '../log.ts'
import { ownThread } from '../../lib/own-thread.ts'
import { RunningStatement } from './pglite-protocol.ts'
import type { FromPort, FromWorker, ToWorker, WorkerOptions } from './pglite-protocol.ts'

export type EngineOptions = {
  data_dir: string
  image: string | undefined
  log: DatabaseLog
  /** A statement that runs longer is ended, and the worker with it. */
  statement_ms: number
  /** A caller that waits longer for its turn is told that the database is busy. */
  waiting_ms: number
  /** The bound of a statement while `atLength` runs. */
  maintenance_ms: number
}

const restart_pause_ms = [0, 500, 2_000, 5_000, 15_000]
const close_ms = 15_000

/** One client connection: what `pg` takes for a socket. */
class PortStream extends Duplex {
  readonly id: number
  /** performance.now() since when bytes are unanswered; 0 when nothing is asked. */
  waiting_since = 0
  #port: MessagePort | undefined
  #attach: (stream: PortStream) => void
  #detach: (stream: PortStream) => void

  constructor(id: number, attach: (stream: PortStream) => void, detach: (stream: PortStream) => void) {
    super()
    this.id = id
    this.#attach = attach
    this.#detach = detach
  }
  connect() {
    process.nextTick(() => this.#attach(this))
    return this
  }
  attachTo(port: MessagePort) {
    this.#port = port
    port.on('message', (said: FromPort) => {
      if (!(said instanceof Uint8Array)) return void this.destroy(new DatabaseError(said.code, said.message))
      this.waiting_since = 0
      this.push(Buffer.from(said.buffer, said.byteOffset, said.length))
    })
    this.emit('connect')
  }
  override _read() {}
  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void) {
    if (!this.waiting_since) this.waiting_since = performance.now()
    const copy = new Uint8Array(chunk)
    this.#port?.postMessage(copy, [copy.buffer])
    done()
  }
  override _final(done: () => void) {
    this.#port?.postMessage(null)
    this.push(null)
    done()
  }
  override _destroy(error: Error | null, done: (error: Error | null) => void) {
    this.#port?.postMessage(null)
    this.#port?.close()
    this.#detach(this)
    done(error)
  }
  setNoDelay = () => this
  setKeepAlive = () => this
  ref = () => this
  unref = () => this
}

/** Owns the worker thread: starts it, watches it, and starts it again when it dies or has to be ended. */
export class EmbeddedEngine {
  readonly #options: EngineOptions
  readonly #cluster: string
  readonly #streams = new Set<PortStream>()
  readonly #not_attached = new Set<PortStream>()
  #running = new RunningStatement()
  #worker: Worker | undefined
  #is_ready = false
  #is_closing = false
  #is_first = false
  #is_read_only = false
  #long_work = 0
  #last_id = 0
  #watchdog: NodeJS.Timeout | undefined

  constructor(options: EngineOptions) {
    this.#options = options
    this.#cluster = join(options.data_dir, 'cluster')
  }

  /** Looks at the directory and readies it for a first boot. Throws when it is damaged. */
  async prepare(): Promise<void> {
    this.#is_first = (await inspectCluster(this.#options.data_dir)) === 'absent'
    if (!this.#is_first) return
    await markFirstBoot(this.#options.data_dir)
    await mkdir(this.#cluster, { recursive: true, mode: 0o700 })
  }

  /** First boot or reopening, in a thread that runs when this returns. Nothing is left running when it rejects. */
  async start(): Promise<void> {
    const { data_dir, image, log } = this.#options
    const started = performance.now()
    const is_first = this.#is_first
    const from_image = is_first && image !== undefined && existsSync(image) ? image : undefined
    if (is_first && image && !from_image)
      log.info({ image }, 'no prepared database image, creating the database from nothing')
    if (from_image) await this.#spawnFromImage(from_image)
    else await this.#spawn(is_first ? 'create' : 'open')
    if (is_first) await endFirstBoot(data_dir)
    this.#watchdog = setInterval(() => this.#watch(), Math.max(20, Math.min(250, this.#options.waiting_ms / 4)))
    this.#watchdog.unref()
    const ms = Math.round(performance.now() - started)
    log.info(
      { directory: this.#cluster, is_first, from_image: from_image !== undefined, ms },
      'embedded database ready',
    )
  }

  stream(): Duplex {
    return new PortStream(
      ++this.#last_id,
      (stream) => this.#attach(stream),
      (stream) => {
        this.#streams.delete(stream)
        this.#not_attached.delete(stream)
      },
    )
  }

  /** While `work` runs, statements have the longer bound (VACUUM, migrations). */
  async atLength<T>(work: () => Promise<T>): Promise<T> {
    this.#long_work += 1
    try {
      return await work()
    } finally {
      this.#long_work -= 1
    }
  }

  /**
   * Whether transactions may write; resolves when none that may is under way. One that tries to meanwhile fails with 25006. It holds
   * across a restart of the thread.
   */
  async readOnly(is_on: boolean): Promise<void> {
    this.#is_read_only = is_on
    const worker = this.#worker
    if (!worker || !this.#is_ready) throw connectionLost('the embedded database is being started again')
    await new Promise<void>((applied, failed) => {
      const hear = (said: FromWorker) => {
        if (said.kind !== 'read_only' || said.is_on !== is_on) return
        worker.off('message', hear).off('exit', end)
        applied()
      }
      const end = () => failed(connectionLost('the embedded database stopped'))
      worker.on('message', hear).once('exit', end)
      worker.postMessage({ kind: 'read_only', is_on } satisfies ToWorker)
    })
  }

  /** Call after every client has ended. */
  async close(): Promise<void> {
    this.#is_closing = true
    clearInterval(this.#watchdog)
    for (const stream of [...this.#streams, ...this.#not_attached]) stream.destroy()
    const worker = this.#worker
    if (!worker) return
    const gone = new Promise<void>((done) => worker.once('exit', () => done()))
    worker.postMessage({ kind: 'close' } satisfies ToWorker)
    const timer = setTimeout(() => void worker.terminate(), close_ms)
    await gone
    clearTimeout(timer)
  }

  #attach(stream: PortStream) {
    if (this.#is_closing) return void stream.destroy(connectionLost('the database is closing'))
    if (stream.destroyed) return
    if (!this.#is_ready || !this.#worker) return void this.#not_attached.add(stream)
    const { port1, port2 } = new MessageChannel()
    this.#streams.add(stream)
    this.#worker.postMessage({ kind: 'connect', id: stream.id, port: port2 } satisfies ToWorker, [port2])
    stream.attachTo(port1)
  }

  async #spawnFromImage(image: string): Promise<void> {
    try {
      await this.#spawn('create', image)
    } catch (error) {
      this.#options.log.warn({ image, error: String(error) }, 'prepared database image unusable, doing without it')
      await rm(this.#cluster, { recursive: true, force: true })
      await mkdir(this.#cluster, { recursive: true, mode: 0o700 })
      await this.#spawn('create')
    }
  }

  async #spawn(purpose: 'create' | 'open', image?: string): Promise<void> {
    this.#running = new RunningStatement()
    const workerData: WorkerOptions = {
      cluster_dir: this.#cluster,
      image,
      idle_transaction_ms: this.#options.statement_ms,
      state: this.#running.shared,
    }
    const worker = ownThread(import.meta.url, 'pglite-worker', { workerData })
    this.#worker = worker
    let why = ''
    await new Promise<void>((ready, failed) => {
      worker.on('message', (said: FromWorker) => {
        if (said.kind === 'failed') why = said.message
        if (said.kind === 'ready') ready()
      })
      worker.on('error', (error) => (why = error.message))
      worker.once('exit', (code) =>
        failed((purpose === 'create' ? notCreated : notOpened)(this.#cluster, why || `its thread ended with ${code}`)),
      )
    }).catch(async (error: unknown) => {
      this.#worker = undefined
      // The dead backend's own pid file says nothing: ours is the lock that counts.
      await rm(join(this.#cluster, 'postmaster.pid'), { force: true })
      throw error
    })
    // Before any client is attached.
    if (this.#is_read_only) worker.postMessage({ kind: 'read_only', is_on: true } satisfies ToWorker)
    this.#is_ready = true
    worker.once('exit', () => {
      if (this.#is_closing || this.#worker !== worker) return
      void this.#recover(why || 'the database thread ended')
    })
    for (const stream of this.#not_attached) {
      this.#not_attached.delete(stream)
      this.#attach(stream)
    }
  }

  /** Whatever was committed is in the files: this is crash recovery, as after a killed process. */
  async #recover(reason: string): Promise<void> {
    this.#is_ready = false
    this.#worker = undefined
    this.#failAll(connectionLost(reason))
    this.#options.log.error({ reason }, 'embedded database stopped, starting it again')
    for (let attempt = 0; !this.#is_closing; attempt += 1) {
      await delay(restart_pause_ms[Math.min(attempt, restart_pause_ms.length - 1)])
      try {
        await inspectCluster(this.#options.data_dir)
        await this.#spawn('open')
        this.#options.log.info({ attempt }, 'embedded database is back')
        return
      } catch (error) {
        const said = error instanceof Error ? error.message : String(error)
        this.#options.log.error({ attempt, error: said }, 'embedded database did not start')
        for (const stream of this.#not_attached) stream.destroy(connectionLost(said))
      }
    }
  }

  #watch() {
    const bound = this.#long_work ? this.#options.maintenance_ms : this.#options.statement_ms
    const running_ms = this.#running.running_ms
    if (this.#is_ready && running_ms > bound) {
      const statement = this.#running.text
      this.#options.log.error(
        { ms: Math.round(running_ms), statement },
        'statement never ends, ending the database thread',
      )
      this.#is_ready = false
      for (const stream of this.#streams)
        if (stream.waiting_since && stream.id === this.#holder()) stream.destroy(statementTooLong(running_ms))
      void this.#worker?.terminate()
      return
    }
    const now = performance.now()
    for (const stream of this.#streams) {
      if (!stream.waiting_since || stream.id === this.#holder()) continue
      const waited_ms = now - stream.waiting_since
      if (waited_ms <= this.#options.waiting_ms) continue
      this.#options.log.warn({ waited_ms: Math.round(waited_ms), behind: this.#running.text }, 'database busy')
      stream.destroy(databaseBusy(waited_ms))
    }
  }

  #holder() {
    return this.#running.owner
  }

  #failAll(error: Error) {
    for (const stream of [...this.#streams, ...this.#not_attached]) stream.destroy(error)
  }
}
