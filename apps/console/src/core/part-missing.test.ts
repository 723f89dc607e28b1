import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { isPartMissing, PartMissing, reloadWhenBack, watchParts } from './part-missing.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function page(answers: () => boolean | Promise<never>) {
  const kept = new Map<string, string>()
  const it = {
    asked: 0,
    reloads: 0,
    fetch: async () => {
      it.asked += 1
      return { ok: await answers() }
    },
    reload: () => void (it.reloads += 1),
    now: () => Date.now(),
    storage: {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
    },
  }
  return it
}

test('a part inside of a page is told from a fault of the page', () => {
  const target = new EventTarget()
  watchParts(target)
  const error = new TypeError('Failed to fetch dynamically imported module')
  target.dispatchEvent(Object.assign(new Event('vite:preloadError'), { payload: error }))
  expect([error, new PartMissing(), new TypeError('x is not a function'), undefined].map(isPartMissing)).toEqual([
    true,
    true,
    false,
    false,
  ])
})

test('a page that misses a part is loaded anew once its server answers', async () => {
  let is_back = false
  const it = page(() => (is_back ? true : Promise.reject(new TypeError('Failed to fetch'))))
  reloadWhenBack(it)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(it.reloads).toBe(0)
  expect(it.asked).toBeLessThan(10)
  is_back = true
  await vi.advanceTimersByTimeAsync(15_000)
  expect(it.reloads).toBe(1)
})

test('a part that is missing from the new page too does not make it load in circles', async () => {
  const it = page(() => true)
  reloadWhenBack(it)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(it.reloads).toBe(1)
  reloadWhenBack(it)
  await vi.advanceTimersByTimeAsync(20_000)
  expect(it.reloads).toBe(1)
  await vi.advanceTimersByTimeAsync(30_000)
  expect(it.reloads).toBe(2)
})

test('a person who has gone to another page is not taken from it', async () => {
  const it = page(() => true)
  reloadWhenBack(it)()
  await vi.advanceTimersByTimeAsync(60_000)
  expect([it.asked, it.reloads]).toEqual([0, 0])
})
