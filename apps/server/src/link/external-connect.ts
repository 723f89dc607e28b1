import { connect } from 'mqtt'
import type { IClientOptions, MqttClient } from 'mqtt'

/**
 * Connects to a broker of somebody else's. Resolves once it has let this client in; rejects when it does not, or ends the
 * connection, or says nothing for `connect_ms`. `prepare` gets the client before it connects: a broker that has kept messages
 * sends them at once.
 */
export async function connectExternal(
  url: string,
  {
    connect_ms,
    ...options
  }: Pick<IClientOptions, 'clientId' | 'clean' | 'keepalive'> & {
    connect_ms: number
    /** After a connection that was lost; 0 is never. */
    reconnectPeriod: number
  },
  prepare: (client: MqttClient) => void = () => {},
): Promise<MqttClient> {
  const client = connect(url, { protocolVersion: 4, connectTimeout: connect_ms, ...options })
  // What fails later, of a client that is about to end too, is no crash.
  client.on('error', () => {})
  prepare(client)
  try {
    await new Promise<void>((resolve, reject) => {
      client.once('connect', () => resolve())
      client.once('error', reject)
      client.once('close', () => reject(new Error('it ended the connection')))
    })
  } catch (error) {
    await client.endAsync(true).catch(() => {})
    throw error
  }
  return client
}
