import { describe, expect, it } from 'vitest'
import { frame_masks } from './frame-masks.ts'

const { websocketMask, websocketUnmask } = frame_masks
const mask = Uint8Array.of(0x12, 0x34, 0x56, 0x78)
const bytes = (length: number) => Uint8Array.from({ length }, (_, i) => (i * 31 + 7) & 255)
/** RFC 6455, section 5.3. */
const expected = (data: Uint8Array) => Uint8Array.from(data, (byte, i) => byte ^ mask[i % 4]!)

describe.each([0, 1, 2, 3])('a frame that begins %i bytes behind a word', (at) => {
  it.each([0, 1, 3, 4, 5, 27, 1_000])('of %i bytes is uncovered in place, and nothing beside it', (length) => {
    const whole = new Uint8Array(at + length + 4).fill(0xaa)
    const frame = whole.subarray(at, at + length)
    frame.set(bytes(length))
    websocketUnmask(frame, mask)
    expect(frame).toEqual(expected(bytes(length)))
    expect([...whole.subarray(0, at), ...whole.subarray(at + length)]).toEqual(Array(at + 4).fill(0xaa))
  })

  it('is covered into another buffer, and stays as it was', () => {
    const source = bytes(29)
    const output = new Uint8Array(40)
    websocketMask(source, mask, output, at, 27)
    expect(output.subarray(at, at + 27)).toEqual(expected(source.subarray(0, 27)))
    expect(output.subarray(at + 27)).toEqual(new Uint8Array(13 - at))
    expect(source).toEqual(bytes(29))
  })
})
