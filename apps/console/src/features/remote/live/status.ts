import { errors } from '@mdm/contract'
import { tunnelCloses } from '@mdm/contract/tunnel.ts'
import type { TunnelClose } from '@mdm/contract/tunnel.ts'

/** Why a session that was open is so no longer, or why it is tried again. `lost` is a connection that broke without a word. */
export type Broken = TunnelClose | 'lost'
export type Status =
  /** `is_open`: the device is there, and its first picture is on its way. */
  | { name: 'connecting'; is_open: boolean }
  | { name: 'waiting_consent' }
  | { name: 'connected'; seen_at: number }
  /** The connection stands and no picture comes: what is on screen is old. */
  | { name: 'stale'; seen_at: number }
  | { name: 'reconnecting'; attempt: number; disabled_reason: Broken; seen_at: number | null }
  | { name: 'ended'; disabled_reason: Broken | 'left' }
  | { name: 'refused'; result: number; message: string }

export type StatusEvent =
  | { type: 'asked'; asks_consent: boolean }
  /** The server has a ticket for us: whoever had to agree did. */
  | { type: 'answered' }
  | { type: 'opened' }
  /** A whole picture came, or what stands for it: a terminal has none and is there as soon as it is open. */
  | { type: 'seen'; at: number }
  | { type: 'looked'; at: number }
  | { type: 'closed'; code: number }
  | { type: 'refused'; result: number; message: string }
  | { type: 'left' }

/** Without a picture for so long it is said, with the age of the one on screen. */
export const stale_ms = 6_000
/** And after so long the connection is taken for dead: one that is half open never says so. */
export const dead_ms = 30_000
/** A stream that the server cannot make sense of is not asked for again for ever. */
const most_failures = 5

const final = new Set<Broken>(['ended', 'expired', 'signed_out', 'not_allowed'])
/** What may be otherwise a moment later: the device is on its way back, or the server is. */
const passing = new Set<number>([
  errors.device_not_online.result,
  errors.device_no_answer.result,
  errors.no_remote_connection.result,
])

export const brokenBy = (code: number): Broken =>
  (Object.keys(tunnelCloses) as TunnelClose[]).find((name) => tunnelCloses[name] === code) ?? 'lost'

/** How long to wait before each try: all of the first four are made within five seconds. */
export const retryDelay = (attempt: number): number => Math.min(3_000, 500 * 2 ** attempt)

export const isOver = ({ name }: Status): boolean => name === 'ended' || name === 'refused'

/** What a session is after something has happened. What is over stays over until it is asked for anew. */
export function nextStatus(status: Status, event: StatusEvent): Status {
  if (event.type === 'asked')
    return event.asks_consent ? { name: 'waiting_consent' } : { name: 'connecting', is_open: false }
  if (isOver(status)) {
    // Who ends the session is told so, whichever word comes first: the answer to the call, or the close of the tunnel.
    const is_own_end = event.type === 'left' && status.name === 'ended' && status.disabled_reason === 'ended'
    return is_own_end ? { name: 'ended', disabled_reason: 'left' } : status
  }
  switch (event.type) {
    case 'answered':
      return status.name === 'waiting_consent' ? { name: 'connecting', is_open: false } : status
    case 'opened':
      return status.name === 'connecting' ? { name: 'connecting', is_open: true } : status
    case 'seen':
      return status.name === 'waiting_consent' ? status : { name: 'connected', seen_at: event.at }
    case 'looked':
      return looked(status, event.at)
    case 'closed':
      return broken(status, brokenBy(event.code))
    case 'refused':
      return refused(status, event)
    case 'left':
      return { name: 'ended', disabled_reason: 'left' }
  }
}

function looked(status: Status, at: number): Status {
  if (status.name !== 'connected' && status.name !== 'stale') return status
  const age = at - status.seen_at
  if (age >= dead_ms) return broken(status, 'lost')
  return age >= stale_ms ? { name: 'stale', seen_at: status.seen_at } : status
}

function broken(status: Status, disabled_reason: Broken): Status {
  if (final.has(disabled_reason)) return { name: 'ended', disabled_reason }
  const attempt = status.name === 'reconnecting' ? status.attempt + 1 : 0
  if (disabled_reason === 'failed' && attempt >= most_failures) return { name: 'ended', disabled_reason }
  const seen_at = 'seen_at' in status ? status.seen_at : null
  return { name: 'reconnecting', attempt, disabled_reason, seen_at }
}

function refused(status: Status, { result, message }: { result: number; message: string }): Status {
  if (status.name !== 'reconnecting') return { name: 'refused', result, message }
  // The network is not there (negative), or the device is not back yet.
  if (result < 0 || passing.has(result)) return { ...status, attempt: status.attempt + 1 }
  if (result === errors.remote_ended.result) return { name: 'ended', disabled_reason: 'ended' }
  return { name: 'refused', result, message }
}
