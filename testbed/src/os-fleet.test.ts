import { expect, test } from 'vitest'
import { faultOf, new_version, updateFleet } from './os-fleet.ts'
import { world } from './world.ts'

test('a fleet is updated: each device ends on the new version or on its old one, and says why', async () => {
  await using w = await world()
  const { rows, before, runs, index_of } = await updateFleet(w, 30, 80)
  expect(rows).toHaveLength(30)
  for (const { sn, state, code, os_version } of rows) {
    const fault = faultOf(index_of.get(sn)!)
    const expected = { failing_midway: 'no_space', no_start: 'rolled_back' } as const
    expect({ sn, state, code }).toEqual(
      fault ? { sn, state: 'failed', code: expected[fault] } : { sn, state: 'completed', code: null },
    )
    // What the server knows is what the device runs.
    expect(os_version).toBe(runs.get(sn))
    expect(os_version).toBe(fault ? before.get(sn) : new_version.os_version)
  }
})
