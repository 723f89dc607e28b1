import { expect, test } from 'vitest'
import { isOnItsSide, oneFurther, unturned } from './turn.ts'
import type { Quarters } from './turn.ts'

const size = { width: 4, height: 3 }
/** What is drawn at each place of a picture that is turned once more: its left column becomes the upper row, from below. */
const turn = (rows: string[][]): string[][] =>
  rows[0]!.map((_, x) => rows.map((_row, at) => rows[rows.length - 1 - at]![x]!))

test.each<Quarters>([0, 1, 2, 3])(
  'a press on a picture that is turned by %i quarters is one on what is seen there',
  (quarters) => {
    const picture = Array.from({ length: size.height }, (_, y) =>
      Array.from({ length: size.width }, (__, x) => `${x} ${y}`),
    )
    let shown = picture
    for (let times = 0; times < quarters; times++) shown = turn(shown)
    expect(shown.length).toBe(isOnItsSide(quarters) ? size.width : size.height)
    for (const [y, row] of shown.entries())
      for (const [x, what] of row.entries()) {
        const at = unturned({ x, y }, size, quarters)
        expect(`${at.x} ${at.y}`).toBe(what)
      }
  },
)

test('four turns are none', () => {
  expect([0, 1, 2, 3].map((quarters) => oneFurther(quarters as Quarters))).toEqual([1, 2, 3, 0])
})
