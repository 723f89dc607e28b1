import { describe, expect, it } from 'vitest'
import {
  isOsBuildOpen,
  nextOsBuild,
  nextOsCustom,
  osBuildMoves,
  osBuildStates,
  osBuildSteps,
  osCustomMoves,
  osCustomStates,
} from './os_custom.ts'
import type { OsBuildEvent, OsBuildState, OsCustomEvent, OsCustomState } from './os_custom.ts'

const customEvents: OsCustomEvent[] = ['build', 'edit', 'succeed', 'fail', 'abandon', 'restore']
const buildEvents: OsBuildEvent[] = ['begin', 'advance', 'finish', 'fail', 'cancel', 'retry']

describe('states of a custom OS', () => {
  it.each(osCustomStates.flatMap((state) => customEvents.map((event) => [state, event] as const)))(
    '%s %s',
    (state, event) => {
      const given_up: Partial<Record<OsCustomEvent, OsCustomState>> = { restore: 'enabled' }
      const in_use: Partial<Record<OsCustomEvent, OsCustomState>> = {
        build: state,
        edit: state,
        succeed: 'enabled',
        fail: 'abnormal',
        abandon: 'abandoned',
      }
      expect(nextOsCustom(state, event)).toBe((state === 'abandoned' ? given_up : in_use)[event])
    },
  )
  it('lead only to states that there are', () => {
    for (const to of Object.values(osCustomMoves).flatMap((moves) => Object.values(moves)))
      expect(osCustomStates).toContain(to)
  })
})

describe('states of a build', () => {
  const cases = osBuildStates.flatMap((state) =>
    osBuildSteps.flatMap((step) => buildEvents.map((event) => [state, step, event] as const)),
  )
  it.each(cases)('%s in %s: %s', (state, step, event) => {
    const is_last = step === 'launching'
    const after: Record<OsBuildEvent, OsBuildState | undefined> = {
      begin: isOsBuildOpen(state) ? 'running' : undefined,
      advance: state === 'running' && !is_last ? 'running' : undefined,
      finish: state === 'running' && is_last ? 'completed' : undefined,
      fail: state === 'running' ? 'failed' : undefined,
      cancel: isOsBuildOpen(state) || state === 'failed' ? 'canceled' : undefined,
      retry: state === 'failed' ? 'waiting' : undefined,
    }
    const to = after[event]
    const next = event === 'advance' ? osBuildSteps[osBuildSteps.indexOf(step) + 1]! : step
    expect(nextOsBuild({ state, step }, event)).toEqual(to && { state: to, step: next })
  })
  it('end in states that nothing leaves', () => {
    expect([osBuildMoves.completed, osBuildMoves.canceled]).toEqual([{}, {}])
  })
})
