import { liveHeartbeat } from '@mdm/contract'
import type { LiveEvent } from '@mdm/contract'
import type { SignedIn } from '../context.ts'

/** One open stream of a browser. */
export type LiveClient = {
  session: SignedIn
  token_hash: Buffer
  /** `account_kid` as it was asked for: a change of what the user may see is read with it. */
  asked_kid: string | null
  /** Writes now or drops and later says `lagged`; never buffers without bound. */
  send(text: string): void
  /** A sign of life for browser and proxies; also ends a peer that has not read for long. */
  beat(): void
  end(): void
}

/** An event as Server-Sent Events carry it. */
export const frame = (event: LiveEvent): string => `data: ${JSON.stringify(event)}\n\n`

/** EventSource passes over an event without a `data` line. */
export const heartbeat = `event: ${liveHeartbeat.event}\ndata:\n\n`
