import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { generate } from 'mqtt-packet'
import { PacketLengths } from './intake.ts'

const publish = (bytes: number) =>
  generate({ cmd: 'publish', topic: 't', payload: Buffer.alloc(bytes, 0xff), qos: 0, dup: false, retain: false })

/** Of `t` with its length. */
const around = 3

test('the intake finds the packet that is too long however the stream is cut, and no other', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 5_000 }),
      (sizes, cut) => {
        const stream = Buffer.concat(sizes.map(publish))
        const lengths = new PacketLengths()
        let is_fine = true
        for (let i = 0; i < stream.length && is_fine; i += cut)
          is_fine = lengths.follow(stream.subarray(i, i + cut), 16_000)
        expect(is_fine).toBe(sizes.every((size) => size + around <= 16_000))
      },
    ),
  )
})

test('the intake refuses a length of five bytes', () => {
  expect(new PacketLengths().follow(Buffer.from([0x30, 0x80, 0x80, 0x80, 0x80, 0x01]), 1e9)).toBe(false)
})
