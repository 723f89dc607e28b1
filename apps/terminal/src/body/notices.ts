import type { Answer } from '@mdm/agent/conditions.ts'
import { wait } from '@mdm/agent/clock.ts'
import type { Clock } from '@mdm/agent/clock.ts'
import type { Store } from '@mdm/agent/store.ts'
import * as z from 'zod'
import type { Message, OpenView } from '../view.ts'

const document = 'messages'
const kept_max = 50
/** So long a task waits for its message to be read; read later, an event tells of it. */
const reading_ms = 60_000

const Kept = z.array(
  z.object({ id: z.string(), title: z.string(), text: z.string(), at: z.string(), is_read: z.boolean() }),
)

type Options = {
  store: Store
  view: OpenView
  clock: Clock
  randomId: () => string
  on_read_late: (m: Message) => void
}

/** Messages, questions and warnings for whoever is at the device. Messages outlive the page. */
export async function openNotices({ store, view, clock, randomId, on_read_late }: Options) {
  view.set({ messages: Kept.safeParse(await store.read(document)).data ?? [] })
  const waiting = new Map<string, () => void>()
  const keep = async (messages: readonly Message[]): Promise<void> => {
    view.set({ messages })
    await store.write(document, messages)
  }
  return {
    async show({ title, text }: { title: string; text: string }, signal: AbortSignal): Promise<string> {
      const message: Message = { id: randomId(), title, text, at: clock.now().toISOString(), is_read: false }
      const patience = new AbortController()
      const read = new Promise<boolean>((resolve) => waiting.set(message.id, () => resolve(true)))
      const late = wait(clock, reading_ms, AbortSignal.any([signal, patience.signal])).then(() => false)
      late.catch(() => undefined)
      try {
        await keep([message, ...view.now.messages].slice(0, kept_max))
        return (await Promise.race([read, late])) ? 'Acknowledged' : 'Shown; nobody has acknowledged it yet'
      } finally {
        waiting.delete(message.id)
        patience.abort(new Error('over'))
      }
    },
    async acknowledge(id: string): Promise<void> {
      const message = view.now.messages.find((one) => one.id === id)
      if (!message || message.is_read) return
      await keep(view.now.messages.map((one) => (one.id === id ? { ...one, is_read: true } : one)))
      const resolve = waiting.get(id)
      if (resolve) resolve()
      else on_read_late(message)
    },
    async forget(id: string): Promise<void> {
      await keep(view.now.messages.filter((one) => one.id !== id))
    },
    async ask(text: string, may_put_off: boolean, signal: AbortSignal): Promise<Answer> {
      const id = randomId()
      const others = () => view.now.questions.filter((one) => one.id !== id)
      try {
        return await new Promise<Answer>((resolve, reject) => {
          signal.throwIfAborted()
          signal.addEventListener('abort', () => reject(signal.reason), { once: true })
          view.set({ questions: [...others(), { id, text, may_put_off, answer: resolve }] })
        })
      } finally {
        view.set({ questions: others() })
      }
    },
    async warn(text: string, seconds: number, signal: AbortSignal): Promise<void> {
      const id = randomId()
      const until = clock.now().getTime() + seconds * 1000
      view.set({ warnings: [...view.now.warnings, { id, text, until }] })
      try {
        await wait(clock, seconds * 1000, signal)
      } finally {
        view.set({ warnings: view.now.warnings.filter((one) => one.id !== id) })
      }
    },
  }
}
export type Notices = Awaited<ReturnType<typeof openNotices>>
