import type { Locator, Page } from '@playwright/test'
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
    await page.locator('input[type=file]:not([webkitdirectory])').setInputFiles(file)
    const button = page.getByRole('dialog').getByRole('button', { name: 'Upload file' })
    await staysInPlace(button, page.locator('.ant-modal'), release, 0)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
  })

for (const [side, height] of Object.entries({ above: 900, below: 1400 }))
  test(`what opens ${side} a field is pressed where it stands from its first frame on`, async ({ open }) => {
    const page = await open('operator')
    await page.setViewportSize({ width: 1440, height })
    await page.goto('/external-user-manage-list')
    await page.getByRole('button', { name: 'Create customer' }).click()
    const field = page.getByLabel('Valid until')
    await expect(field).toBeVisible()
    const release = await hold(page)
    await field.click()
    const preset = page.getByText('1 year more')
    // Once it has its final size, antd aligns it anew, by a few pixels of a row's 24.
    await staysInPlace(preset, page.locator('.ant-picker-dropdown'), release, 4)
    expect((await preset.boundingBox())!.y < (await field.boundingBox())!.y).toBe(side === 'above')
    await preset.click()
    await expect(field).not.toHaveValue('')
  })

/** `part` of what has just opened is where it was at its first frame, give or take `px`, when the opening is over. */
async function staysInPlace(part: Locator, whole: Locator, release: () => Promise<unknown>, px: number): Promise<void> {
  await expect(whole).not.toHaveClass(/-(prepare|start)(\s|$)/)
  await expect(whole).toBeVisible()
  const first = (await part.boundingBox())!
  await release()
  await expect(whole).not.toHaveClass(/-(enter|appear)(\s|$)/)
  const last = (await part.boundingBox())!
  expect([last.width, last.height]).toEqual([first.width, first.height])
  expect(Math.abs(last.x - first.x)).toBeLessThanOrEqual(px)
  expect(Math.abs(last.y - first.y)).toBeLessThanOrEqual(px)
}
