// @vitest-environment jsdom
import { renderHook } from '@testing-library/react'
import { beforeAll, expect, test } from 'vitest'
import { loadTexts, startTexts } from '../../../i18n/i18n.ts'
import { useSessionStore } from '../../../core/session-store.ts'
import { usePushNow } from './use-push-now.ts'

beforeAll(async () => {
  useSessionStore.setState({ language: 'en' })
  await startTexts()
  await loadTexts(['push-task/task', 'push'])
})

type Task = Parameters<ReturnType<typeof usePushNow>>[0]
const step = (at: number, completed: number, failed: number) => ({
  step: at,
  state: 'open' as const,
  counts: { total: 2, completed, failed, canceled: 0, gone: 0 },
  opened_at: null,
})
/** A rollout of two steps with two devices each, in its last step. */
const inLastStep = (plan: Task['plan'], counts: Partial<Task['counts']>) =>
  renderHook(() => usePushNow()).result.current({
    phase: 'running',
    step: 2,
    steps: 2,
    plan,
    rollout: { success_percent: 50 },
    retry: null,
    counts: { total: 4, wait_receipt: 0, running: 0, completed: 0, failed: 0, canceled: 0, gone: 0, ...counts },
  } as unknown as Task)

test('the last step counts its own devices while it is not over', () => {
  const said = inLastStep([step(1, 1, 0), step(2, 1, 0)], { wait_receipt: 2, completed: 2 })
  expect(said).toBe('Step 2 of 2, the last one: 1 of its 2 devices are done.')
})

test('a rollout whose last step is over says for whom of an earlier one it still waits', () => {
  const said = inLastStep([step(1, 1, 0), step(2, 1, 1)], { wait_receipt: 1, completed: 2, failed: 1 })
  expect(said).toBe('Waits for 1 of 4 devices: it has not received the push yet.')
})
