import { expect, test } from 'vitest'
import { rfbFilter } from './rfb-filter.ts'

const hello = Buffer.concat([Buffer.from('RFB 003.008\n'), Buffer.from([1, 0])])
const shared = Buffer.concat([Buffer.from('RFB 003.008\n'), Buffer.from([1, 1])])
const bytes = (...parts: (number | number[] | string | Buffer)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.from([part]) : Buffer.from(part as Buffer))))
const key = (code: number, is_down: boolean) => bytes(4, is_down ? 1 : 0, 0, 0, [0, 0, 0, code])
const pointer = (mask: number) => bytes(5, mask, [0, 10, 0, 20])
const cut = (text: string) => bytes([6, 0, 0, 0, 0, 0, 0, text.length], text)
const update = bytes([3, 1, 0, 0, 0, 0, 0, 100, 0, 100])
const format = bytes([0, 0, 0, 0], Buffer.alloc(16, 7))
const continuous = bytes([150, 1, 0, 0, 0, 0, 0, 100, 0, 100])
const fence = bytes([248, 0, 0, 0, 0, 0, 0, 1, 3], 'abc')
const qemu = (is_down: boolean) => bytes([255, 0, 0, is_down ? 1 : 0], [0, 0, 0, 97], [0, 0, 0, 30])
const desktop_size = bytes([251, 0, 4, 0, 3, 0, 1, 0], Buffer.alloc(16))
const encodings = (...all: number[]) => {
  const out = Buffer.alloc(4 + 4 * all.length)
  out[0] = 2
  out.writeUInt16BE(all.length, 2)
  all.forEach((each, i) => out.writeInt32BE(each, 4 + 4 * i))
  return out
}
const looking = [format, encodings(0, 7, -239), update, continuous, fence]
const acting = [key(97, true), pointer(1), cut('hello'), qemu(true), desktop_size]

/** What goes on of all that, however the bytes are cut. */
function passed(may: { control: boolean; clipboard: boolean }, said: Buffer[], piece: number): Buffer {
  const filter = rfbFilter(may)
  const all = Buffer.concat([hello, ...said])
  const out: Buffer[] = []
  for (let at = 0; at < all.length; at += piece) out.push(Buffer.from(filter.pass(all.subarray(at, at + piece))))
  return Buffer.concat(out)
}

test.each([1, 2, 3, 7, 11, 1_000])('what a viewer may say goes on, in pieces of %i bytes', (piece) => {
  const all = looking.flatMap((look, i) => [look, acting[i]!])
  const of = (control: boolean, clipboard: boolean) => passed({ control, clipboard }, all, piece)
  expect(of(true, true)).toEqual(Buffer.concat([shared, ...all]))
  expect(of(false, true)).toEqual(Buffer.concat([shared, ...looking]))
  expect(of(true, false)).toEqual(Buffer.concat([shared, ...all.filter((each) => each[0] !== 6)]))
})

test('an extended clipboard and a long pointer event are not agreed upon', () => {
  const said = encodings(7, -316, 0xc0a1e5ce | 0, 16)
  expect(passed({ control: true, clipboard: true }, [said], 5)).toEqual(
    Buffer.concat([shared, encodings(7, 0xc0a1e5ce | 0, 16)]),
  )
  expect(passed({ control: true, clipboard: false }, [said], 5)).toEqual(Buffer.concat([shared, encodings(7, 16)]))
  // An extended clipboard says its length as a negative number.
  const extended = bytes([6, 0, 0, 0, 255, 255, 255, 252], [1, 0, 0, 0])
  expect(passed({ control: true, clipboard: true }, [extended, update], 3)).toEqual(
    Buffer.concat([shared, extended, update]),
  )
  expect(passed({ control: true, clipboard: false }, [extended, update], 3)).toEqual(Buffer.concat([shared, update]))
})

test('shutting the device down is dropped; what nobody knows, and lengths beyond reason, end it', () => {
  const may = { control: true, clipboard: true }
  expect(passed(may, [bytes([250, 0, 1, 2]), update], 4)).toEqual(Buffer.concat([shared, update]))
  for (const bad of [
    bytes([99]),
    bytes([255, 1, 0, 0]),
    bytes([2, 0, 255, 255]),
    bytes([6, 0, 0, 0, 0x7f, 255, 255, 255]),
    bytes([248, 0, 0, 0, 0, 0, 0, 0, 65]),
    bytes([251, 0, 0, 0, 0, 0, 65, 0]),
  ])
    expect(() => passed(may, [bad], 1_000)).toThrow()
  expect(() => rfbFilter(may).pass(Buffer.from('GET / HTTP/1.1\r\n\r\n'))).toThrow()
  // Authentication would be spoken past the filter.
  expect(() => rfbFilter(may).pass(bytes('RFB 003.008\n', 2))).toThrow()
})

test('who loses control lets go of what is held down, and of nothing else', () => {
  const filter = rfbFilter({ control: true, clipboard: true })
  filter.pass(Buffer.concat([hello, key(97, true), key(98, true), key(98, false), pointer(1), qemu(true)]))
  expect(filter.release()).toEqual(Buffer.concat([key(97, false), pointer(0), qemu(false)]))
  expect(filter.release()).toHaveLength(0)
})
