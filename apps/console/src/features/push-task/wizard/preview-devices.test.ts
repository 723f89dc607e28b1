import { afterEach, expect, test, vi } from 'vitest'
import * as calls from '../../../core/api.ts'
import { pollPreview } from './preview-devices.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const begun = {
  kid: '018f0000-0000-7000-8000-000000000001',
  total: 2,
  left_out: [],
  missing: ['X-1'],
  missing_count: 1,
  expires_at: '2026-01-01T00:00:00.000Z',
  listed: { done: 2, of: 4 },
}
test('a preview is asked about until all of its devices are known, and keeps what was not found', async () => {
  vi.useFakeTimers()
  const answers = [
    { ...begun, listed: { done: 3, of: 4 } },
    { ...begun, total: 4, missing: [], missing_count: 0, listed: null },
  ]
  const sent = vi.spyOn(calls, 'send').mockImplementation(() => Promise.resolve(answers.shift() as never))
  const onProgress = vi.fn()
  const whole = pollPreview(begun as never, onProgress, () => true)
  await vi.runAllTimersAsync()
  expect(await whole).toMatchObject({ total: 4, listed: null, missing: ['X-1'], missing_count: 1 })
  expect(onProgress.mock.calls).toEqual([[{ done: 2, of: 4 }], [{ done: 3, of: 4 }]])
  expect(sent).toHaveBeenCalledTimes(2)
})

test('a preview that nobody waits for is asked about no more', async () => {
  vi.useFakeTimers()
  const sent = vi.spyOn(calls, 'send')
  const whole = pollPreview(
    begun as never,
    () => undefined,
    () => false,
  )
  await vi.runAllTimersAsync()
  expect(await whole).toMatchObject({ listed: { done: 2, of: 4 } })
  expect(sent).not.toHaveBeenCalled()
})
