import type { DownName, UpName } from '@mdm/device-link'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { clockDoubt } from '../lib/clock-watch.ts'
import type { Item } from './inbound/items.ts'
import { checked_in } from './peer.ts'
import type { Delivery } from './peer.ts'

const look_ms = 5_000
/** How long the sending of what is owed to a device is waited for. */
const send_ms = 2_000
const piece = 1_000
/** A device that has left ends its own waiting; this is for one whose connection only fell silent. */
const longest_wait_ms = 50_000
/** One that was woken has come by then, or does not. */
const woken_ms = 20_000

export type UpMessage = { name: Exclude<UpName, 'gone'>; payload: unknown }
export type DownMessage = { name: DownName; payload: Record<string, unknown> }
export type CheckIn = {
  kid: string
  address: string
  messages: readonly UpMessage[]
  /** How long it waits for something to be sent; 0 is not at all. */
  wait_ms: number
  /** After so long without another check-in it counts as offline. */
  silent_ms: number
  /** Aborted when whoever asked has gone. */
  signal: AbortSignal
}
/** A line to a device that is away, over which it can be told to come. */
export type Waker = { wake(): void; drop(): void }
type Mailbox = { messages: DownMessage[]; came(): void; closed: Promise<Delivery>; close(as: Delivery): void }

/**
 * Devices that are not connected: they come, say what they have to say, and are given what they are owed. While one is here it
 * has a mailbox, into which the dispatcher delivers as into a connection. It is online from its first check-in until it has been
 * silent for as long as it said; its session is of no server and of no address, as both may change from one to the next.
 */
export function openCheckIns(
  deps: Deps,
  link: {
    commit(item: Item): Promise<void>
    inbound(kid: string, name: UpName, payload: Uint8Array): Promise<void>
    /** Makes due what is owed to a device that has come, and resolves once what is due has been sent. */
    send(kid: string): Promise<void>
    node_kid: string | null
  },
) {
  const mailboxes = new Map<string, Mailbox>()
  const wakers = new Map<string, Waker>()
  /** Of devices that were woken: what they come for. */
  const expected = new Map<string, Mailbox>()

  async function checkIn({ kid, address, messages, wait_ms, silent_ms, signal }: CheckIn): Promise<DownMessage[]> {
    const at = deps.clock.now()
    const { node_kid } = link
    // Of two check-ins at a time the later one counts: the earlier one lost its connection.
    mailboxes.get(kid)?.close('offline')
    const mailbox = expected.get(kid) ?? newMailbox()
    expected.delete(kid)
    const isHere = () => mailboxes.get(kid) === mailbox && !signal.aborted
    mailboxes.set(kid, mailbox)
    try {
      await Promise.all([
        link.commit({ kind: 'checked_in', kid, at, address, silent_at: new Date(at.getTime() + silent_ms), node_kid }),
        ...messages.map(({ name, payload }) => link.inbound(kid, name, Buffer.from(JSON.stringify(payload ?? null)))),
      ])
      await unlessLate(link.send(kid), signal)
      if (mailbox.messages.length === 0 && isHere())
        await somethingCame(mailbox, Math.min(wait_ms, longest_wait_ms), signal)
      if (!isHere()) return []
      mailbox.close('acknowledged')
      return mailbox.messages
    } finally {
      if (mailboxes.get(kid) === mailbox) mailboxes.delete(kid)
      mailbox.close('offline')
    }
  }

  /** Work for others may hold up the sending: who waits is answered with what has come by then. */
  async function unlessLate(sending: Promise<void>, signal: AbortSignal): Promise<void> {
    let stop = () => {}
    const late = new Promise<void>((resolve) => {
      stop = deps.clock.after(send_ms, resolve)
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
    await Promise.race([sending, late]).finally(stop)
  }

  /** Undefined of a device that nobody can wake. */
  function wake(kid: string): Mailbox | undefined {
    const waker = wakers.get(kid)
    const waiting = expected.get(kid)
    if (!waker || waiting) return waiting
    const mailbox = newMailbox()
    expected.set(kid, mailbox)
    deps.clock.after(woken_ms, () => {
      if (expected.get(kid) === mailbox) endExpected(kid)
    })
    waker.wake()
    return mailbox
  }
  function endExpected(kid: string): void {
    expected.get(kid)?.close('offline')
    expected.delete(kid)
  }

  async function somethingCame(mailbox: Mailbox, wait_ms: number, signal: AbortSignal): Promise<void> {
    if (wait_ms <= 0) return
    let stop = () => {}
    await new Promise<void>((resolve) => {
      mailbox.came = resolve
      stop = deps.clock.after(wait_ms, resolve)
      signal.addEventListener('abort', () => resolve(), { once: true })
      void mailbox.closed.then(() => resolve())
    })
    stop()
    // What was made together is sent together.
    await new Promise<void>((resolve) => setImmediate(resolve))
  }

  const started_at = deps.clock.now()
  /**
   * Who has not come again in time is offline since then. Every server looks, once it has been there for as long as the device may be
   * silent: while no server listened, nobody could come. Whoever says it second changes nothing.
   */
  async function endSilent(): Promise<void> {
    if (clockDoubt(deps)) return
    try {
      const now = deps.clock.now()
      const { rows } = await sql<{ kid: string; epoch: string; at: Date }>`
        SELECT terminal_kid AS kid, epoch, silent_at AS at FROM terminal_state
        WHERE silent_at <= ${now} AND is_online AND ${started_at}::timestamptz + (silent_at - last_contact_at) <= ${now}
        ORDER BY silent_at LIMIT ${piece}
      `.execute(deps.db)
      await Promise.all(
        rows.map(({ kid, epoch, at }) => link.commit({ kind: 'disconnected', kid, epoch, at, is_silent: true })),
      )
    } catch (error) {
      deps.log.warn({ err: error }, 'devices that no longer check in could not be set offline')
    }
  }
  const stop = deps.clock.every(look_ms, endSilent)

  return {
    checkIn,
    /** A message would reach it: it waits for one, or can be told to come. */
    isHere: (kid: string): boolean => mailboxes.has(kid) || wakers.has(kid),
    size: (): number => mailboxes.size,
    /** Undefined where the device is not here. */
    deliver(kid: string, name: DownName, payload: string): Promise<Delivery> | undefined {
      const mailbox = mailboxes.get(kid) ?? wake(kid)
      if (!mailbox) return undefined
      const message = { name, payload: JSON.parse(payload) as DownMessage['payload'] }
      // What was due as the device came may be made due again by its coming.
      if (!mailbox.messages.some((other) => isSame(other, message))) mailbox.messages.push(message)
      mailbox.came()
      return mailbox.closed
    },
    /** It is shut out: what it is waiting for does not come. */
    end(kid: string): void {
      mailboxes.get(kid)?.close('offline')
      wakers.get(kid)?.drop()
      endExpected(kid)
    },
    /** From now on the device can be told to come, until the answer is called. A newer line takes the place of an older one. */
    wakeBy(kid: string, waker: Waker): () => void {
      wakers.get(kid)?.drop()
      wakers.set(kid, waker)
      return () => {
        if (wakers.get(kid) !== waker) return
        wakers.delete(kid)
        endExpected(kid)
      }
    },
    close(): void {
      stop()
      for (const waker of wakers.values()) waker.drop()
      for (const kid of [...expected.keys()]) endExpected(kid)
      for (const mailbox of mailboxes.values()) mailbox.close('offline')
    },
  }
}

/** Whether a device is reached only while it checks in. */
export async function checksIn({ db }: Pick<Deps, 'db'>, terminal_kid: string): Promise<boolean> {
  const row = await db
    .selectFrom('terminal_state')
    .select('transport')
    .where('terminal_kid', '=', terminal_kid)
    .executeTakeFirst()
  return row?.transport === checked_in
}

const isSame = (one: DownMessage, other: DownMessage): boolean =>
  one.name === other.name &&
  one.name !== 'refused' &&
  ['id', 'task_kid', 'attempt', 'version'].every((key) => one.payload[key] === other.payload[key])

function newMailbox(): Mailbox {
  let close: (as: Delivery) => void = () => {}
  const closed = new Promise<Delivery>((resolve) => (close = resolve))
  return { messages: [], came: () => {}, closed, close }
}
