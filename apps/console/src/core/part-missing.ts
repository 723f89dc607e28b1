/** A part of the console could not be fetched: the server is away, or a newer console was put in the place of this one. */
export class PartMissing extends Error {
  override name = 'PartMissing'
}

const missed = new WeakSet<object>()
/** Parts inside of a page (a drawer, a map) fail with what the browser says; the loader of the build tells which those are. */
export function watchParts(target: EventTarget = globalThis): void {
  target.addEventListener('vite:preloadError', (event) => {
    const { payload } = event as Event & { payload?: unknown }
    if (typeof payload === 'object' && payload !== null) missed.add(payload)
  })
}
/** Whether what a page failed with is that a part of the console did not come. */
export const isPartMissing = (error: unknown): boolean =>
  error instanceof PartMissing || (typeof error === 'object' && error !== null && missed.has(error))

const first_wait_ms = 1_000
const longest_wait_ms = 15_000
/** A page that was loaded anew so lately, and still misses a part, waits before it is loaded once more. */
const again_after_ms = 30_000
const loaded_key = 'part-missing.loaded_at'

type Page = {
  fetch: (path: string, options: RequestInit) => Promise<{ ok: boolean }>
  reload: () => void
  now: () => number
  storage: Pick<Storage, 'getItem' | 'setItem'>
}
const thisPage: Page = {
  fetch: (path, options) => fetch(path, options),
  reload: () => location.reload(),
  now: () => Date.now(),
  storage: {
    getItem: (key) => sessionStorage.getItem(key),
    setItem: (key, value) => sessionStorage.setItem(key, value),
  },
}

/**
 * Loads the page anew as soon as its server answers, and asks it ever less often until then. A browser keeps the failure
 * of a module, and a new console has other files, so nothing less helps. Returns what stops it.
 */
export function reloadWhenBack(page: Page = thisPage): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let is_over = false
  const wait = (ms: number) => {
    if (!is_over) timer = setTimeout(() => void ask(Math.min(longest_wait_ms, ms * 2)), ms)
  }
  const ask = async (next_ms: number) => {
    const { ok } = await page.fetch('/index.html', { method: 'HEAD', cache: 'no-store' }).catch(() => ({ ok: false }))
    if (is_over) return
    const since = page.now() - Number(page.storage.getItem(loaded_key) ?? 0)
    if (!ok || since < again_after_ms) return wait(next_ms)
    page.storage.setItem(loaded_key, String(page.now()))
    page.reload()
  }
  wait(first_wait_ms)
  return () => {
    is_over = true
    clearTimeout(timer)
  }
}
