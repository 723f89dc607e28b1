import { expect, test } from 'vitest'
import { faultOf, new_version, updateFleet } from './os-fleet.ts'
import { world } from './world.ts'

test(
  '1,000 devices, 5 % failing mid-download and 2 % not coming up: none ends between two versions',
  async () => {
    await using w = await world()
    const { rows, before, runs, index_of } = await updateFleet(w, 1_000, 15 * 60)
    expect(rows).toHaveLength(1_000)
    const strange = rows.filter(({ sn, state, os_version }) => {
      const should = faultOf(index_of.get(sn)!) ? before.get(sn) : new_version.os_version
      return (
        os_version !== should ||
        runs.get(sn) !== should ||
        state !== (should === before.get(sn) ? 'failed' : 'completed')
      )
    })
    expect(strange).toEqual([])
    const failedBy = (wanted: string) => rows.filter(({ code }) => code === wanted)
    expect(failedBy('no_space')).toHaveLength(50)
    expect(failedBy('rolled_back')).toHaveLength(20)
  },
  20 * 60_000,
)
