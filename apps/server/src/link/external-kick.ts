import { connect } from 'mqtt'
import type { Deps } from '../deps.ts'

const connect_ms = 5_000
/** Each takes a connection of its own. */
const at_once = 20

/**
 * Ends connections of devices at a broker of somebody else's: who signs in by the client id of a device takes its place, so that
 * the broker ends the device's connection (MQTT 3.1.1, section 3.1.4) and forgets what it has kept for it. The device may come
 * back; what it says is refused then. A broker that does not let the server do that is told of in the log.
 */
export function openKicks(deps: Deps, url: string): (kid: string, reason: string) => Promise<void> {
  const lanes = Array.from({ length: at_once }, () => Promise.resolve())
  let turn = 0

  async function takePlace(kid: string, reason: string): Promise<void> {
    const client = connect(url, {
      clientId: kid,
      clean: true,
      protocolVersion: 4,
      connectTimeout: connect_ms,
      reconnectPeriod: 0,
    })
    try {
      await new Promise<void>((resolve, reject) => {
        client.once('connect', () => resolve())
        client.on('error', reject)
        client.once('close', () => reject(new Error('the broker ended the connection')))
      })
    } catch (error) {
      deps.log.warn(
        { err: error, terminal_kid: kid, reason },
        'the connection of a device could not be ended at the external broker',
      )
    } finally {
      await client.endAsync().catch(() => {})
    }
  }

  return (kid, reason) => {
    const lane = turn++ % at_once
    return (lanes[lane] = lanes[lane]!.then(() => takePlace(kid, reason)))
  }
}
