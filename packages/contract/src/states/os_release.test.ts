import { describe, expect, it } from 'vitest'
import { canOsRelease, isOsOut, osReleaseMoves, osReleaseStates } from './os_release.ts'
import type { OsReleaseEvent } from './os_release.ts'

const events: OsReleaseEvent[] = ['pre_release', 'launch', 'take_offline', 'delete']

describe('states of an OS version', () => {
  it.each(osReleaseStates.flatMap((state) => events.map((event) => [state, event] as const)))(
    '%s %s is as the specification has it',
    (state, event) => {
      const is_out = state === 'launched' || state === 'pre_released'
      const expected = {
        take_offline: is_out,
        delete: !is_out,
        launch: state !== 'launched',
        pre_release: !is_out,
      }[event]
      expect(canOsRelease(state, event)).toBe(expected)
      expect(isOsOut(state)).toBe(is_out)
    },
  )
  it('lead only to states that there are', () => {
    for (const to of Object.values(osReleaseMoves).flatMap((moves) => Object.values(moves)))
      if (to !== null) expect(osReleaseStates).toContain(to)
  })
})
