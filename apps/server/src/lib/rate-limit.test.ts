import { expect, it } from 'vitest'
import { fakeClock } from './clock.ts'
import { rateLimiter } from './rate-limit.ts'

it('lets so many through at once, says how long to wait, and refills evenly', async () => {
  const clock = fakeClock()
  const limiter = rateLimiter(clock, { limit: 3, per_ms: 60_000 })
  expect(limiter.wait('a')).toBe(0)
  expect([1, 2, 3, 4].map(() => limiter.take('a'))).toEqual([0, 0, 0, 20])
  expect(limiter.wait('a')).toBe(20)
  expect(limiter.take('b')).toBe(0)
  await clock.advance(19_000)
  expect(limiter.take('a')).toBe(1)
  await clock.advance(1_000)
  expect(limiter.take('a')).toBe(0)
  expect(limiter.take('a')).toBe(20)
  await clock.advance(600_000)
  expect([1, 2, 3, 4].map(() => limiter.take('a') === 0)).toEqual([true, true, true, false])
})
