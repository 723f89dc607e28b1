import { describe, expect, it } from 'vitest'
import {
  canPushTask,
  deadlineSeconds,
  isFinal,
  nextPushTaskState,
  processEventOf,
  processEvents,
  pushTaskMoves,
  pushTaskResult,
  pushTaskStates,
  reportedEvent,
} from './push_task.ts'
import type { PushTaskEvent, PushTaskState } from './push_task.ts'

/** The steps of a device, in their order: written down again here, so that a slip in the table shows. */
const steps: [PushTaskEvent, PushTaskState][] = [
  ['receive', 'receipt'],
  ['queue_download', 'wait_download'],
  ['start_download', 'downloading'],
  ['finish_download', 'downloaded'],
  ['queue_execute', 'wait_execute'],
  ['start_execute', 'executing'],
  ['complete', 'completed'],
]
const order: PushTaskState[] = ['wait_receipt', ...steps.map(([, state]) => state)]

describe.each(pushTaskStates)('%s', (from) => {
  const at = order.indexOf(from)
  const is_open = at >= 0 && from !== 'completed'

  it.each(steps)('%s leads forward or nowhere', (event, to) => {
    expect(nextPushTaskState(from, event)).toBe(is_open && order.indexOf(to) > at ? to : undefined)
  })
  it.each([
    ['fail', 'failed'],
    ['cancel', 'canceled'],
  ] as const)('%s ends what is open', (event, to) => {
    expect(nextPushTaskState(from, event)).toBe(is_open ? to : undefined)
  })
  it('retry begins again what ended badly', () => {
    expect(nextPushTaskState(from, 'retry')).toBe(from === 'failed' || from === 'canceled' ? 'wait_receipt' : undefined)
  })
  it('has a deadline unless it is final', () => {
    expect(isFinal(from)).toBe(!is_open)
    expect(from in deadlineSeconds).toBe(is_open)
  })
  it('can do exactly what it has a next state for', () => {
    for (const event of Object.keys(processEventOf) as PushTaskEvent[])
      expect(canPushTask(from, event)).toBe(event in pushTaskMoves[from])
  })
})

describe('what devices and people see', () => {
  it('a device reports every state but the server’s own, and the table leads there', () => {
    expect(Object.keys(reportedEvent)).toEqual(pushTaskStates.filter((state) => state !== 'wait_receipt'))
    for (const [state, event] of Object.entries(reportedEvent))
      expect(nextPushTaskState('wait_receipt', event)).toBe(state)
  })
  it('every process event is what some move is called, but the first and what comes after the end', () => {
    const called = new Set(Object.values(processEventOf))
    expect(processEvents.filter((event) => !called.has(event))).toEqual(['created', 'reported_after_end'])
  })
  it.each([
    [{ total: 3, completed: 3, failed: 0, canceled: 0 }, 'all_succeeded'],
    [{ total: 3, completed: 1, failed: 1, canceled: 1 }, 'partly_succeeded'],
    [{ total: 3, completed: 0, failed: 1, canceled: 2 }, 'all_failed'],
    [{ total: 3, completed: 2, failed: 0, canceled: 0 }, undefined],
    [{ total: 1, completed: 0, failed: 0, canceled: 0 }, undefined],
  ])('%o is %s', (counts, result) => expect(pushTaskResult(counts)).toBe(result))
})
