import type { Locator, Page } from '@playwright/test'
import { enrol } from '@mdm/testbed/enrol.ts'
import { depot, follow, radius } from '@mdm/testbed/van.ts'
import { signedIn } from './calls.ts'
import { answerMapsWith, expect, test } from './test.ts'

const fieldsOf = (drawer: Locator) => ({
  longitude: drawer.getByLabel('Longitude'),
  latitude: drawer.getByLabel('Latitude'),
  radius: drawer.getByLabel('Radius (m)'),
})
const handlesOf = (drawer: Locator) => ({
  middle: drawer.getByRole('button', { name: /^Middle of the fence/ }),
  edge: drawer.getByRole('slider', { name: /^Radius/ }),
})
const number = async (field: Locator) => Number(await field.inputValue())

/** Where something is drawn, once it stays there: a map draws its handles anew until it knows its size. */
async function placeOf(drawn: Locator): Promise<{ x: number; y: number }> {
  let box = { x: 0, y: 0, width: 0, height: 0 }
  await expect
    .poll(async () => {
      const [last, now] = [box, await drawn.boundingBox()]
      if (now) box = now
      return now !== null && now.x === last.x && now.y === last.y
    })
    .toBe(true)
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}
async function drag(page: Page, handle: Locator, right: number, down: number): Promise<void> {
  const { x, y } = await placeOf(handle)
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + right, y + down, { steps: 6 })
  await page.mouse.up()
}

for (const [kind, at] of [
  ['OpenStreetMap', { longitude: 105.8342, latitude: 21.0278 }],
  // Inside of China the pictures of this map are shifted against the earth; the numbers are not.
  ['Baidu', { longitude: 116.4074, latitude: 39.9042 }],
] as const)
  test(`a circle is placed, dragged, resized and typed on ${kind}, also without pictures`, async ({ open }) => {
    const page = await open('sunrise')
    answerMapsWith(page, 204)
    await page.goto('/electronic-fence-list')
    await expect(page.getByRole('heading', { name: 'Electronic fences', exact: true })).toBeVisible()
    await page.getByRole('button', { name: 'Add fence' }).first().click()
    const drawer = page.getByRole('dialog', { name: 'Add fence' })
    const [field, handle] = [fieldsOf(drawer), handlesOf(drawer)]
    const map = drawer.getByRole('region', { name: /^Map of the fence/ })
    await drawer.getByLabel('Name').fill(`Walk ${kind}`)
    await drawer.getByText(kind, { exact: true }).click()
    await expect(drawer.getByText(/^The map tiles cannot be reached/)).toBeVisible()

    // By mouse: a click places it, the middle moves it, the edge resizes it.
    const { x, y } = await placeOf(map)
    await page.mouse.click(x, y)
    await expect(field.longitude).not.toHaveValue('')
    await expect(handle.middle).toBeVisible()

    // By numbers: the circle goes there. It is far away; the map stays until the fence is opened again.
    await field.longitude.fill(String(at.longitude))
    await field.latitude.fill(String(at.latitude))
    await field.radius.fill('800')
    await field.radius.press('Tab')
    await expect(handle.edge).toHaveAttribute('aria-valuenow', '800')
    await drawer.getByRole('button', { name: 'Add fence' }).click()
    await expect(page.getByText(`The fence Walk ${kind} has been created`)).toBeVisible()
    const row = page.getByRole('row', { name: new RegExp(`Walk ${kind}`) })
    await row.getByRole('button', { name: /^More|actions/i }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    const editor = page.getByRole('dialog', { name: `Edit Walk ${kind}` })
    const [typed, grip] = [fieldsOf(editor), handlesOf(editor)]
    await expect(typed.latitude).toHaveValue(String(at.latitude))
    const [middle, edge] = [await placeOf(grip.middle), await placeOf(grip.edge)]
    const metres_per_pixel = 800 / (edge.x - middle.x)

    // To the left: at the rim of the map it would be the map that moves.
    await drag(page, grip.middle, -60, 40)
    // What is typed follows a moment after the pointer.
    const near = (is: () => Promise<number>, pixels: number) =>
      expect.poll(async () => Math.abs((await is()) / metres_per_pixel - pixels)).toBeLessThan(3)
    const metres_of_degree = 111_195
    const per_longitude = metres_of_degree * Math.cos((at.latitude * Math.PI) / 180)
    await near(async () => ((await number(typed.longitude)) - at.longitude) * per_longitude, -60)
    await near(async () => (at.latitude - (await number(typed.latitude))) * metres_of_degree, 40)
    expect(await number(typed.radius)).toBe(800)
    const latitude = await number(typed.latitude)
    await drag(page, grip.edge, -40, 0)
    await near(async () => 800 - (await number(typed.radius)), 40)
    expect(await number(typed.latitude)).toBe(latitude)

    // By keys: arrows move the middle and the edge, with shift in small steps.
    const before = { latitude: await number(typed.latitude), radius: await number(typed.radius) }
    await grip.middle.focus()
    await page.keyboard.press('ArrowUp')
    await expect.poll(() => number(typed.latitude)).toBeGreaterThan(before.latitude)
    const raised = (await number(typed.latitude)) - before.latitude
    await page.keyboard.press('Shift+ArrowUp')
    await expect.poll(() => number(typed.latitude)).toBeGreaterThan(before.latitude + raised)
    expect((await number(typed.latitude)) - before.latitude).toBeLessThan(raised * 1.5)
    await grip.edge.focus()
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => number(typed.radius)).toBeGreaterThan(before.radius)
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => number(typed.radius)).toBeLessThanOrEqual(before.radius + 1)

    // By numbers again: the handles follow, and the other map shows the same numbers.
    await typed.radius.fill('1000')
    await typed.radius.press('Tab')
    await expect
      .poll(async () => ((await placeOf(grip.edge)).x - (await placeOf(grip.middle)).x) * metres_per_pixel)
      .toBeGreaterThan(980)
    const said = { longitude: await number(typed.longitude), latitude: await number(typed.latitude) }
    await editor.getByText(kind === 'Baidu' ? 'OpenStreetMap' : 'Baidu', { exact: true }).click()
    await expect(grip.edge).toHaveAttribute('aria-valuenow', '1000')
    expect({ longitude: await number(typed.longitude), latitude: await number(typed.latitude) }).toEqual(said)
    await editor.getByText('OpenStreetMap', { exact: true }).click()
    await editor.getByRole('button', { name: 'Save fence' }).click()
    await expect(page.getByText('The fence has been saved')).toBeVisible()
    await expect(row).toContainText('1,000')
  })

test('a place is searched for by its name, and the circle goes there', async ({ open, complaints }) => {
  // The geocoder is out of order once, on purpose.
  complaints.forgive(/find_place/)
  const page = await open('sunrise')
  await page.goto('/electronic-fence-list')
  await page.getByRole('button', { name: 'Add fence' }).first().click()
  const drawer = page.getByRole('dialog', { name: 'Add fence' })
  const search = drawer.getByRole('searchbox', { name: 'Search for a place' })
  await search.fill('no such place')
  await search.press('Enter')
  await expect(drawer.getByText('No such place was found.')).toBeVisible()
  await search.fill('out of order')
  await search.press('Enter')
  await expect(drawer.getByText(/place search|geocoder/i)).toBeVisible()
  await search.fill('ha noi')
  await search.press('Enter')
  await expect(drawer.getByRole('button', { name: /^Hà Nội, Việt Nam/ })).toBeVisible()
  await drawer.getByRole('button', { name: /^Ga Hà Nội, 120/ }).click()
  const field = fieldsOf(drawer)
  await expect(field.longitude).toHaveValue('105.84107')
  await expect(field.latitude).toHaveValue('21.02428')
  // The map looks there: both handles are in view.
  for (const handle of Object.values(handlesOf(drawer))) await expect(handle).toBeInViewport()
})

test('the track of a van is played against its fence', async ({ open }) => {
  const page = await open('sunrise')
  const call = signedIn('sunrise')
  const van = await enrol(call, { sn: 'WALK-VAN', body: { judges_fence: false } })
  try {
    van.body.placed_at = { ...depot, accuracy: 8 }
    await van.agent.sample()
    const { kid } = await call.electronicFence.insert({
      name: 'Walk van',
      ...depot,
      radius,
      alarm_seconds: 2,
    })
    await call.electronicFence.save_places({ fence_kid: kid, places: [{ ltscope: 40, terminal_kid: van.kid }] })
    await follow(call, van)
    await page.goto(`/device-detail/location?kid=${van.kid}`)
    const playback = page.getByRole('group', { name: 'Playback of the day' })
    const slider = playback.getByRole('slider', { name: 'Position of the day' })
    await expect(playback).toContainText('Not begun')
    // Twice out and twice back, where it was told to have crossed.
    await expect(page.getByRole('button', { name: /^Left Walk van at \d\d:\d\d:\d\d$/ })).toHaveCount(2)
    await expect(page.getByRole('button', { name: /^Came back into Walk van at/ })).toHaveCount(2)
    const standing = page.getByRole('button', { name: /^Position of \d\d:\d\d:\d\d$/ })

    // Played: inside, out to the river, and home again; the mark on the map goes along.
    await playback.getByRole('button', { name: 'Play the track' }).click()
    await expect(playback).toContainText(/inside, \d+ m from the edge/)
    await expect(playback).toContainText(/outside, [\d,]+ m from the edge/)
    await expect(standing).toBeVisible()
    await playback.getByRole('button', { name: 'Pause' }).click()
    const at = await slider.getAttribute('aria-valuenow')
    await page.waitForTimeout(1_000)
    await expect(slider).toHaveAttribute('aria-valuenow', at!)

    // By keys, to the farthest place and to the end.
    await slider.focus()
    await page.keyboard.press('Home')
    // It came from far away before it stood at the depot.
    await expect(playback).toContainText(/outside, \d{3},\d{3} m from the edge/)
    await page.keyboard.press('ArrowRight')
    await expect(playback).toContainText(/inside, 600 m from the edge/)
    await page.keyboard.press('End')
    await expect(playback).toContainText(/inside, \d+ m from the edge/)
    await expect(slider).toHaveAttribute('aria-valuetext', /inside/)
    await expect(playback.getByRole('button', { name: 'Play the track' })).toBeVisible()
    // The events beside it say the same, with the places where it crossed.
    await page.goto(`/device-detail/event?kid=${van.kid}`)
    await expect(page.getByRole('row', { name: /(Left|Entered) the fence.*Walk van/ })).toHaveCount(4)

    // The list of the fence has them too: which device left, and what was done about it.
    await page.goto('/electronic-fence-list')
    await page.getByRole('button', { name: 'What happened at Walk van' }).click()
    const happened = page.getByRole('dialog', { name: 'What happened at Walk van' })
    await expect(happened.getByRole('row', { name: /Left the fence/ })).toHaveCount(2)
    await expect(happened.getByRole('row', { name: /Ring pushed/ })).toHaveCount(2)
    await happened.getByRole('button', { name: 'Filter' }).click()
    await page.getByRole('menuitem', { name: 'Fence action' }).click()
    await expect(happened.getByRole('row', { name: /Left the fence/ })).toHaveCount(0)
    await expect(happened.getByRole('link', { name: 'Open the push' }).first()).toHaveAttribute(
      'href',
      /push-task-detail/,
    )
    await happened.getByRole('link', { name: 'WALK-VAN' }).first().click()
    await expect(page).toHaveURL(new RegExp(`/device-detail/info\\?kid=${van.kid}`))
  } finally {
    await van.agent.stop()
  }
})

test('a fence is set for a device, and said where it is in force', async ({ open }) => {
  const page = await open('sunrise')
  await signedIn('sunrise').electronicFence.insert({ name: 'Walk depot', ...depot, radius })
  await page.goto('/electronic-fence-list')
  const row = page.getByRole('row', { name: /Walk depot/ })

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
