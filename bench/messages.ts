import { upTopic } from '@mdm/device-link'
import { generate } from 'mqtt-packet'

export const window_size = 50

/** What a device in use reports: battery, network and load; 330 bytes of JSON. */
export const parts = {
  battery: { level: 81, charging: 'discharging', temperature: 31.2, voltage: 3912 },
  network: { type: 'wifi', internal_ip: '192.168.17.23', signal: -61 },
  run: {
    ...{ cpu: 12.5, memory_used: 1_610_612_736, memory_total: 4_294_967_296 },
    ...{ storage_used: 12_884_901_888, storage_total: 34_359_738_368, uptime: 86_423 },
  },
}

/** Writes the same `up/state` packet again and again with a new id, number and time, at almost no cost. */
export type StateWriter = ((into: Buffer, at: number, message_id: number, seq: number) => void) & { bytes: number }
export function stateWriter(kid: string): StateWriter {
  const [seq, device_time] = [1_000_000_000_000_000, new Date(0).toISOString()]
  const topic = upTopic(kid, 'state')
  const payload = JSON.stringify({ seq, device_time, ...parts })
  const packet = generate({ cmd: 'publish', topic, payload, messageId: 1, qos: 1, dup: false, retain: false })
  const [idAt, seqAt, timeAt] = [
    packet.indexOf(topic) + topic.length,
    packet.indexOf(String(seq)),
    packet.indexOf(device_time),
  ]
  return Object.assign(
    (into: Buffer, at: number, message_id: number, n: number) => {
      packet.copy(into, at)
      into.writeUInt16BE(message_id, at + idAt)
      into.write(String(n), at + seqAt, 'latin1')
      into.write(now(), at + timeAt, 'latin1')
    },
    { bytes: packet.length },
  )
}

let at = 0
let text = ''
/** Once a millisecond is enough. */
function now(): string {
  const present = Date.now()
  if (present !== at) text = new Date((at = present)).toISOString()
  return text
}
