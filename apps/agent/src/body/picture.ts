import { encodePng } from './png.ts'

/** Three by five dots a character, one octal digit a row. */
const font: Record<string, string> = {
  0: '75557',
  1: '26227',
  2: '71747',
  3: '71717',
  4: '55711',
  5: '74717',
  6: '74757',
  7: '71111',
  8: '75757',
  9: '75717',
  A: '25755',
  B: '65656',
  C: '34443',
  D: '65556',
  E: '74647',
  F: '74644',
  G: '34553',
  H: '55755',
  I: '72227',
  J: '11152',
  K: '55655',
  L: '44447',
  M: '57755',
  N: '65555',
  O: '25552',
  P: '65644',
  Q: '25573',
  R: '65655',
  S: '34216',
  T: '72222',
  U: '55557',
  V: '55552',
  W: '55775',
  X: '55255',
  Y: '55222',
  Z: '71247',
  '-': '00700',
  ':': '02020',
  '.': '00002',
  '/': '11244',
  '%': '51245',
  _: '00007',
}

/** Five octal digits, a row each, of a character without its marks; undefined where the font has none. */
export const glyphOf = (character: string): string | undefined =>
  font[character.normalize('NFD').charAt(0).replace('đ', 'd').replace('Đ', 'D').toUpperCase()]

/** A screen of a simulated device: lines of text on a colour of its own, as a PNG. */
export function drawScreen(width: number, height: number, hue: number, lines: string[]): Buffer {
  const rgb = Buffer.alloc(width * height * 3)
  for (let y = 0; y < height; y += 1) {
    const shade = 40 + Math.round((y / height) * 60)
    const row = [
      shade * (0.4 + 0.6 * ((hue >> 2) & 1)),
      shade * (0.4 + 0.6 * ((hue >> 1) & 1)),
      shade * (0.4 + 0.6 * (hue & 1)),
    ]
    for (let x = 0; x < width; x += 1) rgb.set(row, (y * width + x) * 3)
  }
  const longest = Math.max(1, ...lines.map((line) => line.length))
  const dot = Math.max(1, Math.floor((width * 0.9) / (longest * 4)))
  const paint = (x: number, y: number) => {
    for (let dy = 0; dy < dot; dy += 1)
      for (let dx = 0; dx < dot; dx += 1)
        if (x + dx < width && y + dy < height)
          rgb.fill(235, ((y + dy) * width + x + dx) * 3, ((y + dy) * width + x + dx) * 3 + 3)
  }
  lines.forEach((line, number) => {
    const top = Math.floor(height * 0.1) + number * dot * 8
    ;[...line.toUpperCase()].forEach((character, column) => {
      const rows = font[character] ?? '00000'
      for (let y = 0; y < 5; y += 1)
        for (let x = 0; x < 3; x += 1)
          if ((Number(rows[y]) >> (2 - x)) & 1) paint(Math.floor(width * 0.05) + (column * 4 + x) * dot, top + y * dot)
    })
  })
  return encodePng(width, height, rgb)
}
