import { downTopic, limits, packetBytes } from '@mdm/device-link'
import type { DownName } from '@mdm/device-link'
import type { OwedRow } from './owed.ts'

/** How many bytes a packet has that its device does not take, and how many it takes. */
export type Beyond = { bytes: number; max_packet: number }

/** Undefined of a message that its device takes. */
export function beyondPacket(
  { terminal_kid, max_packet }: OwedRow,
  name: DownName,
  payload: string,
): Beyond | undefined {
  const bytes = packetBytes(downTopic(terminal_kid, name), payload)
  const most = max_packet ?? limits.packet_bytes
  return bytes > most ? { bytes, max_packet: most } : undefined
}
