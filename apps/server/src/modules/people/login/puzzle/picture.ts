import { randomInt } from 'node:crypto'
import { PNG } from 'pngjs'

export const pictureSize = { width: 300, height: 160, piece: 52 } as const
const { width, height, piece: side } = pictureSize
/** The piece is a square of this size with a tab above and one to the right, which fill `side`. */
const body = 44
const tab = side - body

type Rgb = [number, number, number]
export type Picture = {
  /** PNG data URLs. */
  image: string
  piece: string
  /** Where the hole is: left edge (the secret) and top edge of the piece, in pixels. */
  x: number
  y: number
}

/** A picture nobody has seen before, with a hole, and the piece that was cut out of it. */
export function drawPuzzle(): Picture {
  // Far enough to the right that the piece, which starts at the left edge, never covers the hole.
  const x = randomInt(side + 24, width - side - 6)
  const y = randomInt(6, height - side - 6)
  const scene = randomScene()
  const [grain, pieceGrain] = [randomGrain(), randomGrain()]
  const image = new PNG({ width, height, colorType: 2, inputHasAlpha: true })
  const piece = new PNG({ width: side, height: side, colorType: 6, inputHasAlpha: true })
  for (let py = 0; py < height; py++) {
    for (let px = 0; px < width; px++) {
      const colour = scene(px, py)
      const [u, v] = [px - x, py - y]
      // The hole is a shadow that fades out: no line that a script could look for. The piece has a light rim.
      put(image, px, py, lighter(mix(colour, [16, 20, 32], softly(u, v) * 0.62), grain(px, py)), 255)
      if (u < 0 || v < 0 || u >= side || v >= side) continue
      const edged = mix(colour, [255, 255, 255], edge(u, v) * 0.8)
      put(piece, u, v, lighter(edged, pieceGrain(u, v)), Math.round(coverage(u, v) * 255))
    }
  }
  return { image: dataUrl(image), piece: dataUrl(piece), x, y }
}

/** A slanted gradient of related hues, waves across it and discs of soft light: something with landmarks. */
function randomScene(): (x: number, y: number) => Rgb {
  const hue = Math.random() * 360
  const stops = [0, 35 + Math.random() * 40, 90 + Math.random() * 60].map((turn, i) =>
    fromHsl(hue + turn, 0.5 + Math.random() * 0.2, 0.36 + i * 0.13),
  ) as [Rgb, Rgb, Rgb]
  const angle = Math.random() * Math.PI
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  const half = (Math.abs(cos) * width + Math.abs(sin) * height) / 2
  const discs = Array.from({ length: 9 }, () => ({
    x: Math.random() * width,
    y: Math.random() * height,
    r: 12 + Math.random() * 46,
    colour: fromHsl(hue + Math.random() * 200, 0.65, 0.35 + Math.random() * 0.4),
    strength: 0.25 + Math.random() * 0.35,
  }))
  const wave = { x: 0.02 + Math.random() * 0.03, y: 0.03 + Math.random() * 0.04, turn: Math.random() * 6 }
  return (x, y) => {
    const along = ((x - width / 2) * cos + (y - height / 2) * sin) / half / 2 + 0.5
    const ripple = Math.sin(x * wave.x + Math.sin(y * wave.y + wave.turn) * 2) * 0.09
    const at = Math.min(0.999, Math.max(0, along + ripple)) * 2
    let colour = at < 1 ? mix(stops[0], stops[1], at) : mix(stops[1], stops[2], at - 1)
    for (const disc of discs) {
      const square = (x - disc.x) ** 2 + (y - disc.y) ** 2
      if (square >= disc.r ** 2) continue
      colour = mix(colour, disc.colour, Math.min(1, disc.r - Math.sqrt(square)) * disc.strength)
    }
    return colour
  }
}

/** The outline of the piece, in its own pixels: a square, tabs above and right, a notch on the left. */
function isInside(u: number, v: number): boolean {
  const middle = tab + body / 2
  const isIn = (cx: number, cy: number) => (u - cx) ** 2 + (v - cy) ** 2 <= tab ** 2
  if (isIn(0, middle)) return false
  return (u <= body && v >= tab) || isIn(body / 2, tab) || isIn(body, middle)
}
/** How much of a pixel the piece covers, 0 to 1, from nine samples. */
function coverage(u: number, v: number): number {
  let hits = 0
  for (const dx of [1, 3, 5]) for (const dy of [1, 3, 5]) if (isInside(u + dx / 6, v + dy / 6)) hits++
  return hits / 9
}
/** The outermost pixels of the piece. */
function edge(u: number, v: number): number {
  const around = [coverage(u - 1, v), coverage(u + 1, v), coverage(u, v - 1), coverage(u, v + 1)]
  return Math.max(0, coverage(u, v) - Math.min(...around))
}

/** How far the shadow of the piece reaches beyond it, and fades within. */
const visible_groups = 6
const shadow = new Float64Array((side + 2 * visible_groups) ** 2)
for (let v = 0; v < side + 2 * visible_groups; v++)
  for (let u = 0; u < side + 2 * visible_groups; u++) {
    let sum = 0
    for (let dv = -visible_groups; dv <= visible_groups; dv++)
      for (let du = -visible_groups; du <= visible_groups; du++)
        sum += isInside(u - visible_groups + du + 0.5, v - visible_groups + dv + 0.5) ? 1 : 0
    shadow[v * (side + 2 * visible_groups) + u] = sum / (2 * visible_groups + 1) ** 2
  }
/** How much of a pixel the shadow covers, 0 to 1. */
function softly(u: number, v: number): number {
  const [x, y, width] = [u + visible_groups, v + visible_groups, side + 2 * visible_groups]
  return x < 0 || y < 0 || x >= width || y >= width ? 0 : shadow[y * width + x]!
}

/** Grain as of a photograph, in squares of two pixels: picture and piece differ in every one of them. */
function randomGrain(): (x: number, y: number) => number {
  const across = Math.ceil(width / 2)
  const values = Int8Array.from({ length: across * Math.ceil(height / 2) }, () => Math.floor(Math.random() * 5) * 4 - 8)
  return (x, y) => values[(y >> 1) * across + (x >> 1)]!
}
const lighter = ([r, g, b]: Rgb, by: number): Rgb => [within(r + by), within(g + by), within(b + by)]
const within = (value: number): number => Math.max(0, Math.min(255, value))

const mix = (a: Rgb, b: Rgb, share: number): Rgb => [
  a[0] + (b[0] - a[0]) * share,
  a[1] + (b[1] - a[1]) * share,
  a[2] + (b[2] - a[2]) * share,
]
/** Hue in degrees, saturation and lightness 0 to 1. */
function fromHsl(hue: number, saturation: number, lightness: number): Rgb {
  const part = (n: number) => {
    const k = (n + hue / 30) % 12
    const spread = saturation * Math.min(lightness, 1 - lightness)
    return 255 * (lightness - spread * Math.max(-1, Math.min(k - 3, 9 - k, 1)))
  }
  return [part(0), part(8), part(4)]
}
function put(png: PNG, x: number, y: number, colour: Rgb, alpha: number): void {
  const at = (y * png.width + x) * 4
  for (const [i, value] of colour.entries()) png.data[at + i] = Math.round(value)
  png.data[at + 3] = alpha
}
const dataUrl = (png: PNG): string =>
  `data:image/png;base64,${PNG.sync.write(png, { deflateLevel: 4, filterType: 4 }).toString('base64')}`
