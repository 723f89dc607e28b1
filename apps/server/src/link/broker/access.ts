// Without the payloads and their schemas, which the broker's process never reads.
import { limits } from '@mdm/device-link/limits.ts'
import { isKid, maySubscribe, parseUp, upTopic } from '@mdm/device-link/topics.ts'

type Publish = { topic: string; qos: number; retain: boolean; payload: { length: number } | string }
type Connect = { clientId: string; username?: string; password?: unknown; will?: Publish | undefined }

/** Why a device may not do something, or undefined when it may. A device's id is its user name and its client id. */
export function whyNotPublish(kid: string, packet: Publish): string | undefined {
  const to = parseUp(packet.topic)
  if (!to) return 'not a topic devices publish to'
  if (to.kid !== kid) return 'a topic of another device'
  if (packet.retain) return 'retained'
  if (packet.qos > 1) return 'QoS 2'
  if (packet.payload.length > limits.packet_bytes) return 'too large'
  return undefined
}

export const whyNotSubscribe = (kid: string, filter: string): string | undefined =>
  maySubscribe(kid, filter) ? undefined : 'not a topic of this device'

export function whyNotConnect({ clientId, username, password, will }: Connect): string | undefined {
  if (username === undefined || password === undefined) return 'anonymous'
  if (!isKid(username)) return 'the user name is no device id'
  if (clientId !== username) return 'the client id is not the user name'
  if (will && (will.topic !== upTopic(username, 'gone') || will.retain || will.qos > 1))
    return 'a will elsewhere than up/gone'
  return undefined
}
