import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { parseNetwork, peerAddress } from './peer-address.ts'

const from = (remoteAddress: string, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage

test.each([
  [[], '::ffff:10.0.0.1', '1.2.3.4', '10.0.0.1'],
  [['10.0.0.0/8'], '10.0.0.1', '1.2.3.4', '1.2.3.4'],
  [['10.0.0.0/8'], '192.0.2.1', '1.2.3.4', '192.0.2.1'],
  [['10.0.0.0/8'], '10.0.0.1', '6.6.6.6, 1.2.3.4', '1.2.3.4'],
  [['10.0.0.0/8'], '10.0.0.1', '1.2.3.4, 10.0.0.9', '1.2.3.4'],
  [['10.0.0.1'], '10.0.0.1', 'not an address', '10.0.0.1'],
  [['10.0.0.1'], '10.0.0.1', undefined, '10.0.0.1'],
  [['fd00::/8'], 'fd00::1', '2001:db8::7', '2001:db8::7'],
])('trusting %j, %s that says %s is %s', (trusted, remote, said, expected) =>
  expect(peerAddress(trusted)(from(remote, said))).toBe(expected),
)

test.each(['', 'x', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0.0/-1', '::1/129', 'localhost'])('%j is no network', (text) =>
  expect(parseNetwork(text)).toBeUndefined(),
)
