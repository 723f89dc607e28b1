import { describe, expect, it } from 'vitest'
import { checkedAddress } from './address.ts'
import type { AddressRefused, Resolve } from './address.ts'

const names: Record<string, string[]> = {
  'public.test': ['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946'],
  'half.test': ['93.184.216.34', '10.1.2.3'],
  'inside.test': ['192.168.7.8'],
}
const resolve: Resolve = async (host) => {
  const found = names[host]
  if (!found) throw new Error('ENOTFOUND')
  return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
}
const reasonOf = (url: string, allowed: string[] = []) =>
  checkedAddress(allowed, url, resolve).then(
    () => 'fine',
    (error: unknown) => (error as AddressRefused).reason,
  )

describe('an address', () => {
  it('of a public host is fine, with all that its name stands for', async () => {
    const { addresses } = await checkedAddress([], 'https://public.test/hook?x=1', resolve)
    expect(addresses.map(({ address }) => address)).toEqual(names['public.test'])
    expect(await reasonOf('http://93.184.216.34:8080/')).toBe('fine')
    expect(await reasonOf('http://[2606:2800:220:1:248:1893:25c8:1946]/')).toBe('fine')
  })

  it.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f.0.0.1/',
    'http://0.0.0.0/',
    'http://10.0.0.1/',
    'http://172.16.0.1/',
    'http://192.168.0.1/',
    'http://169.254.169.254/latest/meta-data',
    'http://100.64.0.1/',
    'http://192.0.2.1/',
    'http://198.18.0.1/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://[::]/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:a00:1]/',
    'http://[::7f00:1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[2001::1]/',
    'http://[fc00::1]/',
    'http://[fe80::1]/',
    'http://[fec0::1]/',
    'http://[ff02::1]/',
    'http://[2001:db8::1]/',
    'http://inside.test/',
    'http://half.test/',
  ])('%s is not public', async (url) => {
    expect(await reasonOf(url)).toBe('not_public')
  })

  it('is http or https, without a password, of a host that exists', async () => {
    for (const url of ['ftp://public.test/', 'file:///etc/passwd', 'nonsense'])
      expect(await reasonOf(url)).toBe('scheme')
    expect(await reasonOf('http://name:secret@public.test/')).toBe('credentials')
    expect(await reasonOf('http://name@public.test/')).toBe('credentials')
    expect(await reasonOf('http://nobody.test/')).toBe('unresolved')
  })

  it('is fine when the server was told so, by host, address or network', async () => {
    expect(await reasonOf('http://inside.test/', ['other.test', 'INSIDE.test'])).toBe('fine')
    expect(await reasonOf('http://inside.test/', ['192.168.7.8'])).toBe('fine')
    expect(await reasonOf('http://inside.test/', ['192.168.0.0/16'])).toBe('fine')
    expect(await reasonOf('http://inside.test/', ['192.168.6.0/24', 'fc00::/7'])).toBe('not_public')
    expect(await reasonOf('http://half.test/', ['192.168.0.0/16'])).toBe('not_public')
    expect(await reasonOf('http://half.test/', ['10.0.0.0/8'])).toBe('fine')
    expect(await reasonOf('http://[::1]/', ['::1'])).toBe('fine')
    expect(await reasonOf('http://[::ffff:10.0.0.1]/', ['10.0.0.0/8'])).toBe('fine')
  })
})
