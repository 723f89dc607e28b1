import { expect, test } from 'vitest'
import { patience } from './patience.ts'

const spin = (ms: number) => {
  for (const until = performance.now() + ms; performance.now() < until;);
}

test('a device whose messages take long to read waits, in their order; nobody else does', async () => {
  const reading = patience()
  const began = performance.now()
  const read: number[] = []
  const say = (n: number) =>
    reading.read('slow', () => {
      read.push(n)
      if (n < 3) spin(10)
      if (n === 4) throw new Error('not to be read')
    })
  expect(say(1)).toBeUndefined()
  const later = [2, 3, 4, 5].map(say)
  expect(reading.read('other', () => 'at once')).toBe('at once')
  expect(read).toEqual([1])
  expect((await Promise.allSettled(later)).map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
  ])
  expect(read).toEqual([1, 2, 3, 4, 5])
  // Twice ten milliseconds, each waited for ten times as long.
  expect(performance.now() - began).toBeGreaterThanOrEqual(190)
  await expect.poll(() => say(6)).toBeUndefined()
})
