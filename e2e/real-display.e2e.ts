import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CDPSession, Locator, Page } from '@playwright/test'
import { until } from '@mdm/testbed/until.ts'
import { startEnrolledAgent, tempFolder } from './agent-process.ts'
import { hashed, signedIn } from './calls.ts'
import { accountOf } from './demo-server.ts'
import { lastingPort } from './own-demo.ts'
import { coloursOf } from './pages.ts'
import { expect, test } from './test.ts'
import { startVncDisplay, whyNoVnc } from '@mdm/testbed/x-display.ts'
import type { Display } from '@mdm/testbed/x-display.ts'

const why_not = whyNoVnc()
test.beforeEach(({ browserName: _ }, info) => info.skip(why_not !== undefined, why_not))

type Kiosk = AsyncDisposable & {
  kid: string
  display: string
  files: string
  /** What was written into its one program, as the display gave it. */
  typed: () => Promise<string>
  hold: Display['hold']
}

/** This machine as a device with a display, on which `cat` of an xterm writes down what is typed. */
async function startKiosk(sn: string, shell = 'cat > "$0"'): Promise<Kiosk> {
  const started: AsyncDisposable[] = []
  const use = <T extends AsyncDisposable>(one: T): T => (started.push(one), one)
  const stop = async () => {
    for (const each of started.toReversed()) await each[Symbol.asyncDispose]()
  }
  try {
    const { path } = use(await tempFolder())
    const port = await lastingPort()
    const { name: display, hold } = use(await startVncDisplay(port))
    const file = join(path, 'typed')
    use(startOn(display, 'xterm', ['-u8', '-geometry', '130x45+0+0', '-e', 'sh', '-c', shell, file]))
    const files = join(path, 'files')
    const settings = ['--vnc', `127.0.0.1:${port}`]
    const { kid, agent } = await startEnrolledAgent({ sn, data: join(path, 'data'), files, display, settings })
    use(agent)
    await until('the shell to wait', () => existsSync(file))
    return { kid, display, files, hold, typed: () => readFile(file, 'utf8'), [Symbol.asyncDispose]: stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** A program on a display, which reads `input` first. */
function startOn(display: string, program: string, args: string[], input = ''): AsyncDisposable {
  const env = { ...process.env, DISPLAY: display, LC_ALL: 'C.UTF-8' }
  const child = spawn(program, args, { env, stdio: ['pipe', 'ignore', 'ignore'] })
  child.stdin.end(input)
  const ended = new Promise((resolve) => child.on('exit', resolve))
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

const account = { clipboard: true, consent: 'unattended', terminal: false, record_desktop: false } as const
async function permit(more: { clipboard?: boolean } = {}): Promise<void> {
  const call = signedIn('lantern')
  await call.login.confirm_password({ password: hashed(accountOf('lantern').password) })
  await call.terminalRemote.update_settings({ ...(await call.terminalRemote.settings({})), ...account, ...more })
}

async function openScreen(page: Page, kid: string): Promise<void> {
  await page.goto(`/device-detail/remote?kid=${kid}`)
  await page.getByRole('button', { name: 'Open the screen' }).click()
  await expect(page.locator('.remote-status')).toContainText('Connected')
  // Without a window manager the keys go where the pointer is.
  await page.locator('.remote-picture canvas').click({ position: { x: 200, y: 150 } })
  await expect(page.getByRole('textbox', { name: /^Keyboard of/ })).toBeFocused()
}

/** A key of a layout that the browser's machine has: what it writes is said by the event. */
async function pressKey(cdp: CDPSession, key: string, code: string): Promise<void> {
  const at = { key, code, windowsVirtualKeyCode: code.startsWith('Key') ? code.charCodeAt(3) : 0 }
  const text = [...key].length === 1 ? { text: key } : {}
  await cdp.send('Input.dispatchKeyEvent', { type: 'keyDown', ...at, ...text })
  await cdp.send('Input.dispatchKeyEvent', { type: 'keyUp', ...at })
}
/** Letters before they are what they become, and then what was chosen of them. */
async function compose(cdp: CDPSession, parts: readonly string[], chosen: string): Promise<void> {
  for (const text of parts)
    await cdp.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length })
  await cdp.send('Input.insertText', { text: chosen })
}

test('a person types English, Vietnamese and Chinese into a program on a real display', async ({ open }) => {
  await using kiosk = await startKiosk('E2E-DISPLAY-1')
  await permit()
  const page = await open('lantern')
  await openScreen(page, kiosk.kid)
  const cdp = await page.context().newCDPSession(page)

  await page.keyboard.type('Hello, World! #1 {a|b} ~"\'\\\n')
  await expect.poll(kiosk.typed).toBe('Hello, World! #1 {a|b} ~"\'\\\n')

  // A layout that has the letters, a dead key, and an input method that turns `vieejt` into a word.
  for (const [key, code] of [...'đơnưêéãĐ'].map((letter) => [letter, 'KeyE'] as const)) await pressKey(cdp, key, code)
  await pressKey(cdp, 'Dead', 'BracketLeft')
  await pressKey(cdp, 'ô', 'KeyO')
  await pressKey(cdp, ' ', 'Space')
  await compose(cdp, ['v', 'vi', 'vie', 'viê', 'việ', 'việt'], 'việt')
  await page.keyboard.press('Enter')
  await expect.poll(kiosk.typed).toMatch(/\nđơnưêéãĐô việt\n$/)

  await compose(cdp, ['n', 'ni', 'nihao'], '你好')
  await compose(cdp, ['s', 'shijie'], '世界')
  await cdp.send('Input.insertText', { text: '，设备。' })
  await page.keyboard.press('Enter')
  await expect.poll(kiosk.typed).toMatch(/\n你好世界，设备。\n$/)
})

/** '' while nothing is there, or nothing that is text. */
const clipboardOf = (display: string): string => {
  const args = ['-o', '-selection', 'clipboard', '-t', 'UTF8_STRING']
  return spawnSync('xclip', args, { env: { ...process.env, DISPLAY: display }, encoding: 'utf8' }).stdout
}
const copyOn = (display: string, text: string): AsyncDisposable =>
  startOn(display, 'xclip', ['-quiet', '-i', '-selection', 'clipboard'], text)
const copied = (page: Page): Promise<string> => page.evaluate(() => navigator.clipboard.readText())
const tools = (page: Page): Locator => page.getByRole('toolbar', { name: 'Tools of the session' })

test('what is copied at one end is there at the other, unless the account has switched that off', async ({ open }) => {
  await using kiosk = await startKiosk('E2E-DISPLAY-2')
  await permit()
  const page = await open('lantern')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await openScreen(page, kiosk.kid)

  await page.evaluate(() => navigator.clipboard.writeText('from the browser: Đà Nẵng 你好'))
  await tools(page).focus()
  await page.getByRole('textbox', { name: /^Keyboard of/ }).focus()
  await expect.poll(() => clipboardOf(kiosk.display)).toBe('from the browser: Đà Nẵng 你好')
  {
    await using _ = copyOn(kiosk.display, 'from the device: ệ 设备')
    await expect.poll(() => copied(page)).toBe('from the device: ệ 设备')
  }

  await permit({ clipboard: false })
  const heard: Buffer[] = []
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => void (typeof payload !== 'string' && heard.push(payload))),
  )
  await openScreen(page, kiosk.kid)
  await expect(tools(page).getByRole('button', { name: 'Clipboard' })).toHaveAttribute('aria-disabled', 'true')
  await using _ = copyOn(kiosk.display, 'secret of the device')
  await page.keyboard.type('after\n')
  await expect.poll(kiosk.typed).toBe('after\n')
  await expect.poll(() => coloursOf(page)).toBeGreaterThan(1)
  expect(await copied(page)).toBe('from the device: ệ 设备')
  expect(Buffer.concat(heard).includes('secret of the device')).toBe(false)
  await page.context().clearPermissions()
})

test('looked at only, in another quality, on the whole screen and the other way round', async ({ open }) => {
  await using kiosk = await startKiosk('E2E-DISPLAY-3')
  await permit()
  const page = await open('lantern')
  const said: Buffer[] = []
  page.on('websocket', (socket) =>
    socket.on('framesent', ({ payload }) => void (typeof payload !== 'string' && said.push(payload))),
  )
  await openScreen(page, kiosk.kid)

  // The level of JPEG is one of the encodings that are asked for: -32 and the level.
  const jpegLevel = () => said.flatMap((message) => (message[0] === 2 ? [levelOf(message)] : [])).at(-1)
  expect(jpegLevel()).toBe(6)
  await tools(page).getByText('Low', { exact: true }).click()
  await expect.poll(jpegLevel).toBe(1)
  await tools(page).getByText('High', { exact: true }).click()
  await expect.poll(jpegLevel).toBe(9)

  const keyboard = page.getByRole('textbox', { name: /^Keyboard of/ })
  await tools(page).getByRole('button', { name: 'View only' }).click()
  await keyboard.focus()
  await page.keyboard.type('nothing\n')
  await tools(page).getByRole('button', { name: 'View only' }).click()
  await keyboard.focus()
  await page.keyboard.type('something\n')
  await expect.poll(kiosk.typed).toBe('something\n')

  await tools(page).getByRole('button', { name: 'Full screen' }).click()
  await expect.poll(() => page.evaluate(() => document.fullscreenElement?.className)).toBe('remote-frame')
  await expect(keyboard).toBeFocused()
  await page.keyboard.type('whole\n')
  await expect.poll(kiosk.typed).toBe('something\nwhole\n')
  await tools(page).getByRole('button', { name: 'Full screen' }).click()
  await expect.poll(() => page.evaluate(() => document.fullscreenElement)).toBeNull()

  const size = () =>
    page.locator('.remote-picture canvas').evaluate(({ width, height }: HTMLCanvasElement) => [width, height])
  expect(await size()).toEqual([800, 600])
  await tools(page).getByRole('button', { name: 'Rotate the screen' }).click()
  await expect.poll(size).toEqual([600, 800])
})
function levelOf(message: Buffer): number | undefined {
  const encodings = Array.from({ length: message.readUInt16BE(2) }, (_, at) => message.readInt32BE(4 + 4 * at))
  const quality = encodings.find((each) => each >= -32 && each <= -23)
  return quality === undefined ? undefined : quality + 32
}

test('files that are dropped on the picture come to the device', async ({ open }) => {
  await using kiosk = await startKiosk('E2E-DISPLAY-4')
  await permit()
  const page = await open('lantern')
  await openScreen(page, kiosk.kid)
  const dragged = await page.evaluateHandle(() => {
    const data = new DataTransfer()
    data.items.add(new File(['a map'], 'bản đồ.txt'))
    data.items.add(new File(['a plan'], 'plan.txt'))
    return data
  })
  const stage = page.locator('.remote-stage')
  await stage.dispatchEvent('dragenter', { dataTransfer: dragged })
  await expect(stage).toContainText('Drop to send it to')
  await stage.dispatchEvent('drop', { dataTransfer: dragged })
  await expect(stage).not.toContainText('Drop to send it to')
  await expect.poll(() => readFile(join(kiosk.files, 'bản đồ.txt'), 'utf8').catch(() => '')).toBe('a map')
  await expect.poll(() => readFile(join(kiosk.files, 'plan.txt'), 'utf8').catch(() => '')).toBe('a plan')
})

test('a finger works the device, and the keyboard of a tablet comes when it is asked for', async ({ open }) => {
  // Where somebody touches is told to the program of the terminal, which writes it down.
  await using kiosk = await startKiosk('E2E-DISPLAY-5', String.raw`printf '\033[?1000h'; cat > "$0"`)
  await permit()
  const page = await open('lantern')
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 5 })
  await page.goto(`/device-detail/remote?kid=${kiosk.kid}`)
  await page.getByRole('button', { name: 'Open the screen' }).click()
  await expect(page.locator('.remote-status')).toContainText('Connected')
  const box = (await page.locator('.remote-picture canvas').boundingBox())!
  const at = { x: box.x + box.width / 4, y: box.y + box.height / 4 }
  await cdp.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [at] })
  await cdp.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  const keyboard = page.getByRole('textbox', { name: /^Keyboard of/ })
  await expect(keyboard).toBeFocused()
  expect(await keyboard.evaluate((field: HTMLTextAreaElement) => field.inputMode)).toBe('none')
  await page.keyboard.press('Enter')
  // Pressed with the first button and let go.
  await expect
    .poll(async () => (await kiosk.typed()).replaceAll('\u001B', '<esc>'))
    .toMatch(/^<esc>\[M ..<esc>\[M#..\n$/)

  await tools(page).getByRole('button', { name: 'Keyboard of this tablet' }).click()
  await expect(keyboard).toBeFocused()
  expect(await keyboard.evaluate((field: HTMLTextAreaElement) => field.inputMode)).toBe('text')
  await cdp.send('Emulation.setTouchEmulationEnabled', { enabled: false })
})

test('a screen that stands still is told with its age, and lives again', async ({ open }) => {
  await using kiosk = await startKiosk('E2E-DISPLAY-6')
  await permit()
  const page = await open('lantern')
  await openScreen(page, kiosk.kid)
  const status = page.locator('.remote-status')
  await expect(status).toContainText(/Picture \d s old/)
  kiosk.hold(true)
  try {
    await expect(status).toContainText(/No picture for ([6-9]|\d\d) s/)
    await expect(page.locator('.remote-stage')).toHaveAttribute('data-old', 'true')
  } finally {
    kiosk.hold(false)
  }
  await expect(status).toContainText('Connected')
})

/** What the provider gives to a device: more time than two hours, where it is asked for. */
async function entitle(sn: string): Promise<void> {
  const { opsPolicy: policy } = signedIn('operator')
  const { kid: policyKid } = await policy.insert({ name: `E2E ${sn}`, days: 30 })
  const importTerminalDtos = [{ sn, work_order: 'WO-1' }]
  await policy.import_sheet({ policyKid, schedule_version: sn, importTerminalDtos })
  await until(`${sn} to be on a policy`, async () =>
    (await policy.paging_terminal({ policy_kid: policyKid })).items.some(({ state }) => state === 'active'),
  )
}

test('five minutes before its end a session warns, and is renewed where a policy entitles to it', async ({ open }) => {
  await using kiosk = await startKiosk('E2E-DISPLAY-7')
  await permit()
  await entitle('E2E-DISPLAY-7')
  const page = await open('lantern')
  // By what the server calls now it is almost two hours later.
  await page.route(/\/api\/terminal_remote\/open_desktop\?/, async (route) => {
    const response = await route.fetch()
    const { data, ...reply } = (await response.json()) as { data: { session: { created_at: string } } }
    const created_at = new Date(Date.parse(data.session.created_at) + 115.5 * 60_000).toISOString()
    await route.fulfill({ response, json: { ...reply, data: { ...data, session: { ...data.session, created_at } } } })
  })
  await openScreen(page, kiosk.kid)
  const status = page.locator('.remote-status')
  await expect(status.getByRole('alert')).toHaveText('The session ends soon. It can be renewed.')
  await expect(status).toContainText(/ [34]:\d\d left/)

  await status.getByRole('button', { name: 'Renew' }).click()
  const panel = page.getByRole('complementary', { name: 'Time' })
  await panel.getByLabel('Periods to add').fill('2')
  await panel.getByRole('button', { name: 'Renew' }).click()
  await expect(page.getByText('Session renewed')).toBeVisible()
  await expect(status).toContainText(/4:0[34]:\d\d left/)
  await expect(status.getByRole('alert')).toHaveCount(0)
  await panel.getByRole('button', { name: 'Take back 2 periods' }).click()
  await expect(status.getByRole('alert')).toBeVisible()
  await panel.getByRole('button', { name: 'Close' }).click()
  await expect(tools(page)).toBeFocused()
})
