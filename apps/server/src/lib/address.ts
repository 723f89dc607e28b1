import { lookup } from 'node:dns/promises'
import { text } from '@mdm/contract'
import type { Text } from '@mdm/contract'
import ipaddr from 'ipaddr.js'

export type Address = { address: string; family: number }
export type Resolve = (host: string) => Promise<Address[]>

/** Why the server does not call an address. They say nothing of what a name means inside our own network. */
export const reasons = {
  scheme: text('only http and https are possible', 'chỉ có thể dùng http và https', '仅支持 http 和 https'),
  credentials: text(
    'it contains a user name or password',
    'địa chỉ chứa tên người dùng hoặc mật khẩu',
    '地址中包含用户名或密码',
  ),
  unresolved: text('its host was not found', 'không tìm thấy máy chủ của địa chỉ', '找不到该主机'),
  not_public: text(
    'its host is not on the public internet',
    'máy chủ của địa chỉ không nằm trên Internet công cộng',
    '该主机不在公共互联网上',
  ),
} satisfies Record<string, Text>
export type Reason = keyof typeof reasons

export class AddressRefused extends Error {
  constructor(readonly reason: Reason) {
    super(reasons[reason].en)
  }
}

export const systemResolve: Resolve = (host) => lookup(host, { all: true, verbatim: true })

/**
 * Where an address leads that a person gave to the server: its address and every network address of its host, all of them public or named in `allowed`
 * (hosts and networks of MDM_WEBHOOK_ALLOW). Throws AddressRefused. The connection has to be made to these very
 * addresses: a name may resolve to another machine a moment later.
 */
export async function checkedAddress(
  allowed: readonly string[],
  address: string,
  resolve: Resolve = systemResolve,
): Promise<{ url: URL; addresses: Address[] }> {
  if (!URL.canParse(address)) throw new AddressRefused('scheme')
  const url = new URL(address)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new AddressRefused('scheme')
  if (url.username !== '' || url.password !== '') throw new AddressRefused('credentials')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const addresses = ipaddr.isValid(host)
    ? [{ address: host, family: ipaddr.parse(host).kind() === 'ipv6' ? 6 : 4 }]
    : await resolve(host).catch(() => [])
  if (addresses.length === 0) throw new AddressRefused('unresolved')
  const is_named = allowed.some((entry) => entry.toLowerCase() === host.toLowerCase())
  const isFine = (found: Address): boolean => isPublic(found.address) || isAllowed(allowed, found.address)
  if (!is_named && !addresses.every(isFine)) throw new AddressRefused('not_public')
  return { url, addresses }
}

/** Global unicast only; an IPv4 address in an IPv6 one is what it stands for. */
function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  if (parsed.range() !== 'unicast') return false
  // Everything that is in use lies in 2000::/3; the rest is old, reserved or translated into other networks.
  return parsed.kind() === 'ipv4' || parsed.match(ipaddr.parseCIDR('2000::/3'))
}

function isAllowed(allowed: readonly string[], address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return allowed.some((entry) => {
    if (ipaddr.isValid(entry)) return ipaddr.process(entry).toString() === parsed.toString()
    if (!ipaddr.isValidCIDR(entry)) return false
    const network = ipaddr.parseCIDR(entry)
    return network[0].kind() === parsed.kind() && parsed.match(network)
  })
}
