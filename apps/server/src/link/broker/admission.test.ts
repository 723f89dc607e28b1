import { expect, test } from 'vitest'
import { admission } from './admission.ts'

const limits = { connect_rate: 10, connect_burst: 10, device_connects: 60, wrong_secrets: 120 }
const bytes = (text: string) => Buffer.from(text)

test('10,000 wrong connects of one address take nothing from the devices beside them', () => {
  let at = 0
  const admitted = admission(limits, () => at)
  const known = { address: 'site', kid: 'known', secret: bytes('right') }
  expect(admitted.judge(known)).toBe('ask')
  admitted.settle(known, true)
  for (let i = 0; i < 10_000; i++) {
    at += 20
    // Every other one with the id of its neighbour, which it has seen on the label.
    const wrong = { address: 'site', kid: i % 2 ? `stranger ${i}` : 'known', secret: bytes(`${i}`) }
    if (admitted.judge(wrong) === 'ask') admitted.settle(wrong, false)
    if (i % 1_000 === 999) expect([i, admitted.judge(known)]).toEqual([i, 'ask'])
    const fresh = { address: 'site', kid: `new ${i}`, secret: bytes('right') }
    if (i % 1_000 === 999) expect([i, admitted.judge(fresh)]).toEqual([i, 'ask'])
  }
})

test('a device that fails leaves its address as it was', () => {
  let at = 0
  const admitted = admission({ ...limits, wrong_secrets: 20 }, () => at)
  const hostile = (n: number) => ({ address: 'site', kid: 'hostile', secret: bytes(`${n}`) })
  for (let n = 0; n < 500; n++) if (admitted.judge(hostile(n)) === 'ask') admitted.settle(hostile(n), false)
  expect(admitted.judge(hostile(500))).toBe('busy')
  at = 1_000
  // All ten that may come in a second: were the address suspect, they would draw on the bucket of its strangers.
  const fresh = Array.from({ length: 11 }, (_, n) => ({ address: 'site', kid: `${n}`, secret: bytes('right') }))
  expect(fresh.map((one) => admitted.judge(one))).toEqual([...Array(10).fill('ask'), 'busy'])
})

test('a secret that was refused is asked again once the device was looked at, and no other one', () => {
  const admitted = admission(limits, () => 0)
  const [lifted, other] = ['a', 'b'].map((kid) => ({ address: 'site', kid, secret: bytes('s') }))
  for (const each of [lifted!, other!]) admitted.settle(each, false)
  admitted.forget('a')
  expect([admitted.judge(lifted!), admitted.judge(other!)]).toEqual(['ask', 'wrong'])
})

test('a wrong secret is asked again after a minute', () => {
  let at = 0
  const admitted = admission(limits, () => at)
  const credential = { address: 'site', kid: 'a', secret: bytes('s') }
  admitted.settle(credential, false)
  expect(admitted.judge(credential)).toBe('wrong')
  at = 60_000
  expect(admitted.judge(credential)).toBe('ask')
})
