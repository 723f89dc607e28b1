import { limits } from '@mdm/device-link'
import type { Up } from '@mdm/device-link'

/** Room for the topic and the packet's own header. */
const most_bytes = limits.packet_bytes - 1024
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

/** A packet above the limit would end the connection, again and again: then the list of packages is cut. */
export function fitHello(hello: Up['hello']): Up['hello'] {
  const packages = hello.inventory.packages?.slice(0, limits.packages)
  if (!packages) return hello
  const withPackages = (kept: typeof packages): Up['hello'] => ({
    ...hello,
    inventory: { ...hello.inventory, packages: kept },
  })
  let room = most_bytes - bytesOf(withPackages([]))
  const kept = packages.filter((one) => (room -= bytesOf(one) + 1) >= 0)
  return withPackages(kept)
}
