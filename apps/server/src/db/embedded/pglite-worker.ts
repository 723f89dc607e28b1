import { readFile } from 'node:fs/promises'
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { isListen, mayLeaveSettings, refusal } from './one-session.ts'
import { RunningStatement } from './pglite-protocol.ts'
import type { FromPort, FromWorker, ToPort, ToWorker, WorkerOptions } from './pglite-protocol.ts'
import { cutBatches, readAnswer, simpleQuery, startupReply, sync_message } from './postgres-messages.ts'
import type { Batch } from './postgres-messages.ts'

// The embedded database: PGlite blocks its thread while a statement runs, hence a thread of its own. Every
// connection is a MessagePort that carries the raw wire protocol.

type Connection = {
  id: number
  port: MessagePort
  buffer: Buffer
  is_started: boolean
  is_gone: boolean
  is_listening: boolean
  skips_to_sync: boolean
}
type Turn = { connection: Connection; batch: Batch }

const host = parentPort
if (!host) throw new Error('pglite-worker runs in a worker thread')
const options = workerData as WorkerOptions
const running = new RunningStatement(options.state)
const tell = (said: FromWorker) => host.postMessage(said)
const answer = (connection: Connection, said: FromPort) => connection.port.postMessage(said)

const connections = new Set<Connection>()
const turns: Turn[] = []
let owner: Connection | undefined
let is_pumping = false
let wants_read_only = false
let is_read_only = false
let has_foreign_settings = false
let parameters: Record<string, string> = {}
let idle_timer: NodeJS.Timeout | undefined
let database: PGlite

async function open() {
  database = await PGlite.create(options.cluster_dir, {
    ...(options.image ? { loadDataDir: new Blob([await readFile(options.image)]) } : {}),
    extensions: { pg_trgm },
    // startParams replaces PGlite's own; without the limit a busy server needs three times the memory.
    startParams: [...PGlite.defaultStartParams, ...['shared_buffers=16MB', 'timezone=UTC'].flatMap((s) => ['-c', s])],
  })
  const shown = await database.query<{ version: string }>(`select current_setting('server_version') as version`)
  parameters = {
    server_version: shown.rows[0]?.version ?? '',
    server_encoding: 'UTF8',
    client_encoding: 'UTF8',
    standard_conforming_strings: 'on',
    DateStyle: 'ISO, MDY',
    TimeZone: 'UTC',
    integer_datetimes: 'on',
  }
}

function receive(connection: Connection, said: ToPort) {
  if (said === null) return leave(connection)
  connection.buffer = connection.buffer.length ? Buffer.concat([connection.buffer, said]) : Buffer.from(said)
  if (!connection.is_started) {
    if (connection.buffer.length < 4) return
    const length = connection.buffer.readInt32BE(0)
    if (connection.buffer.length < length) return
    connection.buffer = connection.buffer.subarray(length)
    connection.is_started = true
    answer(connection, startupReply(connection.id, parameters))
  }
  const cut = cutBatches(connection.buffer)
  connection.buffer = cut.rest
  for (const batch of cut.batches) turns.push({ connection, batch })
  if (cut.is_terminated) leave(connection)
}

function leave(connection: Connection) {
  connection.is_gone = true
  connections.delete(connection)
  connection.port.close()
}

/** The next turn: of the connection that holds the transaction while there is one, else the oldest. */
function nextTurn(): Turn | undefined {
  for (;;) {
    const at = owner ? turns.findIndex((turn) => turn.connection === owner) : 0
    const [turn] = at < 0 ? [] : turns.splice(at, 1)
    if (!turn) return undefined
    // A client that gave up waiting has said so on its port: what it asked for must not be run any more.
    for (let said; !turn.connection.is_gone && (said = receiveMessageOnPort(turn.connection.port));)
      receive(turn.connection, said.message as ToPort)
    if (!turn.connection.is_gone) return turn
    if (owner === turn.connection) return undefined
  }
}

async function pump() {
  if (is_pumping) return
  is_pumping = true
  clearTimeout(idle_timer)
  for (;;) {
    if (owner?.is_gone) {
      await execute(simpleQuery('ROLLBACK'), 'ROLLBACK')
      setOwner(undefined)
    }
    if (!owner && is_read_only !== wants_read_only) await applyReadOnly()
    const turn = nextTurn()
    if (turn) await run(turn)
    else if (!owner?.is_gone) break
  }
  is_pumping = false
  if (owner) idle_timer = setTimeout(endIdleTransaction, options.idle_transaction_ms)
}

async function run({ connection, batch }: Turn) {
  if (connection.skips_to_sync && batch.ends === 'flush') return
  let bytes = batch.bytes
  if (connection.skips_to_sync) bytes = sync_message
  connection.skips_to_sync = false
  const reason = bytes === batch.bytes ? batch.statements.map(refusal).find(Boolean) : undefined
  if (reason) {
    // Raised by the database itself, so that an open transaction fails as it would on any error.
    bytes = simpleQuery(
      `DO $refused$ BEGIN RAISE EXCEPTION 'not possible on the embedded database: ${reason}' USING ERRCODE = '0A000'; END $refused$`,
    )
    connection.skips_to_sync = batch.ends === 'flush'
  }
  if (batch.statements.some(mayLeaveSettings)) has_foreign_settings = true
  running.owner = connection.id
  let out = await execute(bytes, batch.statements[0]?.text ?? '')
  const read = readAnswer(out)
  if (connection.skips_to_sync && read.status_at >= 0) out = out.subarray(0, read.status_at)
  if (batch.statements.some(isListen)) connection.is_listening = true
  // Without ReadyForQuery the connection is in the middle of a portal, which is the session's too.
  setOwner(read.status === 'idle' && !connection.skips_to_sync ? undefined : connection)
  if (!owner && has_foreign_settings) {
    await execute(simpleQuery('RESET ALL'), 'RESET ALL')
    has_foreign_settings = false
    is_read_only = false
  }
  const copy = new Uint8Array(out)
  connection.port.postMessage(copy, [copy.buffer])
  for (const note of read.notifications)
    for (const other of connections) if (other !== connection && other.is_listening) answer(other, note)
}

/** Between two transactions, of which none is under way that could still write, or undo it. */
async function applyReadOnly() {
  const text = `SET default_transaction_read_only = ${wants_read_only ? 'on' : 'off'}`
  await execute(simpleQuery(text), text)
  is_read_only = wants_read_only
  tell({ kind: 'read_only', is_on: is_read_only })
}

async function execute(bytes: Uint8Array, text: string): Promise<Uint8Array> {
  running.begin(text)
  try {
    return await database.execProtocolRaw(bytes)
  } catch (error) {
    // An SQL error is an answer; this is WebAssembly itself, and nothing in its memory can be trusted any more.
    tell({ kind: 'failed', message: `the embedded database broke down: ${String(error)}` })
    process.exit(1)
  } finally {
    running.end()
  }
}

function setOwner(connection: Connection | undefined) {
  owner = connection
  running.owner = connection?.id ?? 0
}

function endIdleTransaction() {
  if (!owner || is_pumping) return
  answer(owner, { code: '25P03', message: 'terminating connection due to idle-in-transaction timeout' })
  leave(owner)
  void pump()
}

host.on('message', (said: ToWorker) => {
  if (said.kind === 'close') {
    void database.close().then(() => {
      tell({ kind: 'closed' })
      process.exit(0)
    })
    return
  }
  if (said.kind === 'read_only') {
    wants_read_only = said.is_on
    if (is_read_only === wants_read_only) return tell({ kind: 'read_only', is_on: is_read_only })
    return void pump()
  }
  const connection: Connection = {
    id: said.id,
    port: said.port,
    buffer: Buffer.alloc(0),
    is_started: false,
    is_gone: false,
    is_listening: false,
    skips_to_sync: false,
  }
  connections.add(connection)
  said.port.on('message', (bytes: ToPort) => {
    if (connection.is_gone) return
    receive(connection, bytes)
    void pump()
  })
  said.port.on('close', () => {
    connection.is_gone = true
    connections.delete(connection)
    void pump()
  })
})

open().then(
  () => tell({ kind: 'ready' }),
  (error: unknown) => {
    tell({ kind: 'failed', message: error instanceof Error ? error.message : String(error) })
    process.exit(1)
  },
)
