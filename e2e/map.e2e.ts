import { answerMapsWith, expect, map_pictures, test } from './test.ts'

const device = /^Handheld \d+: (Online|Offline)$/

test('the fleet is found on the map, by the same filters as in the list', async ({ open }) => {
  const page = await open('sunrise')
  const asked: string[] = []
  page.on('request', (request) => map_pictures.test(request.url()) && asked.push(request.url()))
  await page.goto('/device-list')
  await page.getByRole('radiogroup', { name: 'List or map' }).getByText('Map').click()
  await expect(page).toHaveURL(/view=map/)
  const map = page.getByRole('region', { name: /^Map of the devices that match/ })
  await expect(map).toBeVisible()
  await expect(page.getByText(/devices have said where they are/)).toBeVisible()
  await expect.poll(() => asked.length).toBeGreaterThan(0)

  // From clusters down to one device, by the list beside the map as well as by the map.
  const seen = page.getByRole('region', { name: /^In view/ }).getByRole('button')
  await expect(seen.first()).toBeVisible()
  await expect(async () => {
    if (!(await seen.filter({ hasText: device }).count())) await seen.first().click()
    await expect(seen.filter({ hasText: device }).first()).toBeVisible({ timeout: 2_000 })
  }).toPass()
  const name = (await seen.filter({ hasText: device }).first().innerText()).trim()
  await map.getByRole('button', { name, exact: true }).press('Enter')
  // Whether it is online may change.
  const marker = map.getByRole('button', { name: new RegExp(`^${name.split(':')[0]}:`) })
  const link = page.getByRole('link', { name: 'Open the device' })
  await expect(link).toBeVisible()

  // By its SN alone: devices walk, and one that comes near to another is shown as a group with it.
  const sn = await page.locator('.map-card .dim').first().innerText()
  const search = page.getByRole('searchbox', { name: 'SN, alias or IMEI' })
  await search.fill(sn)
  await expect(page).toHaveURL(new RegExp(`text=${sn}`))
  await expect(marker).toBeVisible()

  // A link shows the same place again.
  await page.reload()
  await expect(marker).toBeVisible()

  // Baidu has a grid and coordinates of its own; the choice is the person's.
  asked.length = 0
  await page.getByText('Baidu', { exact: true }).click()
  await expect.poll(() => asked.find((url) => url.includes('bdimg.com'))).toBeTruthy()
  await expect(marker).toBeVisible()
  await page.getByText('OpenStreetMap', { exact: true }).first().click()

  // Without pictures it still says where everybody is.
  answerMapsWith(page, 204)
  await page.getByRole('button', { name: 'Show all' }).click()
  await expect(page.getByText(/^The map tiles cannot be reached/)).toBeVisible()
  await expect(seen.first()).toBeVisible()

  await search.fill('nothing like this')
  await expect(page.getByText('No device that matches has said where it is')).toBeVisible()
})

test('a device says where it is, and where it has been today', async ({ open }) => {
  const page = await open('sunrise')
  await page.goto('/device-list?is_online=true&text=Handheld')
  await page.getByRole('row').nth(1).getByRole('link').first().click()
  await page.getByRole('link', { name: 'Location' }).click()
  await expect(page.getByRole('region', { name: /^Map with the last position/ })).toBeVisible()
  const last = page.getByRole('region', { name: 'Last position', exact: true })
  await expect(last).toContainText('Satellites')
  await page.getByRole('button', { name: 'Ask for the position' }).click()
  await expect(page.getByText('The device has said where it is')).toBeVisible()
  const track = page.getByRole('region', { name: /^Track of the day/ })
  await track
    .getByRole('button', { name: /^Show the position of/ })
    .first()
    .click()
  await expect(page.getByRole('button', { name: /^Position of \d\d:\d\d:\d\d$/ })).toBeVisible()
  // The demo was there on the day before as well where midnight has just passed, and on no day before that.
  for (const _ of ['yesterday', 'before']) {
    const shown = page.url()
    await page.getByRole('button', { name: 'Day before' }).click()
    await expect(page).not.toHaveURL(shown)
  }
  await expect(page).toHaveURL(/day=\d{4}-\d\d-\d\d/)
  await expect(track).toContainText('No positions on this day')
})
