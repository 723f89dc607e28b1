import { PNG } from 'pngjs'
import { describe, expect, it } from 'vitest'
import { drawPuzzle, pictureSize } from './picture.ts'
import { judge } from './puzzle.ts'

/** A drag of `ms` from the left edge to `x`. */
const drag = (x: number, ms: number) => ({
  x,
  track: Array.from({ length: 21 }, (_, i) => ({ x: (x * i) / 20, t: (ms * i) / 20 })),
})

describe('an answer', () => {
  it.each([
    [150, 3000, drag(150, 900), undefined],
    [150, 3000, drag(155, 900), undefined],
    [150, 3000, drag(145, 900), undefined],
    [150, 3000, drag(155.5, 900), 'puzzle_misaligned'],
    [150, 3000, drag(144, 900), 'puzzle_misaligned'],
    [150, 3000, drag(150, 299), 'puzzle_too_fast'],
    [150, 299, drag(150, 900), 'puzzle_too_fast'],
    [150, 300, drag(150, 300), undefined],
    [150, 60_000, drag(150, 30_000), undefined],
    [150, 60_000, drag(150, 30_001), 'puzzle_too_slow'],
    [150, 1000, drag(150, 20_000), 'puzzle_too_fast'],
  ] as const)('for a hole at %i, %i ms after the picture: %#', (offset_x, age_ms, answer, verdict) => {
    expect(judge(offset_x, age_ms, answer)).toBe(verdict)
  })

  it('whose track was not drawn by a hand is misaligned', () => {
    const good = drag(150, 900)
    const verdict = (answer: typeof good) => judge(150, 3000, answer)
    expect(verdict({ ...good, track: good.track.toReversed().concat(good.track.at(-1)!) })).toBe('puzzle_misaligned')
    expect(verdict({ ...good, track: [...good.track, { x: 90, t: 950 }] })).toBe('puzzle_misaligned')
    expect(verdict({ x: 150, track: good.track.map(({ t }) => ({ x: 150, t })) })).toBe('puzzle_misaligned')
    expect(verdict({ x: 150, track: [{ x: 0, t: -5 }, ...good.track] })).toBe('puzzle_misaligned')
  })
})

describe('a picture', () => {
  const read = (url: string) => PNG.sync.read(Buffer.from(url.split(',')[1]!, 'base64'))

  it('has no line along the hole that a script could look for', () => {
    const light = (png: PNG, x: number, y: number) => {
      const at = (y * png.width + x) * 4
      return png.data[at]! + png.data[at + 1]! + png.data[at + 2]!
    }
    /** Where the picture has the brightest upright line, at the height of the piece. */
    const line = (png: PNG, y: number) => {
      const sums = Array.from({ length: 185 }, (_, i) => {
        const rows = Array.from({ length: 40 }, (_row, v) => y + 10 + v)
        const edge = (at: number) => 2 * light(png, i + 60, at) - light(png, i + 58, at) - light(png, i + 62, at)
        return rows.reduce((sum, at) => sum + Math.max(0, edge(at)), 0)
      })
      return 60 + sums.indexOf(Math.max(...sums))
    }
    const found = Array.from({ length: 12 }, drawPuzzle).filter(({ image, x, y }) => {
      const at = line(read(image), y)
      return Math.min(Math.abs(at - x), Math.abs(at - 44 - x)) <= 5
    })
    // One in eight is found by chance; with a rim around the hole it was every one.
    expect(found.length).toBeLessThan(9)
  })

  it('has the hole where it says, darker than the piece that fits it, and differs every time', () => {
    const made = Array.from({ length: 5 }, drawPuzzle)
    for (const { image, piece, x, y } of made) {
      const [whole, cut] = [read(image), read(piece)]
      expect([whole.width, whole.height, cut.width, cut.height]).toEqual([300, 160, 52, 52])
      expect(x).toBeGreaterThan(pictureSize.piece)
      expect(x + pictureSize.piece).toBeLessThan(300)
      expect(y + pictureSize.piece).toBeLessThan(160)
      const sum = (png: PNG, px: number, py: number) => {
        const at = (py * png.width + px) * 4
        return png.data[at]! + png.data[at + 1]! + png.data[at + 2]!
      }
      expect(sum(whole, x + 22, y + 30)).toBeLessThan(sum(cut, 22, 30))
      expect(cut.data[(30 * 52 + 22) * 4 + 3]).toBe(255)
      expect(cut.data[(1 * 52 + 51) * 4 + 3]).toBe(0)
      expect(image.length + piece.length).toBeLessThan(120_000)
    }
    expect(new Set(made.map(({ x, y }) => `${x} ${y}`)).size).toBeGreaterThan(1)
  })
})
