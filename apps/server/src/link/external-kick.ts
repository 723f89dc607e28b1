import type { Deps } from '../deps.ts'
import { connectExternal } from './external-connect.ts'

const connect_ms = 5_000
/** Each takes a connection of its own. */
const at_once = 20

/**
 * Ends connections of devices at a broker of somebody else's: who signs in by the client id of a device takes its place, so that
 * the broker ends the device's connection (MQTT 3.1.1, section 3.1.4) and forgets what it has kept for it. The device may come
 * back; what it says is refused then. A broker that does not let the server do that is told of in the log. One that is away
 * is not tried: many devices may be removed at a time, and whoever removes them waits for this.
 */
export function openKicks(
  deps: Deps,
  url: string,
  isReachable: () => boolean,
): (kid: string, reason: string) => Promise<void> {
  const lanes = Array.from({ length: at_once }, () => Promise.resolve())
  let turn = 0

  async function takePlace(kid: string, reason: string): Promise<void> {
    try {
      if (!isReachable()) throw new Error('the broker is not connected')
      const client = await connectExternal(url, { clientId: kid, clean: true, connect_ms, reconnectPeriod: 0 })
      await client.endAsync().catch(() => {})
    } catch (error) {
      deps.log.warn(
        { err: error, terminal_kid: kid, reason },
        'the connection of a device could not be ended at the external broker',
      )
    }
  }

  return (kid, reason) => {
    const lane = turn++ % at_once
    return (lanes[lane] = lanes[lane]!.then(() => takePlace(kid, reason)))
  }
}
