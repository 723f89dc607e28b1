import { limits } from '@mdm/device-link'
import type { Up } from '@mdm/device-link'
import { bytesOf, fitting, most_bytes } from './fit.ts'

/** A packet above the limit would end the connection, again and again: then the list of packages is cut. */
export function fitHello(hello: Up['hello']): Up['hello'] {
  const packages = hello.inventory.packages?.slice(0, limits.packages)
  if (!packages) return hello
  const withPackages = (kept: typeof packages): Up['hello'] => ({
    ...hello,
    inventory: { ...hello.inventory, packages: kept },
  })
  return withPackages(fitting(packages, most_bytes - bytesOf(withPackages([]))))
}
