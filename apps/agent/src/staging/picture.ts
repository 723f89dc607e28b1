import jsQR from 'jsqr'
import { PNG } from 'pngjs'

/** A sheet of labels in one picture has no more. */
const most_codes = 100
const most_pixels = 40_000_000

/** The texts of all QR codes in a PNG. Throws when it is none. */
export function codesInPicture(picture: Buffer): string[] {
  // Width and height stand at a fixed place, before anything has to be unpacked for them.
  if (picture.length < 24 || picture.readUInt32BE(16) * picture.readUInt32BE(20) > most_pixels)
    throw new Error('This picture is too large to be looked through')
  const { data, width, height } = PNG.sync.read(picture)
  const pixels = new Uint8ClampedArray(data)
  const texts: string[] = []
  while (texts.length < most_codes) {
    const found = jsQR(pixels, width, height, { inversionAttempts: texts.length === 0 ? 'attemptBoth' : 'dontInvert' })
    if (!found) break
    if (found.data !== '') texts.push(found.data)
    const { topLeftCorner, topRightCorner, bottomLeftCorner, bottomRightCorner } = found.location
    const corners = [topLeftCorner, topRightCorner, bottomLeftCorner, bottomRightCorner]
    blank(pixels, width, height, corners)
  }
  return texts
}

/** Covers a code that was read, so that the next one is found. */
function blank(pixels: Uint8ClampedArray, width: number, height: number, corners: { x: number; y: number }[]): void {
  const within = (value: number, max: number) => Math.min(max, Math.max(0, Math.round(value)))
  const [left, right] = [Math.min, Math.max].map((pick) => within(pick(...corners.map(({ x }) => x)), width))
  const [top, bottom] = [Math.min, Math.max].map((pick) => within(pick(...corners.map(({ y }) => y)), height))
  for (let y = top!; y < bottom!; y += 1) pixels.fill(255, (y * width + left!) * 4, (y * width + right!) * 4)
}
