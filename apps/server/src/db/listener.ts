import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { DatabaseError } from '../lib/database-errors.ts'
import type { DatabaseLog } from './log.ts'
import { destroyWhenUnanswered, streamOf } from './pool.ts'

export type Handler = (payload: string) => void
type Subscription = { handler: Handler; on_gap: (() => void) | undefined }

const reconnect_ms = [100, 500, 1_000, 2_000]
const alive_every_ms = 15_000
const unanswered_ms = 5_000

export function assertChannel(channel: string) {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(channel)) throw new DatabaseError('22023', `not a channel name: ${channel}`)
}

/**
 * One connection for every LISTEN. It comes back by itself; what was notified meanwhile is lost, which
 * `on_gap` tells.
 */
export class Listener {
  readonly #config: pg.ClientConfig
  readonly #log: DatabaseLog
  readonly #subscriptions = new Map<string, Set<Subscription>>()
  #client: pg.Client | undefined
  #connecting: Promise<void> | undefined
  #is_closed = false
  #alive: NodeJS.Timeout | undefined

  constructor(config: pg.ClientConfig, log: DatabaseLog) {
    this.#config = config
    this.#log = log
  }

  /** Resolves when notifications sent from now on will arrive. */
  async listen(channel: string, handler: Handler, on_gap?: () => void): Promise<() => void> {
    assertChannel(channel)
    if (this.#is_closed) throw new DatabaseError('08003', 'the database is closed')
    const subscription = { handler, on_gap }
    const before = this.#subscriptions.get(channel)
    const all = before ?? new Set<Subscription>()
    this.#subscriptions.set(channel, all.add(subscription))
    const remove = () => void all.delete(subscription)
    try {
      // A connection under way may have read the channels before this one was added; LISTEN twice does no harm.
      await this.#connected()
      await this.#client?.query(`listen "${channel}"`)
    } catch (error) {
      remove()
      throw error
    }
    return remove
  }

  async close(): Promise<void> {
    this.#is_closed = true
    clearInterval(this.#alive)
    const client = this.#client
    this.#client = undefined
    await client?.end().catch(() => {})
  }

  #connected(): Promise<void> {
    if (this.#client) return Promise.resolve()
    this.#connecting ??= this.#connect().finally(() => (this.#connecting = undefined))
    return this.#connecting
  }

  async #connect(): Promise<void> {
    const client = new pg.Client(this.#config)
    client.on('error', (error) => this.#lost(client, error.message))
    client.on('end', () => this.#lost(client, 'closed'))
    client.on('notification', ({ channel, payload }) => this.#deliver(channel, payload ?? ''))
    await client.connect()
    destroyWhenUnanswered(streamOf(client), unanswered_ms)
    for (const channel of this.#subscriptions.keys()) await client.query(`listen "${channel}"`)
    if (this.#is_closed) return void (await client.end())
    this.#client = client
    clearInterval(this.#alive)
    this.#alive = setInterval(() => void client.query('select 1').catch(() => {}), alive_every_ms).unref()
  }

  #deliver(channel: string, payload: string) {
    for (const { handler } of this.#subscriptions.get(channel) ?? []) this.#call(() => handler(payload))
  }

  #call(act: () => void) {
    try {
      act()
    } catch (error) {
      this.#log.error({ error: String(error) }, 'a notification handler failed')
    }
  }

  #lost(client: pg.Client, reason: string) {
    if (this.#client !== client || this.#is_closed) return
    this.#client = undefined
    clearInterval(this.#alive)
    this.#log.warn({ reason }, 'notification connection lost')
    void this.#reconnect()
  }

  async #reconnect() {
    for (let attempt = 0; !this.#is_closed; attempt += 1) {
      await delay(reconnect_ms[Math.min(attempt, reconnect_ms.length - 1)], undefined, { ref: false })
      if (this.#is_closed) return
      try {
        await this.#connected()
        break
      } catch (error) {
        if (attempt % 10 === 0)
          this.#log.warn({ attempt, error: String(error) }, 'notification connection not back yet')
      }
    }
    for (const all of this.#subscriptions.values()) for (const { on_gap } of all) if (on_gap) this.#call(on_gap)
  }
}
