import { PNG } from 'pngjs'

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** A PNG of `rgb`, three bytes per pixel, row by row. */
export function encodePng(width: number, height: number, rgb: Uint8Array): Buffer {
  if (rgb.length !== width * 3 * height) throw new Error(`${rgb.length} bytes are no ${width} x ${height} picture`)
  const png = new PNG({ width, height })
  png.data = Buffer.from(rgb)
  return PNG.sync.write(png, { colorType: 2, inputColorType: 2, inputHasAlpha: false, filterType: 0, deflateLevel: 6 })
}

export const isPng = (bytes: Buffer): boolean => bytes.subarray(0, 8).equals(signature)

/** A window dump of `xwd` (version 7, true colour, 24 or 32 bits a pixel) as a PNG. Throws when it is anything else. */
export function xwdToPng(dump: Buffer): Buffer {
  const field = (at: number) => dump.readUInt32BE(at * 4)
  if (dump.length < 100 || field(1) !== 7 || field(2) !== 2) throw new Error('not a window dump of xwd')
  const [headerSize, width, height, order] = [field(0), field(4), field(5), field(7)]
  const [bits, stride, colours] = [field(11), field(12), field(19)]
  const masks = [field(14), field(15), field(16)]
  if (bits !== 24 && bits !== 32) throw new Error(`${bits} bits per pixel are not supported`)
  const start = headerSize + colours * 12
  const step = bits / 8
  if (width * height > 64e6 || width * step > stride || dump.length < start + stride * height)
    throw new Error('cut window dump')
  const shifts = masks.map((mask) => Math.max(0, 31 - Math.clz32(mask & -mask)))
  const rgb = Buffer.alloc(width * height * 3)
  for (let y = 0, to = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const at = start + y * stride + x * step
      const pixel = order === 0 ? dump.readUIntLE(at, step) : dump.readUIntBE(at, step)
      for (let c = 0; c < 3; c += 1) rgb[to++] = (pixel >>> (shifts[c] as number)) & 0xff
    }
  return encodePng(width, height, rgb)
}
