import type { WebSocket } from 'ws'

/** What may wait to be sent in one direction before the other end is not read any more, and below which it is read again. */
const high_bytes = 128 * 1024
const low_bytes = 32 * 1024

/** Of one end: whether it is read. Whoever has a reason not to read shuts it; it is read again once nobody has one. */
export type Sluice = {
  shut(why: string): void
  open(why: string): void
  /** For how many milliseconds nothing was read; 0 when it is. */
  shutFor(): number
}

export function sluiceOf(end: WebSocket): Sluice {
  const reasons = new Set<string>()
  let since = 0
  return {
    shut(why) {
      if (reasons.size === 0) {
        since = performance.now()
        end.pause()
      }
      reasons.add(why)
    },
    open(why) {
      if (reasons.delete(why) && reasons.size === 0) end.resume()
    },
    shutFor: () => (reasons.size > 0 ? performance.now() - since : 0),
  }
}

/** What becomes of a frame on its way; undefined: it goes no further. What it throws ends the tunnel. */
export type Pass = (data: Buffer, is_text: boolean) => Buffer | string | undefined

/**
 * Sends on what comes from one end, and stops reading it while the other end has not taken what was sent: so a reader that
 * stops is felt by whoever writes, and costs no more memory than `high_bytes` and a frame.
 */
export function carry(
  from: WebSocket,
  sluice: Sluice,
  to: WebSocket,
  pass: Pass,
  failed: (error: unknown) => void,
): void {
  from.on('message', (data, is_binary) => {
    let said: ReturnType<Pass>
    try {
      said = pass(data as Buffer, !is_binary)
    } catch (error) {
      return failed(error)
    }
    if (said === undefined || said.length === 0) return
    to.send(said, { binary: is_binary }, () => {
      if (to.bufferedAmount <= low_bytes) sluice.open('unsent')
    })
    if (to.bufferedAmount > high_bytes) sluice.shut('unsent')
  })
}
