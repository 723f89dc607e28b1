import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testDeps } from '../../testing/deps.ts'
import type { TestDeps } from '../../testing/deps.ts'
import { startDispatcher } from './dispatcher.ts'
import type { Owed, OwedRow } from './owed.ts'

describe('the loop that sends what devices are owed', () => {
  let deps: TestDeps
  beforeAll(async () => void (deps = await testDeps()))
  afterAll(() => deps.close())

  it('tells one who waits that its work is sent, also while others never stop waking it', async () => {
    const dispatcher = startDispatcher(deps, { deliver: async () => 'acknowledged' })
    let batches = 0
    let is_over = false
    const owed: Owed<OwedRow> = {
      table: 'push_task_terminal',
      batch_size: 10,
      async take() {
        batches += 1
        if (!is_over) loop.wake()
        return { due: 0, away: [], write: async () => [] }
      },
      refuseLarge: async () => {},
    }
    const loop = dispatcher.begin(owed)
    await loop.sent()
    expect(batches).toBeGreaterThan(0)
    const before = batches
    // One that comes in the middle of a batch waits for a whole one of its own.
    await loop.sent()
    expect(batches).toBeGreaterThan(before)
    is_over = true
    await dispatcher.close()
  })
})
