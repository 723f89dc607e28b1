import { expect, test } from 'vitest'
import { TransferRate } from './transfer-rate.ts'

test('the rate is that of the last seconds only', () => {
  const rate = new TransferRate(5_000)
  expect(rate.per_second).toBeUndefined()
  rate.put(0, 0)
  rate.put(100, 1_000_000)
  expect(rate.per_second).toBeUndefined()
  rate.put(1_000, 1_000_000)
  expect(rate.per_second).toBe(1_000_000)
  for (let at = 2_000; at <= 10_000; at += 1_000) rate.put(at, 1_000_000 + (at - 1_000) / 10)
  expect(rate.per_second).toBe(100)
  expect(rate.secondsLeft(1_000_900 + 500)).toBe(5)
})

test('a piece that is sent again starts the measuring anew', () => {
  const rate = new TransferRate()
  rate.put(0, 8_000)
  rate.put(1_000, 16_000)
  rate.put(1_500, 8_000)
  expect(rate.per_second).toBeUndefined()
  rate.put(2_500, 9_000)
  expect(rate.per_second).toBe(1_000)
})

test('an upload that does not move has no time left', () => {
  const rate = new TransferRate()
  rate.put(0, 10)
  rate.put(1_000, 10)
  expect(rate.secondsLeft(20)).toBeUndefined()
})
