import { expect, test } from 'vitest'
import { whyOutOfReach } from './reach.ts'

test.each([
  ['http://localhost:8081/enrol?qr=x', 'loopback'],
  ['http://127.0.0.1:8081/enrol?qr=x', 'loopback'],
  ['http://127.9.9.9/', 'loopback'],
  ['http://[::1]:8081/', 'loopback'],
  ['http://0.0.0.0:8081/', 'loopback'],
  ['http://mdm/', 'private_name'],
  ['http://server.local:8081/', 'private_name'],
  ['https://mdm.corp/', 'private_name'],
  ['http://192.168.1.20:8081/', undefined],
  ['http://[2001:db8::1]/', undefined],
  ['https://mdm.shop.vn/enrol?qr=x', undefined],
  ['no address', undefined],
])('%s', (address, why) => {
  expect(whyOutOfReach(address)?.why).toBe(why)
})
