import { expect, test, vi } from 'vitest'
import { isRareKey, Typist } from './typist.ts'

test('letters that an American keyboard has not are rare, keys that write nothing are not', () => {
  expect([0x41, 0x7e, 0xff_0d, 0xff_e1].some(isRareKey)).toBe(false)
  expect([0xe9, 0x1_f0, 0x01_00_1e_c7].every(isRareKey)).toBe(true)
})

test('a key waits for the rare one before it, and what nothing stands before is pressed at once', async () => {
  vi.useFakeTimers()
  const typist = new Typist()
  const pressed: string[] = []
  void typist.do(() => pressed.push('a'), false)
  expect(pressed).toEqual(['a'])
  void typist.do(() => pressed.push('ệ'), true)
  const last = typist.do(() => pressed.push('b'), false)
  await vi.advanceTimersByTimeAsync(5)
  expect(pressed).toEqual(['a', 'ệ'])
  await vi.advanceTimersByTimeAsync(50)
  await last
  void typist.do(() => pressed.push('c'), false)
  expect(pressed).toEqual(['a', 'ệ', 'b', 'c'])
  vi.useRealTimers()
})
