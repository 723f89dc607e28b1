import { downTopic, limits, packetBytes } from '@mdm/device-link'
import type { DownName } from '@mdm/device-link'

type Taker = { terminal_kid: string; max_packet: number | null }

/** How many bytes a packet has that its device does not take, and how many it takes; undefined of one that it takes. */
export function beyondPacket({ terminal_kid, max_packet }: Taker, name: DownName, payload: string) {
  const bytes = packetBytes(downTopic(terminal_kid, name), payload)
  const most = max_packet ?? limits.packet_bytes
  return bytes > most ? { bytes, max_packet: most } : undefined
}
