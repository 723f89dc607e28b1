import { signedIn } from './calls.ts'
import { chooseByKey, openMenuByKey } from './pages.ts'
import { expectAccessible } from './accessible.ts'
import { expect, test } from './test.ts'
import { text } from './text.ts'

test('two clicks lock a lost device with a message, let it ring and have it say where it is', async ({ open }) => {
  const page = await open('sunrise')
  const { items } = await signedIn('sunrise').terminal.paging({ text: 'SIM-', is_online: true, page_size: 50 })
  const device = items.find(({ agent_kind, lost_at }) => agent_kind === 'mdm' && lost_at === null)!
  const of = { device: device.name || device.sn }
  await page.goto(`/device-detail/info?kid=${device.kid}`)
  await page.getByRole('button', { name: text('device-detail:actions.lost'), exact: true }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: text('device-detail:lost.start'), exact: true })
    .click()
  const part = page.getByRole('region', { name: text('device-detail:lost.title') })
  await expect(part).toContainText('Please call us.')
  // The device itself has said so.
  await expect(part).toContainText(text('device-detail:lost.outcome.lock.applied'))
  await expect(part.getByRole('button', { name: text('device-detail:lost.stop_ring') })).toBeVisible()
  await expect(part.getByRole('link', { name: text('device-detail:lost.on_map') })).toBeVisible()
  await expectAccessible(page)
  await page.goto(`/device-list?text=${device.sn}`)
  await expect(page.getByRole('row').filter({ hasText: device.sn })).toContainText(text('device:lost'))
  await page.goto(`/device-detail/info?kid=${device.kid}`)
  await part.getByRole('button', { name: text('device-detail:lost.stop_ring') }).click()
  await part.getByRole('button', { name: text('device-detail:lost.found'), exact: true }).click()
  const question = page.getByRole('dialog', { name: text('device-detail:lost.found_title', of) })
  await question.getByRole('button', { name: text('device-detail:lost.found'), exact: true }).click()
  // Until it has said that its screen is let go.
  await expect(part).toHaveCount(0)
  await expect(page.locator('.presence')).toHaveCount(0)
})

test('the menu of a device moves it, writes a note and says why it cannot do something', async ({ open }) => {
  const page = await open('sunrise')
  const { items } = await signedIn('sunrise').terminal.paging({ text: 'SIM-', page_size: 50 })
  const device = items.find(({ agent_kind }) => agent_kind === 'mdm')!
  await page.goto(`/device-detail/info?kid=${device.kid}`)
  const menu = page.getByRole('button', { name: text('device-detail:actions.button'), exact: true })
  const item = (name: string) => page.getByRole('menuitem', { name, exact: true })
  await openMenuByKey(page, menu)
  await expectAccessible(page)
  await chooseByKey(page, item(text('device-detail:actions.note')))
  await page.getByRole('textbox', { name: text('device-detail:note.title') }).fill('Screen replaced in May')
  await page.getByRole('button', { name: text('device-detail:note.submit') }).click()
  await expect(page.locator('.device-note')).toHaveText('Screen replaced in May')
  await openMenuByKey(page, menu)
  await chooseByKey(page, item(text('device-detail:actions.move')))
  await expect(page.getByRole('dialog')).toContainText(device.sn)
})
