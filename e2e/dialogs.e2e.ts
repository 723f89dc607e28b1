import type { Page } from '@playwright/test'
import { expect, test } from './test.ts'

/** Holds every animation at its first frame, as a machine does that has no time for the second. */
async function hold(page: Page): Promise<() => Promise<unknown>> {
  const animations = await page.context().newCDPSession(page)
  await animations.send('Animation.enable')
  await animations.send('Animation.setPlaybackRate', { playbackRate: 0 })
  return () => animations.send('Animation.setPlaybackRate', { playbackRate: 1 })
}

for (const reducedMotion of ['no-preference', 'reduce'] as const)
  test(`a dialog is pressed where it stands from its first frame on: ${reducedMotion}`, async ({ open }) => {
    const page = await open('cedar')
    await page.emulateMedia({ reducedMotion })
    await page.goto('/file-cloud-list')
    await expect(page.getByRole('button', { name: 'Upload files' }).first()).toBeVisible()
    const release = await hold(page)
    const file = { name: 'still.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(10) }
    await page.locator('input[type=file]').setInputFiles(file)
    const button = page.getByRole('dialog').getByRole('button', { name: 'Upload file' })
    await expect(page.locator('.ant-modal:not([class*=prepare], [class*=start])')).toBeVisible()
    const first = await button.boundingBox()
    await release()
    await expect(page.locator('.ant-modal:not([class*=zoom])')).toBeVisible()
    expect(await button.boundingBox()).toEqual(first)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
  })
