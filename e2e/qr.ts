import type { Locator } from '@playwright/test'
import jsQR from 'jsqr'
import { PNG } from 'pngjs'
import { expect } from './test.ts'

/** What a scanner reads from a code on the screen, and the picture it read; held there until it reads something. */
export async function scan(code: Locator): Promise<{ text: string; picture: Buffer }> {
  let read: { text: string; picture: Buffer } | undefined
  await expect(async () => {
    const picture = await code.screenshot()
    const { data, width, height } = PNG.sync.read(picture)
    const text = jsQR(new Uint8ClampedArray(data), width, height)?.data
    expect(text, 'what a scanner reads').toBeTruthy()
    read = { text: text!, picture }
  }).toPass({ timeout: 30_000 })
  return read!
}
