import { expect, test } from 'vitest'
import { limits, up } from '@mdm/device-link'
import { fitHello } from './hello.ts'

const hello = (packages: { name: string; version: string }[]) => ({
  epoch: 'e',
  boot_id: 'b',
  device_time: '2026-03-01T08:00:00Z',
  inventory: { packages },
})

test('a list of packages that would burst the packet is cut, and no shorter than it must be', () => {
  const many = Array.from({ length: 5000 }, (_, n) => ({ name: `${'ü'.repeat(100)}-${n}`, version: '1' }))
  const fitted = fitHello(hello(many))
  const size = Buffer.byteLength(JSON.stringify(fitted))
  expect(size).toBeLessThan(limits.packet_bytes)
  expect(size).toBeGreaterThan(limits.packet_bytes - 2000)
  expect(up.hello.safeParse(fitted).success).toBe(true)
  const short = Array.from({ length: 5000 }, (_, n) => ({ name: `p${n}`, version: '1' }))
  expect(fitHello(hello(short)).inventory.packages).toHaveLength(limits.packages)
})
