import { hasToWait, PushConditions } from '@mdm/contract'
import { expect, test } from 'vitest'
import {
  conditionsOf,
  faultsOf,
  isCurrent,
  laterDisabledReason,
  newDraft,
  previewInputOf,
  rolloutOf,
  stepsOf,
  usual_rollout,
  fromPlanned,
  fromTemplate,
} from './draft.ts'
import type { Draft } from './draft.ts'

const now = Date.parse('2026-11-24T00:00:00Z')
const at = (hours: number) => new Date(now + hours * 3_600_000).toISOString()
const draft: Draft = { ...newDraft('file', 'UTC'), devices: { kind: 'group', terminal_group_kid: 'ALL' } }

test('a check holds until whom or what it was for changes', () => {
  const checked = {
    kid: 'k',
    total: 1,
    target: null,
    subject: null,
    from_versions: [],
    left_out: [],
    missing: [],
    missing_count: 0,
    expires_at: at(1),
    listed: null,
    of: JSON.stringify(previewInputOf(draft)),
  }
  expect(isCurrent(draft, checked)).toBe(true)
  expect(isCurrent({ ...draft, description: 'other' }, checked)).toBe(true)
  expect(isCurrent({ ...draft, offline_days: 3 }, checked)).toBe(false)
  expect(isCurrent({ ...draft, type: 'lock' }, checked)).toBe(false)
  expect(isCurrent({ ...draft, devices: { kind: 'group', terminal_group_kid: 'NO_GROUP' } }, checked)).toBe(false)
})

test('times, windows and steps that the server would refuse are named by their field', () => {
  const fields = (change: Partial<Draft>) => Object.keys(faultsOf({ ...draft, ...change }, now))
  expect(fields({})).toEqual([])
  expect(fields({ start: 'at' })).toEqual(['start_at'])
  expect(fields({ start: 'at', start_at: at(-1) })).toEqual(['start_at'])
  // As the server: what lies behind by less than ten minutes is now.
  expect(fields({ start: 'at', start_at: at(-9 / 60) })).toEqual([])
  expect(fields({ start: 'at', start_at: at(-11 / 60) })).toEqual(['start_at'])
  expect(fields({ start: 'at', start_at: at(24 * 31) })).toEqual(['start_at'])
  expect(fields({ start: 'at', start_at: at(5), deadline_at: at(4) })).toEqual(['deadline_at'])
  expect(fields({ deadline_at: at(-1) })).toEqual(['deadline_at'])
  expect(fields({ window: { from: '10:00', to: '10:00' } })).toEqual(['window'])
  expect(fields({ start: 'recurring', name: ' ' })).toEqual(['name'])
  const steps = (change: Partial<typeof usual_rollout>) => fields({ rollout: { ...usual_rollout, ...change } })
  expect(steps({})).toEqual([])
  expect(steps({ sizes: [25, 5] })).toEqual(['rollout.steps'])
  expect(steps({ sizes: [null] })).toContain('rollout.steps')
  expect(steps({ is_picking: true })).toEqual(['rollout.picked_kids'])
  expect(steps({ error_percent: null })).toEqual(['rollout.error_percent'])
})

test('devices that match later are taken in only until an end, and only of what is matched', () => {
  const rollout = { ...usual_rollout, takes_later: true }
  expect(laterDisabledReason({ ...draft, rollout })).toBe('deadline')
  expect(rolloutOf({ ...draft, rollout })).toMatchObject({ takes_later: false })
  expect(rolloutOf({ ...draft, rollout, deadline_at: at(2) })).toMatchObject({ takes_later: true })
  const devices = { kind: 'devices', rows: [{ kid: 'a', sn: 'A', name: '' }] } as const
  expect(laterDisabledReason({ ...draft, devices, deadline_at: at(2) })).toBe('named')
  expect(stepsOf({ ...draft, rollout }, 100)).toEqual([5, 20, 75])
})

test('a copy takes over payload, conditions and steps, but no time and no picked device', () => {
  const copy = fromTemplate(draft, {
    type: 'restart',
    payload: {},
    description: 'Monthly',
    conditions: {
      network: 'any',
      window: { from: '22:00', to: '05:00' },
      download_prompt: false,
      install_prompt: true,
      force_install: false,
      after_install: 'nothing',
      start_at: at(-48),
      deadline_at: at(-24),
    },
    rollout: { steps: [{ count: 3 }], picked_kids: ['a'], success_percent: 80, error_percent: 5, takes_later: true },
  })
  expect(conditionsOf(copy)).toEqual({
    install_prompt: true,
    force_install: false,
    window: { from: '22:00', to: '05:00' },
  })
  expect(rolloutOf(copy)).toEqual({
    steps: [{ count: 3 }],
    success_percent: 80,
    error_percent: 5,
    takes_later: false,
  })
  expect(copy.devices).toEqual(draft.devices)
})

test('a planned push is filled in as it was made, with its devices, its times and its picked ones', () => {
  const named = [{ kid: 'k1', sn: 'A1', name: '' }]
  const planned = {
    type: 'message' as const,
    payload: { title: 'Hi', text: 'there' },
    description: '',
    conditions: PushConditions.parse({ start_at: at(24 * 365), deadline_at: at(24 * 366) }),
    rollout: { steps: [], picked_kids: ['k1'], success_percent: 90, error_percent: 10, takes_later: false },
    ...{ match: null, devices: named, picked: named, offline_days: 3, target: null },
  }
  const fill = (more: object = {}) => fromPlanned(newDraft('message', 'UTC'), { ...planned, ...more } as never, 'Said')
  const filled = fill()
  expect(filled).toMatchObject({ start: 'at', offline_days: 3, devices: { kind: 'devices', rows: named } })
  expect(conditionsOf(filled)).toMatchObject({ start_at: at(24 * 365), deadline_at: at(24 * 366) })
  expect(rolloutOf(filled)).toEqual({ ...planned.rollout, picked_kids: ['k1'] })
  expect(fill({ match: { terminal_group_kid: 'g' } }).devices).toEqual({ kind: 'group', terminal_group_kid: 'g' })
  expect(fill({ match: { is_online: true } }).devices).toMatchObject({ kind: 'filter', given: { said: 'Said' } })
  expect(fill({ target: { file: 'tills.csv' } }).devices).toMatchObject({ kind: 'sns', sns: ['A1'], file: 'tills.csv' })
  // One that waits for its approval beyond its time begins when it is approved.
  expect(fill({ conditions: PushConditions.parse({ start_at: at(-24 * 3650) }) })).toMatchObject({ start: 'now' })
})

test('a condition on the charge makes a push wait as the others do', () => {
  expect(hasToWait(conditionsOf(newDraft('restart', 'UTC')) ?? {})).toBe(false)
  expect(hasToWait({ min_battery: 30 })).toBe(true)
  expect(hasToWait({ window: { from: '22:00', to: '23:00' } })).toBe(true)
  expect(hasToWait({ network: 'wifi' })).toBe(true)
})
