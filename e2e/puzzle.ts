import { expect } from '@playwright/test'
import type { Locator, Page } from '@playwright/test'
import { PNG } from 'pngjs'

export const readPng = (url: string): PNG => PNG.sync.read(Buffer.from(url.split(',')[1] ?? '', 'base64'))

/** What a shadow does to the colours under it, as it looks to a person: about two fifths of the light are left. */
const darkened = (value: number): number => value * 0.4 + 10

/**
 * Where the hole is, found as a person finds it: the place where the picture looks like the piece in the dark. `y` is
 * the height at which the piece hangs. In pixels of the picture.
 */
export function findHole(image: PNG, piece: PNG, y: number): number {
  let best = { x: 0, error: Infinity }
  for (let x = 0; x <= image.width - piece.width; x++) {
    let error = 0
    for (let v = 0; v < piece.height; v++) {
      for (let u = 0; u < piece.width; u++) {
        const at = (v * piece.width + u) * 4
        if (piece.data[at + 3] !== 255) continue
        const there = ((v + y) * image.width + u + x) * 4
        for (let c = 0; c < 3; c++) error += Math.abs(image.data[there + c]! - darkened(piece.data[at + c]!))
      }
    }
    if (error < best.error) best = { x, error }
  }
  return best.x
}

/** The pictures on the screen and how large a pixel of theirs is shown. */
async function look(page: Page) {
  const images = page.locator('form fieldset img')
  await expect(images).toHaveCount(2)
  const [image, piece] = (await images.evaluateAll((all) => all.map((each) => each.getAttribute('src') ?? ''))).map(
    readPng,
  )
  const boxes = await Promise.all([images.nth(0).boundingBox(), images.nth(1).boundingBox()])
  if (!image || !piece || !boxes[0] || !boxes[1]) throw new Error('the puzzle is not shown')
  const scale = boxes[0].width / image.width
  return { image, piece, scale, y: Math.round((boxes[1].y - boxes[0].y) / scale) }
}

/** Drags the knob by so many pixels of the screen in about so many ms, as a hand does: slow, fast, slow. */
async function drag(page: Page, knob: Locator, by: number, ms: number): Promise<void> {
  const box = await knob.boundingBox()
  if (!box) throw new Error('the knob is not shown')
  const from = { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  const began = performance.now()
  for (let share = 0; share < 1;) {
    share = ms === 0 ? 1 : Math.min(1, (performance.now() - began) / ms)
    const eased = share * share * (3 - 2 * share)
    await page.mouse.move(from.x + by * eased, from.y + Math.sin(share * 3) * 2)
  }
  await page.mouse.up()
}

/** The arrow keys, then Enter: a press is two pixels, with Shift ten. */
async function pressTo(page: Page, knob: Locator, x: number): Promise<void> {
  await knob.focus()
  const began = performance.now()
  for (let at = 0; at + 1 < x;) {
    const is_far = x - at >= 10
    await page.keyboard.press(is_far ? 'Shift+ArrowRight' : 'ArrowRight')
    at += is_far ? 10 : 2
  }
  // Somebody who looks whether it fits is never faster than the server allows.
  await expect.poll(() => performance.now() - began).toBeGreaterThan(400)
  await page.keyboard.press('Enter')
}

type Hand = {
  /** Pixels of the picture between the piece and the hole. */
  missed_by?: number
  ms?: number
  by?: 'mouse' | 'keys'
}

/** Slides the piece of the picture on the screen into its hole. */
export async function slide(page: Page, { missed_by = 0, ms = 700, by = 'mouse' }: Hand = {}): Promise<void> {
  const { image, piece, scale, y } = await look(page)
  const x = findHole(image, piece, y)
  const knob = page.getByRole('slider')
  if (by === 'keys') await pressTo(page, knob, x + missed_by)
  else await drag(page, knob, (x + missed_by) * scale, ms)
}
