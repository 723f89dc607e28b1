import { readFile } from 'node:fs/promises'
import type { Locator, Page } from '@playwright/test'
import { PNG } from 'pngjs'
import { until } from '@mdm/testbed/until.ts'
import { signedIn } from './calls.ts'
import { accountOf } from './demo-server.ts'
import { coloursOf, confirmPassword, rowOf, settled } from './pages.ts'
import { expect, test } from './test.ts'

/** A simulated device that is online, from the end of the list: the first ones are other walks'. */
async function device(): Promise<{ kid: string; sn: string }> {
  const { items } = await signedIn('sunrise').terminal.paging({ is_online: true, text: 'SIM-', sort: 'sn' })
  return items.at(-2)!
}
const remote = (page: Page, kid: string, tab = '') =>
  page.goto(`/device-detail/remote?kid=${kid}${tab && `&tab=${tab}`}`)
const status = (page: Page): Locator => page.locator('.remote-status')

const asks_password = /403.*terminal_remote\/update_settings/

/** Everything that an account can permit, set as a person sets it. */
async function permitEverything(page: Page): Promise<void> {
  const { consent, terminal, record_desktop } = await signedIn('sunrise').terminalRemote.settings({})
  if (consent === 'unattended' && terminal && record_desktop) return
  await page.goto('/remote-session-list')
  await page.getByRole('button', { name: 'Settings', exact: true }).click()
  const drawer = page.getByRole('dialog', { name: 'Settings' })
  await drawer.getByRole('radio', { name: /^Unattended/ }).check()
  for (const name of ['Terminals', 'Record screens'])
    if (!(await drawer.getByRole('switch', { name }).isChecked())) await drawer.getByRole('switch', { name }).click()
  await drawer.getByRole('button', { name: 'Save settings' }).click()
  await confirmPassword(page, 'sunrise')
  await expect(page.getByText('Settings saved')).toBeVisible()
}

const pixelsOf = (page: Page): Promise<string> =>
  page.locator('.remote-picture canvas').evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL())

async function openScreen(page: Page, kid: string): Promise<void> {
  await remote(page, kid)
  await page.getByRole('button', { name: 'Open the screen' }).click()
  await expect(status(page)).toContainText('Connected')
}

async function recorded(session_kid: string): Promise<void> {
  const recordings = async () => (await signedIn('sunrise').terminalRemote.get({ session_kid })).recordings
  await until('the recording to be kept', async () => (await recordings()).length > 0, 40)
}

/** Where a button of the pointer went down on a device, as it was sent there. */
function pressesOf(page: Page): number[][] {
  const presses: number[][] = []
  page.on('websocket', (socket) =>
    socket.on('framesent', ({ payload }) => {
      if (typeof payload === 'string' || payload.length < 6 || payload[0] !== 5 || payload[1] === 0) return
      presses.push([payload.readUInt16BE(2), payload.readUInt16BE(4)])
    }),
  )
  return presses
}

test('the screen of a device: seen, moving, worked on, handed over, saved and ended; its recording', async ({
  open,
  complaints,
}) => {
  complaints.forgive(asks_password)
  const { kid, sn } = await device()
  const page = await open('sunrise')
  const pressed = pressesOf(page)
  await permitEverything(page)
  await openScreen(page, kid)
  await expect(status(page)).toContainText(/Picture \d s old/)
  await expect.poll(() => coloursOf(page)).toBeGreaterThan(4)
  const before = await pixelsOf(page)
  await expect.poll(() => pixelsOf(page)).not.toBe(before)
  await expect(status(page)).toContainText(/1:59:\d\d left/)

  // The keyboard is the device's while its screen has it, and given back by three keys.
  const screen = page.getByRole('textbox', { name: /^Keyboard of/ })
  await screen.focus()
  await expect(status(page)).toContainText('Ctrl+Alt+Shift')
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.keyboard.press('Control+Alt+Shift')
  await expect(page.getByRole('toolbar', { name: 'Tools of the session' })).toBeFocused()

  const tools = page.getByRole('toolbar', { name: 'Tools of the session' })
  const downloading = page.waitForEvent('download')
  await tools.getByRole('button', { name: 'Save a screenshot' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toMatch(new RegExp(`^${sn}-\\d{4}-\\d\\d-\\d\\d-\\d{6}\\.png$`))
  expect(PNG.sync.read(await readFile(await download.path())).width).toBeGreaterThan(100)

  await tools.getByRole('button', { name: 'Type a text' }).click()
  const panel = page.getByRole('complementary', { name: 'Type a text' })
  await panel.getByLabel('Text to type').fill('Xin chào 你好')
  await panel.getByRole('button', { name: 'Type it' }).click()
  await expect(panel.getByLabel('Text to type')).toHaveValue('')
  await tools.getByRole('button', { name: 'View only' }).click()
  await expect(tools.getByRole('button', { name: 'Home' })).toHaveAttribute('aria-disabled', 'true')
  // Who looks only turns the picture for themselves; a press on it is one on what is seen there.
  const canvas = page.locator('.remote-picture canvas')
  const rotate = tools.getByRole('button', { name: 'Rotate the screen' })
  await rotate.click()
  await expect(canvas).toHaveCSS('transform', 'matrix(0, 1, -1, 0, 0, 0)')
  await tools.getByRole('button', { name: 'View only' }).click()
  const [width, height] = await canvas.evaluate((shown: HTMLCanvasElement) => [shown.width, shown.height])
  const box = (await canvas.boundingBox())!
  const stage = (await page.locator('.remote-stage').boundingBox())!
  expect(box.height / box.width).toBeCloseTo(width! / height!, 1)
  expect(box.height).toBeLessThanOrEqual(stage.height + 1)
  await page.mouse.click(box.x + box.width * 0.25, box.y + box.height * 0.4)
  await expect.poll(() => pressed.length).toBeGreaterThan(0)
  const [x, y] = pressed.at(-1)!
  expect(x! / width!).toBeCloseTo(0.4, 1)
  expect(y! / height!).toBeCloseTo(0.75, 1)
  for (let quarter = 0; quarter < 3; quarter++) await rotate.click()
  await expect(canvas).toHaveCSS('transform', 'none')

  // Somebody joins, sees the same, and is given control.
  await tools.getByRole('button', { name: /^People/ }).click()
  const people = page.getByRole('complementary', { name: 'People' })
  const [session] = (await signedIn('sunrise').terminalRemote.paging({ terminal_kid: kid, is_open: true })).items
  const second = await page.context().newPage()
  await remote(second, kid)
  await second.getByRole('button', { name: /^Join the session of/ }).click()
  await expect(status(second)).toContainText('Connected')
  await expect(people.getByRole('listitem')).toHaveCount(2)
  // Whoever comes back has what was had; the first window takes it again, and hands it over.
  await expect(tools.getByRole('button', { name: 'Home' })).toHaveAttribute('aria-disabled', 'true')
  await people.getByRole('button', { name: 'Take control' }).click()
  await expect(people.getByRole('listitem').filter({ hasText: '(you)' })).toContainText('Has control')
  const home_of_second = second.getByRole('toolbar').getByRole('button', { name: 'Home' })
  await expect(home_of_second).toHaveAttribute('aria-disabled', 'true')
  await people.getByRole('button', { name: 'Hand over' }).click()
  await expect(home_of_second).not.toHaveAttribute('aria-disabled')
  await expect(tools.getByRole('button', { name: 'Home' })).toHaveAttribute('aria-disabled', 'true')
  await second.close()

  await signedIn('sunrise').terminalRemote.end({ kids: [session!.kid] })
  await expect(page.getByRole('heading', { name: 'The session was ended.' })).toBeVisible()
  await expect(page.locator('.remote-picture')).toHaveCount(0)

  await recorded(session!.kid)
  await page.goto(`/remote-session-list?session=${session!.kid}`)
  const drawer = page.getByRole('dialog', { name: `Session with ${sn}` })
  const { name } = accountOf('sunrise')
  await expect(rowOf(drawer, name)).toHaveCount(2)
  await expect(rowOf(page.locator('main'), sn).first()).toContainText(name)
  await drawer.getByRole('button', { name: 'Play', exact: true }).first().click()
  const player = page.getByRole('dialog', { name: `Recording of ${sn}` })
  await player.getByText('8×').click()
  await expect
    .poll(() =>
      player.locator('canvas').evaluate((canvas: HTMLCanvasElement) => {
        const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width || 1, canvas.height || 1)
        return new Set(new Uint32Array(data.buffer)).size
      }),
    )
    .toBeGreaterThan(4)
  await expect(player.getByRole('button', { name: 'Play again' })).toBeVisible()
  // Back to its beginning: it begins anew, and plays on.
  await player.getByRole('slider').press('Home')
  await expect(player.locator('.remote-player-clock')).toContainText('0:00')
  await player.getByRole('button', { name: 'Play', exact: true }).click()
  await expect(player.getByRole('button', { name: 'Play again' })).toBeVisible()
})

test('a shell of a device: typed into, recorded and played back', async ({ open, complaints }) => {
  complaints.forgive(asks_password)
  const { kid, sn } = await device()
  const page = await open('sunrise')
  await permitEverything(page)
  await remote(page, kid, 'terminal')
  await page.getByRole('button', { name: 'Open a terminal' }).click()
  await expect(status(page)).toContainText('Connected')
  await expect(page.getByText('This terminal is recorded')).toBeVisible()
  const shell = page.locator('.xterm-rows')
  await page.getByRole('textbox', { name: /^Terminal of/ }).focus()
  await page.keyboard.type('ls\n')
  await expect(shell).toContainText('routes.json')
  await page.getByRole('button', { name: 'End session' }).click()
  await expect(page.getByRole('heading', { name: 'You have left the session.' })).toBeVisible()
  // The keyboard goes on from there, not from the top of the page.
  await expect(page.locator('.remote-over')).toBeFocused()

  const [session] = (await signedIn('sunrise').terminalRemote.paging({ terminal_kid: kid, kind: 'terminal' })).items
  await recorded(session!.kid)
  await page.goto(`/remote-session-list?session=${session!.kid}`)
  const drawer = page.getByRole('dialog', { name: `Session with ${sn}` })
  await drawer.getByRole('button', { name: 'Play', exact: true }).click()
  const player = page.getByRole('dialog', { name: `Recording of ${sn}` })
  await player.getByText('8×').click()
  await expect(player.locator('.xterm-rows')).toContainText('routes.json')
  await page.keyboard.press('Escape')
  await expect(player).toBeHidden()
  await drawer.getByRole('button', { name: 'Delete the recording' }).click()
  await page.getByRole('button', { name: 'Delete recording' }).click()
  await expect(page.getByText('Recording deleted')).toBeVisible()
  await expect(drawer).toContainText('Nothing of this session is recorded')
})

test('the log of a device: followed, filtered, paused and saved', async ({ open }) => {
  const { kid } = await device()
  const page = await open('sunrise')
  await remote(page, kid, 'log')
  await page.getByRole('button', { name: 'Follow the log' }).click()
  const log = page.getByRole('log')
  await expect(log).toContainText('scanner: ready')
  await page.getByRole('button', { name: 'Pause' }).click()
  await expect(status(page)).toContainText(/[1-9]\d* lines? waits?/)
  const seen = await log.textContent()
  await expect(status(page)).toContainText(/[3-9]\d* lines wait/)
  expect(await log.textContent()).toBe(seen)
  await page.getByRole('button', { name: 'Go on' }).click()
  await expect(status(page)).not.toContainText('wait')
  await page.getByLabel('Only lines with …').fill('battery')
  await expect(log).toContainText('battery: 83 %')
  await expect(log).not.toContainText('scanner')
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save lines' }).click()
  const lines = (await readFile(await (await downloading).path(), 'utf8')).trim().split('\n')
  expect(lines.every((line) => line.includes('battery'))).toBe(true)
  await page.getByRole('button', { name: 'End session' }).click()
  await expect(page.getByRole('button', { name: 'Open again' })).toBeVisible()
})

test('a connection that breaks is told, and back within five seconds', async ({ open, complaints }) => {
  complaints.forgive(asks_password)
  const { kid } = await device()
  const page = await open('sunrise')
  await permitEverything(page)
  await page.addInitScript(() => {
    const all: WebSocket[] = []
    const Real = globalThis.WebSocket
    Object.assign(globalThis, {
      tunnels: all,
      WebSocket: class extends Real {
        constructor(...args: ConstructorParameters<typeof WebSocket>) {
          super(...args)
          all.push(this)
        }
      },
    })
  })
  await openScreen(page, kid)
  const broken_at = Date.now()
  await page.evaluate(() => (globalThis as unknown as { tunnels: WebSocket[] }).tunnels.at(-1)!.close())
  await expect(status(page)).toContainText('Reconnecting')
  // The last picture stays, grey.
  await expect(page.locator('.remote-stage')).toHaveAttribute('data-old', 'true')
  await expect(status(page)).toContainText('Connected')
  expect(Date.now() - broken_at).toBeLessThan(5_000)
  await page.getByRole('button', { name: 'End session' }).click()
  await settled(page)
})

/** A picture that was drawn: when, and a number that stands for all of its pixels. */
type Drawn = { at: number; hash: number }
type Watched = { live: Drawn[]; played: Drawn[]; pictureIn: (place: string) => number }

/** From then on, every picture that is drawn on a screen or in a player is written down in the page. */
const watchPictures = (page: Page) =>
  page.addInitScript(() => {
    const watched: Watched = {
      live: [],
      played: [],
      pictureIn: (place) => hashOf(document.querySelector<HTMLCanvasElement>(`${place} canvas`)!),
    }
    const { drawImage } = CanvasRenderingContext2D.prototype
    function hashOf(canvas: HTMLCanvasElement): number {
      // Before its first picture a screen has no size.
      const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width || 1, canvas.height || 1)
      return new Uint32Array(data.buffer).reduce((hash, pixel) => Math.imul(hash ^ pixel, 16_777_619), canvas.width)
    }
    // noVNC draws beside the page, and puts a picture there at once when all of it has come.
    CanvasRenderingContext2D.prototype.drawImage = function (...args: unknown[]) {
      drawImage.apply(this, args as Parameters<typeof drawImage>)
      const { canvas } = this
      const onto = canvas.closest('.remote-picture') ? 'live' : canvas.closest('.remote-player') && 'played'
      if (onto) watched[onto].push({ at: performance.now(), hash: hashOf(canvas) })
    }
    Object.assign(globalThis, { watched })
  })
const watchedOf = (page: Page) =>
  page.evaluate(() => {
    const { live, played } = (globalThis as unknown as { watched: Watched }).watched
    return { live, played }
  })

test('a recording shows picture by picture what was seen, and at its marks of time what was seen then', async ({
  open,
  complaints,
}) => {
  complaints.forgive(asks_password)
  const { kid, sn } = await device()
  const page = await open('sunrise')
  await permitEverything(page)
  await watchPictures(page)
  await openScreen(page, kid)
  await page.getByRole('textbox', { name: /^Keyboard of/ }).focus()
  await page.keyboard.type('seen')
  await expect.poll(async () => (await watchedOf(page)).live.length).toBeGreaterThan(30)
  const { live } = await watchedOf(page)
  await page.getByRole('button', { name: 'End session' }).click()
  await expect(page.getByRole('heading', { name: 'You have left the session.' })).toBeVisible()

  const [session] = (await signedIn('sunrise').terminalRemote.paging({ terminal_kid: kid, kind: 'desktop' })).items
  await recorded(session!.kid)
  await page.goto(`/remote-session-list?session=${session!.kid}`)
  const drawer = page.getByRole('dialog', { name: `Session with ${sn}` })
  await drawer.getByRole('button', { name: 'Play', exact: true }).click()
  const player = page.getByRole('dialog', { name: `Recording of ${sn}` })
  await expect(player.getByRole('button', { name: 'Play again' })).toBeVisible()
  const hashes = (drawn: Drawn[]) => drawn.map(({ hash }) => hash)
  const { played } = await watchedOf(page)
  // What came between counting and the end of the session is in the recording alone.
  expect(hashes(played).slice(0, live.length)).toEqual(hashes(live))
  expect(new Set(hashes(live)).size).toBeGreaterThan(10)

  // To marks of time one after another: as far apart as they were when they were seen.
  const slider = player.getByRole('slider')
  await slider.press('Home')
  const marks_s = [1, 2, 3]
  const seen_ms: number[] = []
  for (const mark of marks_s) {
    for (let step = 0; step < 10; step++) await slider.press('ArrowRight')
    await expect(player.locator('.remote-player-clock')).toContainText(`0:0${mark}`)
    // Pictures are drawn a moment after the slider has moved.
    let shown: number | undefined
    await expect
      .poll(async () => {
        const before = shown
        shown = await page.evaluate(() =>
          (globalThis as unknown as { watched: Watched }).watched.pictureIn('.remote-player'),
        )
        return before === shown
      })
      .toBe(true)
    const was = live.find(({ hash }) => hash === shown)
    expect(was, `the picture at ${mark} s was never seen`).toBeDefined()
    seen_ms.push(was!.at)
  }
  for (const [at, ms] of seen_ms.entries())
    if (at > 0) expect(Math.abs(ms - seen_ms[at - 1]! - 1_000)).toBeLessThan(750)
})

test('the quality follows what the connection bears, is told with what was measured, and is left alone when chosen', async ({
  open,
  complaints,
}) => {
  complaints.forgive(asks_password)
  // A computer that draws slowly steps down as a slow network does, and up again only after several quick answers in a row.
  const busy = { timeout: 150_000 }
  test.setTimeout(360_000)
  const { kid } = await device()
  const page = await open('sunrise')
  await permitEverything(page)
  const asked: string[] = []
  page.on('websocket', (socket) =>
    socket.on('framesent', ({ payload }) => {
      if (typeof payload === 'string' && payload.includes('quality')) asked.push(payload)
    }),
  )
  await openScreen(page, kid)
  const link = page.locator('.remote-link')
  await expect(link).toContainText(/^medium quality · .+\/s · \d+ ms$/)

  const network = await page.context().newCDPSession(page)
  const throttle = (bytes_per_second: number) =>
    network.send('Network.emulateNetworkConditions', {
      ...{ offline: false, latency: 0, downloadThroughput: bytes_per_second, uploadThroughput: -1 },
    })
  await throttle(10_000)
  await expect(link).toContainText('low quality', busy)
  await expect(link).toContainText(/ · [\d.]+ KB\/s · /)
  await throttle(-1)
  await expect(link).toContainText('medium quality', busy)

  await page.getByRole('toolbar').getByText('High', { exact: true }).click()
  await expect(link).toContainText(/^high quality · /)
  expect(asked.map((note) => (JSON.parse(note) as { quality: string }).quality)).toEqual([
    ...['medium', 'low', 'medium', 'high'],
  ])
})
