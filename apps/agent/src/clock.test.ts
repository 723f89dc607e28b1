import { afterEach, expect, test, vi } from 'vitest'
import { jitteredDelay, realClock, sharedClock, wait } from './clock.ts'

afterEach(() => vi.useRealTimers())

test('the wait doubles up to its cap and is spread over all of it', () => {
  const reconnect = { base_ms: 1000, cap_ms: 300_000 }
  expect([0, 1, 2, 8, 9, 10_000].map((failures) => jitteredDelay(failures, reconnect, () => 1))).toEqual([
    1000, 2000, 4000, 256_000, 300_000, 300_000,
  ])
  expect(jitteredDelay(5, reconnect, () => 0)).toBe(0)
  expect(jitteredDelay(5, reconnect, () => 0.5)).toBe(16_000)
})

test('a shared clock fires nothing early, nothing that was cancelled, and what is added while it fires', () => {
  vi.useFakeTimers()
  const clock = sharedClock(100)
  const fired: string[] = []
  clock.after(250, () => fired.push('late'))
  clock.after(0, () => {
    fired.push('soon')
    clock.after(0, () => fired.push('next'))
  })
  const cancel = clock.after(150, () => fired.push('cancelled'))
  cancel()
  vi.advanceTimersByTime(240)
  expect(fired).toEqual(['soon', 'next'])
  vi.advanceTimersByTime(1000)
  expect(fired).toEqual(['soon', 'next', 'late'])
  clock.close()
})

test('a wait ends early with the reason of its signal', async () => {
  const controller = new AbortController()
  const waiting = wait(realClock, 60_000, controller.signal)
  controller.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
  await expect(wait(realClock, 1, controller.signal)).rejects.toThrow('enough')
  await wait(realClock, 1)
})
