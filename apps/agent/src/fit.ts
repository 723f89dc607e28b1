import { limits } from '@mdm/device-link'

/** Room for the topic and the packet's own header. */
export const most_bytes = limits.packet_bytes - 1024
const encoder = new TextEncoder()
export const bytesOf = (value: unknown): number => encoder.encode(JSON.stringify(value)).length

/** The first of `items`, as many as `room` bytes of JSON hold: a packet above the limit would end the connection. */
export function fitting<T>(items: readonly T[], room: number): T[] {
  let left = room
  return items.filter((item) => (left -= bytesOf(item) + 1) >= 0)
}
