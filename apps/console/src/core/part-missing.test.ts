import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { reloadWhenBack } from './part-missing.ts'

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

test('whoever goes elsewhere is not taken from there', async () => {
  const it = page(() => true)
  reloadWhenBack(it)()
  await vi.advanceTimersByTimeAsync(60_000)
  expect([it.asked, it.reloads]).toEqual([0, 0])
})
