import { stripVTControlCharacters } from 'node:util'
import jsQR from 'jsqr'
import { describe, expect, test } from 'vitest'
import { addressForPhones, phoneLines, qrLines } from './demo-phone.ts'

const at = (host: string, public_url?: string) => ({ http: { host, port: 0 }, public_url, browser: true })
const own = { netmask: '', mac: '', cidr: null } as const
const interfaces = {
  lo: [{ ...own, address: '127.0.0.1', family: 'IPv4' as const, internal: true }],
  eth0: [
    { ...own, address: 'fe80::1', family: 'IPv6' as const, internal: false, scopeid: 2 },
    { ...own, address: '192.0.2.7', family: 'IPv4' as const, internal: false },
  ],
}

describe('where a phone reaches the demo', () => {
  test.each([
    ['0.0.0.0', undefined, 'http://192.0.2.7:8081'],
    ['127.0.0.1', undefined, undefined],
    ['localhost', undefined, undefined],
    ['192.0.2.9', undefined, 'http://192.0.2.9:8081'],
    ['127.0.0.1', 'https://mdm.example', 'https://mdm.example'],
  ])('%s, %s: %s', (host, public_url, address) => {
    expect(addressForPhones(at(host, public_url), '8081', interfaces)).toBe(address)
  })
})

test('what stands in the terminal is read by a scanner', () => {
  const text = `http://192.0.2.7:8081/terminal#${'a1'.repeat(32)}`
  const lines = qrLines(text).map((line) => stripVTControlCharacters(line))
  const [scale, border] = [4, 16]
  const side = lines[0]!.length
  const [width, height] = [side * scale + 2 * border, lines.length * 2 * scale + 2 * border]
  const picture = new Uint8ClampedArray(width * height * 4).fill(255)
  lines.forEach((line, row) =>
    [...line].forEach((sign, x) => {
      for (const half of [0, 1]) {
        if (sign !== '█' && sign !== '▀▄'[half]) continue
        for (let dy = 0; dy < scale; dy += 1)
          for (let dx = 0; dx < scale; dx += 1) {
            const at = ((border + (row * 2 + half) * scale + dy) * width + border + x * scale + dx) * 4
            picture.fill(0, at, at + 3)
          }
      }
    }),
  )
  expect(jsQR(picture, width, height)?.data).toBe(text)
})

test('a demo that only this machine reaches says how phones would, and gives no code', () => {
  const said = phoneLines(at('127.0.0.1'), '8081', 'token', true).join('\n')
  expect(said).toContain('MDM_HTTP_HOST=0.0.0.0')
  expect(said).not.toContain('token')
  expect(phoneLines({ ...at('0.0.0.0'), browser: false }, '8081', 'token', true)).toEqual([])
})
