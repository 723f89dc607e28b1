/** Names that only this machine, or the resolver of one site, knows. */
const private_name = /(?:^|\.)(?:local|localhost|internal|intranet|lan|home|corp|home\.arpa|test|invalid|example)$/

/**
 * Why no phone reaches an address: it is this very machine's, or a name that only some machines know. A private IP address
 * is none of that: phones on the same network reach it. Undefined when nothing is wrong with it.
 */
export function whyOutOfReach(address: string): { host: string; why: 'loopback' | 'private_name' } | undefined {
  const host = hostOf(address)
  if (host === undefined) return undefined
  const name = host.replace(/\.$/, '').toLowerCase()
  if (/^127\.|^\[::1\]$|^0\.0\.0\.0$/.test(name) || /(?:^|\.)localhost$/.test(name)) return { host, why: 'loopback' }
  const is_address = /^[\d.]+$|^\[/.test(name)
  if (!is_address && (!name.includes('.') || private_name.test(name))) return { host, why: 'private_name' }
  return undefined
}

function hostOf(address: string): string | undefined {
  try {
    return new URL(address).hostname
  } catch {
    return undefined
  }
}
