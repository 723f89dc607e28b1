import { expect, test } from './test.ts'

test('a circle is placed, dragged, resized by keys and typed, on both kinds of map', async ({ open }) => {
  test.slow()
  const page = await open('sunrise')
  await page.goto('/electronic-fence-list')
  await expect(page.getByRole('heading', { name: 'Electronic fences', exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Add fence' }).first().click()
  const drawer = page.getByRole('dialog', { name: 'Add fence' })
  await drawer.getByLabel('Name').fill('Walk depot')
  const longitude = drawer.getByLabel('Longitude')
  const latitude = drawer.getByLabel('Latitude')
  const radius = drawer.getByLabel('Radius (m)')

  // By typing.
  await longitude.fill('105.8342')
  await latitude.fill('21.0278')
  await radius.fill('800')
  await radius.press('Tab')
  const map = drawer.getByRole('region', { name: /^Map of the fence/ })
  const edge = map.getByRole('slider', { name: /^Radius/ })
  await expect(edge).toHaveAttribute('aria-valuenow', '800')
  await drawer.getByRole('button', { name: 'Add fence' }).click()
  await expect(page.getByText(/The fence Walk depot has been created/)).toBeVisible()

  // By keys: the middle goes up, the edge out.
  const row = page.getByRole('row', { name: /Walk depot/ })
  await row.getByRole('button', { name: /^More|actions/i }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  const editor = page.getByRole('dialog', { name: 'Edit Walk depot' })
  const typed = { latitude: editor.getByLabel('Latitude'), radius: editor.getByLabel('Radius (m)') }
  const handle = {
    middle: editor.getByRole('button', { name: /^Middle of the fence/ }),
    edge: editor.getByRole('slider', { name: /^Radius/ }),
  }
  await expect(typed.latitude).toHaveValue('21.0278')
  await handle.middle.focus()
  await page.keyboard.press('ArrowUp')
  await expect.poll(async () => Number(await typed.latitude.inputValue())).toBeGreaterThan(21.0278)
  await handle.edge.focus()
  await page.keyboard.press('ArrowRight')
  await expect.poll(async () => Number(await typed.radius.inputValue())).toBeGreaterThan(800)

  // By mouse, on the other map: its grid is another one, the numbers stay those of WGS 84.
  await editor.getByText('Baidu', { exact: true }).click()
  await expect(handle.edge).toBeVisible()
  const before = Number(await typed.radius.inputValue())
  // The other map draws its handles anew, more than once until it knows its size.
  let box = { x: 0, y: 0, width: 0, height: 0 }
  await expect
    .poll(async () => {
      const [last, now] = [box, await handle.edge.boundingBox()]
      if (now) box = now
      return now !== null && now.x === last.x && now.y === last.y
    })
    .toBe(true)
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width / 2 - 40, box.y + box.height / 2, { steps: 5 })
  await page.mouse.up()
  await expect.poll(async () => Number(await typed.radius.inputValue())).toBeLessThan(before)
  expect(Number(await typed.latitude.inputValue())).toBeCloseTo(21.03, 1)
  await editor.getByText('OpenStreetMap', { exact: true }).click()
  await editor.getByRole('button', { name: 'Save fence' }).click()
  await expect(page.getByText('The fence has been saved')).toBeVisible()

  // In force for a device, which says so on its location tab.
  await row.getByRole('button', { name: /^Where Walk depot is in force/ }).click()
  const places = page.getByRole('dialog', { name: 'Where Walk depot is in force' })
  await expect(places.getByText('It is in force nowhere yet.')).toBeVisible()
  await places.getByRole('checkbox').nth(1).check()
  await places.getByRole('button', { name: 'Set fence' }).click()
  await expect(places.getByRole('button', { name: /^Remove from/ })).toBeVisible()
  await places.getByRole('button', { name: 'Close' }).click()
  await expect(row).toContainText('1 place')
})
