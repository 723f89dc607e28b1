import pg from 'pg'
import type { Duplex } from 'node:stream'
import { connectionLost } from '../lib/database-errors.ts'
import type { DatabaseLog } from './log.ts'
import { value_types } from './value-types.ts'

export type SafePool = {
  pool: pg.Pool
  /** Ends every connection at once, and refuses new ones until it is undefined again. */
  refuse(reason: string | undefined): void
  end(grace_ms?: number): Promise<void>
}

export const streamOf = (client: pg.ClientBase): Duplex =>
  (client as unknown as { connection: { stream: Duplex } }).connection.stream

/** A pool whose faults are logged and thrown to callers, but never end the process. */
export function safePool(config: pg.PoolConfig, log: DatabaseLog, unanswered_ms?: number): SafePool {
  const pool = new pg.Pool({ ...config, types: value_types })
  const clients = new Set<pg.ClientBase>()
  pool.on('error', (error) => log.warn({ error: error.message }, 'idle database connection lost'))
  pool.on('connect', (client) => {
    clients.add(client)
    // pg-pool listens only while a client is idle; in a transaction between two statements nobody else would.
    client.on('error', (error) => log.warn({ error: error.message }, 'database connection lost'))
    if (unanswered_ms) destroyWhenUnanswered(streamOf(client), unanswered_ms)
  })
  pool.on('remove', (client) => clients.delete(client))
  let ended: Promise<void> | undefined
  const refuse = refusable(pool)
  return {
    pool,
    refuse(reason) {
      refuse(reason)
      if (reason !== undefined) for (const client of clients) streamOf(client).destroy(connectionLost(reason))
    },
    end(grace_ms = 10_000) {
      ended ??= endWithin(pool, clients, grace_ms)
      return ended
    },
  }
}

/** Lets whoever wants a connection be refused, also while they wait for one. */
function refusable(pool: pg.Pool): (reason: string | undefined) => void {
  const connect = pool.connect.bind(pool) as () => Promise<pg.PoolClient>
  const waiting = new Set<(error: Error) => void>()
  let refused: string | undefined
  const wanted = () =>
    new Promise<pg.PoolClient>((resolve, reject) => {
      if (refused !== undefined) return reject(connectionLost(refused))
      waiting.add(reject)
      connect().then(
        // One that comes too late is for the next.
        (client) => (waiting.delete(reject) ? resolve(client) : client.release()),
        (error: Error) => (waiting.delete(reject), reject(error)),
      )
    })
  type Callback = (error: Error | undefined, client?: pg.PoolClient, release?: pg.PoolClient['release']) => void
  pool.connect = ((callback?: Callback) => {
    if (!callback) return wanted()
    wanted().then(
      (client) => callback(undefined, client, client.release),
      (error: Error) => callback(error),
    )
  }) as typeof pool.connect
  return (reason) => {
    refused = reason
    if (reason === undefined) return
    for (const reject of waiting) reject(connectionLost(reason))
    waiting.clear()
  }
}

async function endWithin(pool: pg.Pool, clients: Set<pg.ClientBase>, grace_ms: number) {
  const timer = setTimeout(() => {
    for (const client of clients) streamOf(client).destroy(connectionLost('the server is closing'))
  }, grace_ms)
  await pool.end()
  clearTimeout(timer)
}

/**
 * A server that is stopped or cut off neither answers nor closes, and its own statement_timeout does not run.
 * Destroys the stream when bytes were written and none came back for `limit_ms`.
 */
export function destroyWhenUnanswered(stream: Duplex, limit_ms: number): void {
  let timer: NodeJS.Timeout | undefined
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean
  stream.write = ((...args: unknown[]) => {
    timer ??= setTimeout(
      () => stream.destroy(connectionLost(`no answer from the server for ${limit_ms} ms`)),
      limit_ms,
    ).unref()
    return write(...args)
  }) as Duplex['write']
  const answered = () => {
    clearTimeout(timer)
    timer = undefined
  }
  stream.on('data', answered)
  stream.on('close', answered)
}
