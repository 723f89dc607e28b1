/** How a viewer wants its pixels, as RFB says it: bits, and for each of red, green and blue its most and its shift. */
export type PixelFormat = { bits: 8 | 16 | 32; is_big_endian: boolean; most: number[]; shifts: number[] }

export const own_format: PixelFormat = { bits: 32, is_big_endian: false, most: [255, 255, 255], shifts: [16, 8, 0] }

export function formatBytes({ bits, is_big_endian, most, shifts }: PixelFormat): Buffer {
  const bytes = Buffer.alloc(16)
  bytes.set([bits, bits === 32 ? 24 : bits, Number(is_big_endian), 1])
  most.forEach((each, at) => bytes.writeUInt16BE(each, 4 + at * 2))
  bytes.set(shifts, 10)
  return bytes
}

/** What a SetPixelFormat asks for, which is of true colour: a palette is of another century. */
export function formatOf(message: Buffer): PixelFormat {
  const [bits, , is_big_endian, is_true_colour] = message.subarray(4)
  if ((bits !== 8 && bits !== 16 && bits !== 32) || !is_true_colour)
    throw new Error(`A viewer wants ${bits} bits a pixel, true colour ${is_true_colour}`)
  const most = [8, 10, 12].map((at) => message.readUInt16BE(at))
  const shifts = [...message.subarray(14, 17)]
  if (shifts.some((shift) => shift >= bits)) throw new Error('A viewer wants colours outside the pixel')
  return { bits, is_big_endian: Boolean(is_big_endian), most, shifts }
}

/** Pixels of one row, each 0xRRGGBB, as the viewer wants them. */
export function writePixels(to: Buffer, offset: number, row: Uint32Array, format: PixelFormat): number {
  const [red = 0, green = 0, blue = 0] = format.most
  const [redShift = 0, greenShift = 0, blueShift = 0] = format.shifts
  const bytes = format.bits / 8
  let at = offset
  for (const pixel of row) {
    const value =
      ((((((pixel >> 16) & 255) * red) / 255) << redShift) |
        (((((pixel >> 8) & 255) * green) / 255) << greenShift) |
        ((((pixel & 255) * blue) / 255) << blueShift)) >>>
      0
    if (bytes === 1) to[at] = value
    else if (format.is_big_endian) to.writeUIntBE(bytes === 2 ? value & 0xffff : value, at, bytes)
    else to.writeUIntLE(bytes === 2 ? value & 0xffff : value, at, bytes)
    at += bytes
  }
  return at
}

const tile = 16
export type Rectangle = { x: number; y: number; width: number; height: number }

/** Which parts of a picture somebody has not been sent yet, in tiles. */
export function changedTiles(width: number, height: number) {
  const columns = Math.ceil(width / tile)
  const rows = Math.ceil(height / tile)
  const marks = new Uint8Array(columns * rows).fill(1)
  const each = (of: Rectangle, visit: (index: number) => void) => {
    const right = Math.min(columns, Math.ceil((of.x + of.width) / tile))
    const bottom = Math.min(rows, Math.ceil((of.y + of.height) / tile))
    for (let row = Math.floor(of.y / tile); row < bottom; row += 1)
      for (let column = Math.floor(of.x / tile); column < right; column += 1) visit(row * columns + column)
  }
  return {
    mark: (of: Rectangle): void => each(of, (index) => (marks[index] = 1)),
    /** The marked parts within `of`, which are marked no more. */
    take(of: Rectangle): Rectangle[] {
      const taken: Rectangle[] = []
      let run: (Rectangle & { next: number }) | undefined
      each(of, (index) => {
        if (!marks[index]) return
        marks[index] = 0
        const x = (index % columns) * tile
        const y = Math.floor(index / columns) * tile
        if (run && run.next === index && run.y === y) {
          run.width = Math.min(width, x + tile) - run.x
          run.next = index + 1
          return
        }
        run = { x, y, width: Math.min(tile, width - x), height: Math.min(tile, height - y), next: index + 1 }
        taken.push(run)
      })
      return joined(taken)
    },
  }
}
export type ChangedTiles = ReturnType<typeof changedTiles>

/** Rectangles below each other of the same width are one. */
function joined(of: readonly Rectangle[]): Rectangle[] {
  const whole: Rectangle[] = []
  for (const { x, y, width, height } of of) {
    const above = whole.find((each) => each.x === x && each.width === width && each.y + each.height === y)
    if (above) above.height += height
    else whole.push({ x, y, width, height })
  }
  return whole
}
