import { expect, test } from 'vitest'
import { errors } from '@mdm/contract'
import { tunnelCloses } from '@mdm/contract/tunnel.ts'
import { brokenBy, dead_ms, nextStatus, retryDelay, stale_ms } from './status.ts'
import type { Status, StatusEvent } from './status.ts'

const statuses: Record<Status['name'], Status> = {
  connecting: { name: 'connecting', is_open: false },
  waiting_consent: { name: 'waiting_consent' },
  connected: { name: 'connected', seen_at: 1_000 },
  stale: { name: 'stale', seen_at: 1_000 },
  reconnecting: { name: 'reconnecting', attempt: 1, disabled_reason: 'device_gone', seen_at: 1_000 },
  ended: { name: 'ended', disabled_reason: 'expired' },
  refused: { name: 'refused', result: errors.remote_asleep.result, message: 'asleep' },
}
const away = errors.device_not_online.result
const asleep = errors.remote_asleep.result
const events = {
  asked: { type: 'asked', asks_consent: true },
  answered: { type: 'answered' },
  opened: { type: 'opened' },
  seen: { type: 'seen', at: 2_000 },
  fresh: { type: 'looked', at: 1_000 + stale_ms - 1 },
  late: { type: 'looked', at: 1_000 + stale_ms },
  dead: { type: 'looked', at: 1_000 + dead_ms },
  dropped: { type: 'closed', code: 1006 },
  expired: { type: 'closed', code: tunnelCloses.expired },
  away: { type: 'refused', result: away, message: 'away' },
  asleep: { type: 'refused', result: asleep, message: 'asleep' },
  left: { type: 'left' },
} as const satisfies Record<string, StatusEvent>

const [same, waits, over] = [
  'same',
  { name: 'waiting_consent' },
  { name: 'ended', disabled_reason: 'expired' },
] as const
const seen = { name: 'connected', seen_at: 2_000 } as const
const left = { name: 'ended', disabled_reason: 'left' } as const
const again = (disabled_reason: string, seen_at: number | null, attempt = 0) => ({
  name: 'reconnecting',
  attempt,
  disabled_reason,
  seen_at,
})
const refused = (result: number, message: string) => ({ name: 'refused', result, message })

/** Every state against every event; `same` is that it says nothing new. */
const table: Record<Status['name'], Record<keyof typeof events, unknown>> = {
  connecting: {
    ...{ asked: waits, answered: same, opened: { name: 'connecting', is_open: true }, seen, fresh: same, late: same },
    ...{ dead: same, dropped: again('lost', null), expired: over, away: refused(away, 'away'), left },
    asleep: refused(asleep, 'asleep'),
  },
  waiting_consent: {
    ...{ asked: waits, answered: { name: 'connecting', is_open: false }, opened: same, seen: same, fresh: same },
    ...{ late: same, dead: same, dropped: again('lost', null), expired: over, away: refused(away, 'away'), left },
    asleep: refused(asleep, 'asleep'),
  },
  connected: {
    ...{ asked: waits, answered: same, opened: same, seen, fresh: same, late: { name: 'stale', seen_at: 1_000 } },
    ...{ dead: again('lost', 1_000), dropped: again('lost', 1_000), expired: over, away: refused(away, 'away'), left },
    asleep: refused(asleep, 'asleep'),
  },
  stale: {
    ...{ asked: waits, answered: same, opened: same, seen, fresh: same, late: { name: 'stale', seen_at: 1_000 } },
    ...{ dead: again('lost', 1_000), dropped: again('lost', 1_000), expired: over, away: refused(away, 'away'), left },
    asleep: refused(asleep, 'asleep'),
  },
  reconnecting: {
    ...{ asked: waits, answered: same, opened: same, seen, fresh: same, late: same, dead: same },
    ...{ dropped: again('lost', 1_000, 2), expired: over, left },
    // The device is on its way back: that it is not there yet ends nothing.
    away: again('device_gone', 1_000, 2),
    asleep: refused(asleep, 'asleep'),
  },
  ended: {
    ...{ asked: waits, answered: same, opened: same, seen: same, fresh: same, late: same, dead: same, dropped: same },
    ...{ expired: same, away: same, asleep: same, left: same },
  },
  refused: {
    ...{ asked: waits, answered: same, opened: same, seen: same, fresh: same, late: same, dead: same, dropped: same },
    ...{ expired: same, away: same, asleep: same, left: same },
  },
}

test.each(Object.keys(table) as Status['name'][])('%s, and whatever happens to it', (name) => {
  const found = Object.entries(events).map(([what, event]) => [what, nextStatus(statuses[name], event)])
  const wanted = Object.entries(table[name]).map(([what, status]) => [
    what,
    status === 'same' ? statuses[name] : status,
  ])
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(wanted))
})

test('a session that nobody is asked for begins at once', () => {
  expect(nextStatus(statuses.ended, { type: 'asked', asks_consent: false })).toEqual({
    name: 'connecting',
    is_open: false,
  })
})

test('an ended session is told as ended when it is joined again, and a lost network is waited for', () => {
  const join = (result: number) => nextStatus(statuses.reconnecting, { type: 'refused', result, message: '' })
  expect(join(errors.remote_ended.result)).toEqual({ name: 'ended', disabled_reason: 'ended' })
  expect(join(-1)).toMatchObject({ name: 'reconnecting', attempt: 2 })
})

test('a stream that cannot be understood is given up after five tries in a row, a device that is away never', () => {
  const tries = (code: number) => {
    let status: Status = statuses.connected
    for (let time = 0; time < 12; time++) status = nextStatus(status, { type: 'closed', code })
    return status
  }
  expect(tries(tunnelCloses.failed)).toEqual({ name: 'ended', disabled_reason: 'failed' })
  expect(tries(tunnelCloses.device_gone)).toMatchObject({ name: 'reconnecting', attempt: 11 })
})

test('four tries are made within five seconds, the first after half a second', () => {
  const waits_ms = [0, 1, 2, 3, 4, 20].map(retryDelay)
  expect(waits_ms).toEqual([500, 1_000, 2_000, 3_000, 3_000, 3_000])
  expect(waits_ms[0]! + waits_ms[1]! + waits_ms[2]!).toBeLessThan(5_000)
})

test('every code of the server has its word, any other is a lost connection', () => {
  for (const [word, code] of Object.entries(tunnelCloses)) expect(brokenBy(code)).toBe(word)
  expect([brokenBy(1006), brokenBy(1000), brokenBy(4999)]).toEqual(['lost', 'lost', 'lost'])
})

test('who ends the session is told so, also when its tunnel was closed before the call was answered', () => {
  expect(nextStatus({ name: 'ended', disabled_reason: 'ended' }, { type: 'left' })).toEqual(left)
  expect(nextStatus({ name: 'ended', disabled_reason: 'signed_out' }, { type: 'left' })).toEqual({
    name: 'ended',
    disabled_reason: 'signed_out',
  })
})
