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

  await until(
    'the recording to be kept',
    async () => (await signedIn('sunrise').terminalRemote.get({ session_kid: session!.kid })).recordings.length > 0,
    40,
  )
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
  await until(
    'the recording to be kept',
    async () => (await signedIn('sunrise').terminalRemote.get({ session_kid: session!.kid })).recordings.length > 0,
    40,
  )
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
