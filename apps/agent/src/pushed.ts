import * as z from 'zod'
import type { Body } from './body/body.ts'
import type { Clock } from './clock.ts'
import type { Store } from './store.ts'

const Kept = z.object({ path: z.string(), sha256: z.string(), until: z.iso.datetime() })
type Kept = z.infer<typeof Kept>
const Stored = z.array(Kept)

const document = 'pushed'
const look_ms = 3_600_000
const day_ms = 86_400_000
/** Beyond it the oldest are forgotten, and stay on the device. */
const kept_max = 5_000

export type Pushed = {
  /** Before a file is put in place, so that one that a kill leaves there is known. */
  note(file: { path: string; sha256: string; days: number }): Promise<void>
  /** Deletes what has had its time, now and every hour. */
  start(): void
  halt(): void
}

/** What was pushed here and when it goes. A file that is another one by then stays. */
export async function openPushed(options: {
  store: Store
  body: Pick<Body, 'remove_pushed'>
  clock: Clock
  log: (line: string) => void
}): Promise<Pushed> {
  const { store, body, clock, log } = options
  let kept: Kept[] = Stored.safeParse(await store.read(document).catch(() => undefined)).data ?? []
  let cancel = () => {}
  let is_halted = false

  async function sweep(): Promise<void> {
    const now = clock.now().getTime()
    for (const file of kept.filter(({ until }) => Date.parse(until) <= now)) {
      if (is_halted) return
      const is_removed = await body.remove_pushed(file.path, file.sha256)
      if (is_removed) log(`${file.path} was pushed long ago and is deleted`)
      // Put there anew meanwhile, it has a time of its own.
      kept = kept.filter((each) => each !== file)
      await store.write(document, kept)
    }
  }
  function look(): void {
    if (is_halted) return
    sweep()
      .catch((error: Error) => log(`what was pushed could not be deleted: ${error.message}`))
      .finally(() => {
        if (!is_halted) cancel = clock.after(look_ms, look)
      })
  }
  return {
    async note({ path, sha256, days }) {
      const until = new Date(clock.now().getTime() + days * day_ms).toISOString()
      kept = [...kept.filter((each) => each.path !== path), { path, sha256, until }].slice(-kept_max)
      await store.write(document, kept)
    },
    start: look,
    halt() {
      is_halted = true
      cancel()
    },
  }
}
