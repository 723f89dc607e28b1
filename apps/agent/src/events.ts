import * as z from 'zod'
import { DeviceEvent, limits } from '@mdm/device-link'
import type { DeviceEventOf } from './body/body.ts'
import type { Clock } from './clock.ts'
import type { Outgoing, Source } from './connection.ts'
import type { Store } from './store.ts'

const eventsKept = 2000
const numbersReserved = 1000

/** Numbers that only grow, over restarts too. They are reserved in blocks, so that a report costs no write. */
export async function openSequence(store: Store): Promise<() => number> {
  const stored = z.object({ next: z.number().int().min(0) }).safeParse(await store.read('sequence')).data
  let next = stored?.next ?? 0
  let reserved = next
  const reserve = () => {
    reserved = next + numbersReserved
    return store.write('sequence', { next: reserved })
  }
  await reserve()
  return () => {
    next += 1
    if (next > reserved - numbersReserved / 2) void reserve().catch(() => undefined)
    return next
  }
}

/** The first `count` events under the number and time that every repeat of them carries: how the server knows a repeat. */
const Message = z.object({ seq: z.number().int(), device_time: z.string(), count: z.number().int().min(1) })
const Stored = z.object({ events: z.array(DeviceEvent), message: Message.optional() })

/** Events wait on disk until the server has them; beyond 2000 the oldest go. */
export async function openEvents(options: { store: Store; clock: Clock; seq: () => number; on_ready: () => void }) {
  const { store, clock, seq } = options
  const stored = Stored.safeParse(await store.read('events').catch(() => undefined)).data
  const events: DeviceEventOf[] = stored?.events ?? []
  let message = stored?.message
  let is_saved = message !== undefined
  let is_in_flight = false
  let is_halted = false
  let saving: Promise<void> | undefined

  /** One write for all changes of a moment; what it holds may be sent after it. */
  const save = () =>
    (saving ??= Promise.resolve().then(async () => {
      saving = undefined
      if (is_halted) return
      if (!message && events.length > 0) {
        const count = Math.min(events.length, limits.events_per_message)
        message = { seq: seq(), device_time: clock.now().toISOString(), count }
      }
      const held = message
      await store.write('events', { events, ...(held ? { message: held } : {}) })
      is_saved ||= held !== undefined && held === message
      options.on_ready()
    }))
  const source: Source = {
    take(): Outgoing | undefined {
      if (is_halted || is_in_flight || !is_saved || !message) return undefined
      const { count, ...head } = message
      is_in_flight = true
      return {
        name: 'event',
        payload: { ...head, events: events.slice(0, count) },
        acked() {
          events.splice(0, count)
          message = undefined
          is_saved = false
          is_in_flight = false
          void save().catch(() => undefined)
        },
        lost() {
          is_in_flight = false
        },
      }
    },
  }
  return {
    source,
    async add(added: DeviceEventOf[]) {
      if (added.length === 0) return
      events.push(...added)
      // What has its number stays where it is.
      if (events.length > eventsKept) events.splice(message?.count ?? 0, events.length - eventsKept)
      await save()
    },
    halt() {
      is_halted = true
    },
  }
}
