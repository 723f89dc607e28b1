import ipaddr from 'ipaddr.js'

/**
 * What limits per address count as one: an IPv4 address, however it is written, and the /64 of an IPv6 one, which is
 * what one household or machine has at least.
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  const groups = (parsed as ipaddr.IPv6).parts.slice(0, 4)
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`
}
