/** Names of what a device sends: `mdm/v1/{kid}/up/{name}`, QoS 1, never retained. */
export const upNames = ['hello', 'state', 'event', 'task', 'reply', 'gone'] as const
/** Names of what the server sends: `mdm/v1/{kid}/down/{name}`. */
export const downNames = ['task', 'config', 'request', 'cancel', 'refused'] as const
export type UpName = (typeof upNames)[number]
export type DownName = (typeof downNames)[number]

const prefix = 'mdm/v1'
const kidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** A device's id: a lower-case UUID. Nothing else may stand in a topic, so no id can carry `+`, `#`, `/` or NUL. */
export const isKid = (value: string): boolean => kidPattern.test(value)

export const upTopic = (kid: string, name: UpName): string => `${prefix}/${kid}/up/${name}`
export const downTopic = (kid: string, name: DownName): string => `${prefix}/${kid}/down/${name}`
/** Bytes of what the server sends as one MQTT packet: five of its header at most, the topic with its length, an id, the payload. */
export const packetBytes = (topic: string, payload: string): number =>
  5 + 2 + Buffer.byteLength(topic) + 2 + Buffer.byteLength(payload)
/** The one subscription a device needs. */
export const downFilter = (kid: string): string => `${prefix}/${kid}/down/#`

/** What a topic says, or undefined when it is not one a device may publish to. */
export function parseUp(topic: string): { kid: string; name: UpName } | undefined {
  const [mdm, version, kid, direction, name, ...rest] = topic.split('/')
  if (`${mdm}/${version}` !== prefix || direction !== 'up' || rest.length > 0) return undefined
  if (kid === undefined || !isKid(kid)) return undefined
  return isUpName(name) ? { kid, name } : undefined
}

/** Whether `filter` is one a device with this id may subscribe to: all of its `down/`, or one of its children. */
export const maySubscribe = (kid: string, filter: string): boolean =>
  filter === downFilter(kid) || downNames.some((name) => filter === downTopic(kid, name))

const isUpName = (name: string | undefined): name is UpName =>
  (upNames as readonly (string | undefined)[]).includes(name)
