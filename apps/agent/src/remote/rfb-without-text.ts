import { encoding } from './rfb-messages.ts'

/** Encodings whose bytes can be counted without the pixels: what a screen may send while its clipboard stays with it. */
const counted = new Set<number>([
  ...[encoding.raw, encoding.copy_rect, encoding.zlib, encoding.tight, encoding.zrle],
  ...[
    encoding.desktop_size,
    encoding.last_rect,
    encoding.cursor,
    encoding.desktop_name,
    encoding.extended_desktop_size,
  ],
  ...[encoding.qemu_key, encoding.fence, encoding.continuous_updates],
])
const isLevel = (each: number): boolean => (each >= -32 && each <= -23) || (each >= -256 && each <= -247)
export const isCounted = (each: number): boolean => counted.has(each) || isLevel(each)

/** `held` bytes are read before it is known whether they go on; `on` and `away` ones need not be there at once. */
type Want = { bytes: number; goes: 'held' | 'on' | 'away' }
type Reading<T> = Generator<Want, T, Buffer>
type Pixels = { bytes: number; tight: number }

function* read(bytes: number): Reading<Buffer> {
  return yield { bytes, goes: 'held' }
}
function* pass(bytes: number): Reading<void> {
  yield { bytes, goes: 'on' }
}

function pixelsOf(format: Buffer): Pixels {
  const bytes = format[0]! / 8
  const is_small = format[0] === 32 && format[1] === 24 && [4, 6, 8].every((at) => format.readUInt16BE(at) === 255)
  return { bytes, tight: is_small ? 3 : bytes }
}

/** A length of one to three bytes, seven bits in each of the first two. */
function* compactLength(): Reading<number> {
  let length = 0
  for (const shift of [0, 7, 14]) {
    const byte = (yield* read(1))[0]!
    length |= (shift === 14 ? byte : byte & 0x7f) << shift
    if (byte < 0x80) break
  }
  return length
}

function* tight(width: number, height: number, pixel: number): Reading<void> {
  const control = (yield* read(1))[0]! >> 4
  if (control === 8) return yield* pass(pixel)
  if (control === 9) return yield* pass(yield* compactLength())
  if (control > 9) throw new Error(`A screen sent a tight rectangle of the unknown kind ${control}`)
  let line = width * pixel
  if (control & 4) {
    const filter = (yield* read(1))[0]!
    if (filter > 2) throw new Error(`A screen sent a tight rectangle with the unknown filter ${filter}`)
    if (filter === 1) {
      const colours = (yield* read(1))[0]! + 1
      yield* pass(colours * pixel)
      line = colours === 2 ? Math.ceil(width / 8) : width
    }
  }
  const size = line * height
  yield* pass(size < 12 ? size : yield* compactLength())
}

function* rectangle(width: number, height: number, kind: number, pixels: Pixels): Reading<void> {
  switch (kind) {
    case encoding.raw:
      return yield* pass(width * height * pixels.bytes)
    case encoding.copy_rect:
      return yield* pass(4)
    case encoding.tight:
      return yield* tight(width, height, pixels.tight)
    case encoding.zlib:
    case encoding.zrle:
    case encoding.desktop_name:
      return yield* pass((yield* read(4)).readUInt32BE(0))
    case encoding.cursor:
      return yield* pass(width * height * pixels.bytes + Math.ceil(width / 8) * height)
    case encoding.extended_desktop_size:
      return yield* pass(16 * (yield* read(4))[0]!)
    case encoding.desktop_size:
    case encoding.qemu_key:
      return yield* pass(0)
    default:
      throw new Error(`A screen sent a rectangle of the encoding ${kind}, which nobody asked for`)
  }
}

function* messages(format: { pixels: Pixels }): Reading<never> {
  // ServerInit: size, format, name.
  const init = yield* read(24)
  format.pixels = pixelsOf(init.subarray(4, 20))
  yield* pass(init.readUInt32BE(20))
  for (;;) {
    const type = (yield* read(1))[0]!
    if (type === 0) {
      const count = (yield* read(3)).readUInt16BE(1)
      for (let left = count; left > 0; left--) {
        const head = yield* read(12)
        const kind = head.readInt32BE(8)
        if (kind === encoding.last_rect) break
        yield* rectangle(head.readUInt16BE(4), head.readUInt16BE(6), kind, format.pixels)
      }
      yield* pass(0)
    } else if (type === 1) yield* pass(6 * (yield* read(5)).readUInt16BE(3))
    else if (type === 2 || type === 150) yield* pass(0)
    else if (type === 248) yield* pass((yield* read(8))[7]!)
    else if (type === 3) yield { bytes: Math.abs((yield* read(7)).readInt32BE(3)), goes: 'away' }
    else throw new Error(`A screen sent an RFB message of the unknown type ${type}`)
  }
}

/** What a screen sends, without what was copied there. The viewer must have asked for counted encodings alone. */
export function withoutText() {
  const format = { pixels: { bytes: 4, tight: 3 } }
  const reading = messages(format)
  let want: Want = reading.next().value
  /** Of what is wanted: bytes that are not there yet. */
  let missing = want.bytes
  let part: Buffer[] = []
  /** Read already, and waiting for whether it goes on. */
  let held: Buffer[] = []
  return {
    /** The 16 bytes of a SetPixelFormat. */
    setFormat: (bytes: Buffer) => void (format.pixels = pixelsOf(bytes)),
    /** Throws at what is no RFB. */
    pass(chunk: Buffer): Buffer {
      const out: Buffer[] = []
      let rest = chunk
      for (;;) {
        if (want.goes === 'on') out.push(...held.splice(0))
        const bytes = rest.subarray(0, missing)
        rest = rest.subarray(bytes.length)
        missing -= bytes.length
        if (want.goes === 'on') out.push(bytes)
        else if (want.goes === 'held') part.push(bytes)
        if (missing > 0) return Buffer.concat(out)
        const whole = Buffer.concat(part)
        part = []
        if (want.goes === 'held') held.push(whole)
        else if (want.goes === 'away') held = []
        want = reading.next(whole).value
        missing = want.bytes
      }
    },
  }
}
