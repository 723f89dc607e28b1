import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv6 } from 'node:net'

/** One address or network (`10.0.0.0/8`) of MDM_TRUST_PROXY; undefined when it is neither. */
export function parseNetwork(text: string): { address: string; prefix: number; family: 'ipv4' | 'ipv6' } | undefined {
  const [address = '', bits, ...rest] = text.split('/')
  if (isIP(address) === 0 || rest.length > 0) return undefined
  const most = isIPv6(address) ? 128 : 32
  const prefix = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : Infinity
  return prefix > most ? undefined : { address, prefix, family: isIPv6(address) ? 'ipv6' : 'ipv4' }
}

/** The client's address behind trusted proxies, for requests that Fastify does not see: upgrades. */
export function peerAddress(trust_proxy: readonly string[]): (request: IncomingMessage) => string {
  const trusted = new BlockList()
  for (const network of trust_proxy.map(parseNetwork))
    if (network) trusted.addSubnet(network.address, network.prefix, network.family)
  const isTrusted = (address: string) =>
    isIP(address) !== 0 && trusted.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
  return ({ socket, headers }) => {
    const said = String(headers['x-forwarded-for'] ?? '').split(',')
    let address = plain(socket.remoteAddress ?? '')
    // From the nearest hop outwards: each is believed only as far as the one before it is trusted.
    while (said.length > 0 && isTrusted(address)) {
      const next = plain(said.pop()!.trim())
      if (isIP(next) === 0) break
      address = next
    }
    return address
  }
}

const plain = (address: string): string => (address.startsWith('::ffff:') ? address.slice(7) : address)
