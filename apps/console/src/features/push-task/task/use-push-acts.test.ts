import { expect, test } from 'vitest'
import type { PushTaskRow } from '@mdm/contract'
import { whyNoRetry } from './use-push-acts.tsx'

const push = (of: Partial<Pick<PushTaskRow, 'phase' | 'retry'>>, failed = 0) =>
  ({ phase: 'running', retry: null, counts: { failed, canceled: 0 }, ...of }) as PushTaskRow

test('why a push cannot be retried: nothing failed so far, nothing failed at all, it is canceled or retried just now', () => {
  expect(whyNoRetry(push({}))).toBe('retry_yet')
  expect(whyNoRetry(push({ phase: 'paused' }))).toBe('retry_yet')
  expect(whyNoRetry(push({ phase: 'ended' }))).toBe('retry')
  expect(whyNoRetry(push({ phase: 'canceled' }, 3))).toBe('canceling')
  expect(whyNoRetry(push({ retry: { left: 2 } as never }, 3))).toBe('retrying')
})
