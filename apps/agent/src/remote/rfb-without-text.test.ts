import { expect, test } from 'vitest'
import { isCounted, withoutText } from './rfb-without-text.ts'

const u16 = (...values: number[]) => values.flatMap((value) => [(value >> 8) & 255, value & 255])
const u32 = (value: number) => [(value >>> 24) & 255, ...[16, 8, 0].map((shift) => (value >> shift) & 255)]
const format = [32, 24, 0, 1, ...u16(255, 255, 255), 16, 8, 0, 0, 0, 0]
const init = [...u16(8, 4), ...format, ...u32(3), ...Buffer.from('tv1')]
const update = (...rectangles: number[][]) => [0, 0, ...u16(rectangles.length), ...rectangles.flat()]
const rectangle = (kind: number, data: number[], [width, height] = [2, 2]) => [
  ...u16(0, 0, width!, height!),
  ...u32(kind),
  ...data,
]
const cut = (text: string) => [3, 0, 0, 0, ...u32(text.length), ...Buffer.from(text)]
const some = (count: number) => Array.from({ length: count }, (_, at) => (at * 7) % 251)

/** One of everything that is counted. */
const pictures = [
  update(
    rectangle(0, some(16)),
    rectangle(1, u16(1, 1)),
    rectangle(6, [...u32(5), ...some(5)]),
    rectangle(16, [...u32(9), ...some(9)]),
    rectangle(-223, [], [9, 9]),
    rectangle(-239, some(2 * 2 * 4 + 2)),
    rectangle(-307, [...u32(4), ...some(4)]),
    rectangle(-308, [1, 0, 0, 0, ...some(16)]),
    rectangle(-258, []),
  ),
  update(
    rectangle(7, [0x80, 1, 2, 3]),
    rectangle(7, [0x90, 0x81, 0x01, ...some(129)], [64, 64]),
    // 2 x 2 x 3 bytes are compressed; one line of two colours is not.
    rectangle(7, [0x00, 6, ...some(6)]),
    rectangle(7, [0x40, 1, 1, ...some(6), ...some(2)]),
    rectangle(7, [0x50, 1, 3, ...some(12), 8, ...some(8)], [6, 3]),
    rectangle(7, [0x60, 2, 0x80, 0x80, 0x01, ...some(16_384)], [90, 90]),
  ),
  // How many there are is not known before: the last one says so.
  [0, 0, 0xff, 0xff, ...rectangle(16, [...u32(2), 1, 2]), ...rectangle(-224, [])],
  [1, 0, ...u16(0, 2), ...some(12)],
  [2],
  [150],
  [248, 0, 0, 0, ...u32(1), 3, 7, 8, 9],
]

test('everything that a screen shows goes on, whatever pieces it comes in, and nothing that was copied there', () => {
  const all = Buffer.from([init, ...pictures.flatMap((each) => [cut('secret'), each]), cut(''), cut('last')].flat())
  const shown = Buffer.from([init, ...pictures].flat())
  for (const size of [1, 2, 7, 64, 1_000, all.length]) {
    const { pass } = withoutText()
    const parts: Buffer[] = []
    for (let at = 0; at < all.length; at += size) parts.push(pass(all.subarray(at, at + size)))
    expect(Buffer.concat(parts).equals(shown), `pieces of ${size}`).toBe(true)
  }
})

test('an extended clipboard, whose length is negative, stays as well', () => {
  const { pass } = withoutText()
  pass(Buffer.from(init))
  expect(pass(Buffer.from([3, 0, 0, 0, ...u32(-6), ...some(6), 2]))).toEqual(Buffer.from([2]))
})

test('pixels of another size are counted as such', () => {
  const { pass, setFormat } = withoutText()
  pass(Buffer.from(init))
  setFormat(Buffer.from([16, 16, 0, 1, ...u16(31, 63, 31), 11, 5, 0, 0, 0, 0]))
  const picture = Buffer.from([...update(rectangle(0, some(8)), rectangle(7, [0x80, 1, 2])), 2])
  expect(pass(picture)).toEqual(picture)
})

test.each([
  ['an encoding that nobody asked for', update(rectangle(5, []))],
  ['a kind of tight rectangle that is unknown', update(rectangle(7, [0xa0]))],
  ['a message that is unknown', [77]],
])('%s ends it: what comes after could not be told apart', (_what, bytes) => {
  const { pass } = withoutText()
  pass(Buffer.from(init))
  expect(() => pass(Buffer.from(bytes))).toThrow('A screen sent')
})

test('asked for are encodings that can be counted, with any level of quality', () => {
  expect([0, 1, 5, 7, 16, 21, 50, -26, -254, -260, -316, -1_063_131_698].filter(isCounted)).toEqual([
    0, 1, 7, 16, -26, -254,
  ])
})
