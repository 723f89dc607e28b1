import type { BrowserContext, Page } from '@playwright/test'
import { uploadFile } from '@mdm/testbed/upload.ts'
import { expectAccessible } from './accessible.ts'
import { signedIn } from './calls.ts'
import { enrolBy, rowOf } from './pages.ts'
import { scan } from './qr.ts'
import { expect, test } from './test.ts'

const drawer = (page: Page) => page.locator('.form-drawer')
const phone = { viewport: { width: 360, height: 740 }, locale: 'en-GB' }
const status = (page: Page) => page.getByRole('status')

/** What a phone's camera reads from the enrolment page of this person. */
async function scannedFrom(page: Page): Promise<string> {
  await page.goto('/device-list')
  await enrolBy(page, 'browser')
  const { text } = await scan(drawer(page).getByLabel('One-time QR code for registration'))
  return text
}

async function opened(context: BrowserContext, address: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(address)
  return page
}

test('a browser that scans the screen of another becomes a device, is told things, and goes when it is closed', async ({
  open,
  browser,
}) => {
  const page = await open('lantern')
  const address = await scannedFrom(page)
  expect(address, 'what a phone reads').toMatch(/^http:\/\/[^/]+\/terminal#[0-9a-f]{64}$/)

  const context = await browser.newContext({
    ...phone,
    permissions: ['geolocation'],
    geolocation: { longitude: 105.85, latitude: 21.03, accuracy: 12 },
  })
  const started = Date.now()
  const device = await opened(context, address)
  await expect(status(device)).toHaveText('Connected')
  expect(Date.now() - started, 'ms until it is a device').toBeLessThan(5_000)
  await expect.poll(() => new URL(device.url()).hash, 'the code does not stay in the address').toBe('')
  const sn = (await device.getByText(/^WEB-[0-9A-F]{10}$/).textContent())!
  await expect(drawer(page).getByRole('status')).toContainText(sn)
  await expectAccessible(device, {})

  const call = signedIn('lantern')
  const found = async () => (await call.terminal.paging({ text: sn })).items[0]!
  await expect.poll(async () => (await found()).agent_kind).toBe('browser')
  const { kid } = await found()

  await test.step('it shares where it is once it was asked', async () => {
    await device.getByRole('button', { name: 'Share location' }).click()
    await expect(device.getByText('Shared while this page is open')).toBeVisible()
    const placed = async () => (await call.terminal.get({ kid })).location?.latitude
    await expect.poll(placed).toBeCloseTo(21.03)
  })

  const stateOf = async (push_kid: string) =>
    (await call.pushTask.paging_terminal({ push_task_kid: push_kid })).items[0]?.state
  const push = async (work: Parameters<typeof call.pushTask.insert>[0]) => (await call.pushTask.insert(work)).kid

  await test.step('a message is shown, and completed when somebody has acknowledged it', async () => {
    const pushed = await push({
      type: 'message',
      terminal_kids: [kid],
      payload: { title: 'Ca tối', text: 'Nhớ sạc pin' },
    })
    const message = device.getByRole('dialog', { name: 'Ca tối' })
    await expect(message).toContainText('Nhớ sạc pin')
    expect(await stateOf(pushed)).not.toBe('completed')
    await message.getByRole('button', { name: 'OK' }).click()
    await expect.poll(() => stateOf(pushed)).toBe('completed')
    await expect(message).toBeHidden()
  })

  await test.step('it rings', async () => {
    const pushed = await push({ type: 'find', terminal_kids: [kid], payload: { seconds: 5 } })
    await expect(device.getByRole('alert')).toHaveText('Somebody is looking for this device')
    await expect.poll(() => stateOf(pushed)).toBe('completed')
    await expect(device.getByRole('alert')).toBeHidden()
  })

  await test.step('a file arrives, and is saved as it was sent', async () => {
    const content = Buffer.from('Giá,1.20\n'.repeat(5_000))
    const upload_kid = await uploadFile(call, 'gia.csv', content)
    const file = await call.fileCloud.insert({ upload_kid, name: 'gia.csv' })
    const payload = { file_kids: [file.kid], path: '/Download' }
    const pushed = await push({ type: 'file', terminal_kids: [kid], payload })
    await expect.poll(() => stateOf(pushed)).toBe('completed')
    const row = device.getByRole('listitem').filter({ hasText: 'gia.csv' })
    const [saved] = await Promise.all([
      device.waitForEvent('download'),
      row.getByRole('button', { name: 'Save' }).click(),
    ])
    expect(saved.suggestedFilename()).toBe('gia.csv')
    const chunks: Buffer[] = []
    for await (const chunk of await saved.createReadStream()) chunks.push(chunk as Buffer)
    expect(Buffer.concat(chunks).equals(content)).toBe(true)
  })

  await test.step('what a browser cannot do it is left out of, with the reason', async () => {
    const preview = await call.pushTask.preview({ type: 'restart', terminal_kids: [kid] })
    expect(preview.left_out).toEqual([{ reason: 'is_page', count: 1 }])
  })

  await test.step('a reload is the same device with what it had', async () => {
    await device.reload()
    await expect(status(device)).toHaveText('Connected')
    await expect(device.getByText(sn)).toBeVisible()
    await expect(device.getByRole('listitem').filter({ hasText: 'gia.csv' })).toBeVisible()
    expect((await call.terminal.paging({ text: sn })).total).toBe(1)
  })

  await test.step('the newest tab is the device', async () => {
    const second = await opened(context, new URL('/terminal', address).href)
    await expect(status(second)).toHaveText('Connected')
    await expect(device.getByRole('heading', { name: 'Open in another tab' })).toBeVisible()
    await second.close()
    await device.getByRole('button', { name: 'Use it here' }).click()
    await expect(status(device)).toHaveText('Connected')
  })

  const cdp = await context.newCDPSession(device)
  await test.step('it can be installed', async () => {
    const { errors, url, data = '{}' } = await cdp.send('Page.getAppManifest')
    expect([errors, new URL(url).pathname]).toEqual([[], '/terminal/manifest.webmanifest'])
    expect(JSON.parse(data)).toMatchObject({ display: 'standalone', scope: '/terminal/' })
    const { installabilityErrors } = await cdp.send('Page.getInstallabilityErrors')
    // Browsers of tests are private ones, in which nothing can be installed.
    expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito')).toEqual([])
  })

  await page.goto('/device-list')
  await expect(rowOf(page, sn)).toContainText('Online')
  await device.close()
  await expect(rowOf(page, sn)).toContainText('Offline')
  await context.close()
})

test('a code that is used up says so in the language of the visitor, and registers nothing', async ({
  open,
  browser,
}) => {
  const page = await open('lantern')
  const address = await scannedFrom(page)
  const first = await browser.newContext(phone)
  await expect(status(await opened(first, address))).toHaveText('Connected')
  const texts = {
    'vi-VN': 'Mã QR không hợp lệ hoặc đã hết hạn.',
    'zh-CN': '二维码无效或已过期。',
  }
  for (const [locale, said] of Object.entries(texts)) {
    const second = await browser.newContext({ ...phone, locale })
    const refused = await opened(second, address)
    await expect(refused.getByRole('alert')).toContainText(said)
    await second.close()
  }
  await first.close()
})

test('a page that is forgotten is nobody, and its row stays', async ({ open, browser }) => {
  const page = await open('lantern')
  const address = await scannedFrom(page)
  const context = await browser.newContext(phone)
  const device = await opened(context, address)
  await expect(status(device)).toHaveText('Connected')
  const sn = (await device.getByText(/^WEB-/).textContent())!
  await device.getByRole('button', { name: 'Forget this device' }).click()
  await device.getByRole('button', { name: 'Forget', exact: true }).click()
  await expect(device.getByRole('heading', { name: 'Make this a device' })).toBeVisible()
  expect((await signedIn('lantern').terminal.paging({ text: sn })).total).toBe(1)
  await context.close()
})

test('a page that is put to sleep says so with the time, and is back once it is woken; in a kiosk it keeps the screen on', async ({
  open,
  browser,
}) => {
  const page = await open('lantern')
  const address = await scannedFrom(page)
  const context = await browser.newContext(phone)
  // A browser without a screen keeps none on: here it is counted, and let go of as browsers do when a page is hidden.
  await context.addInitScript(() => {
    const held = new Set<EventTarget>()
    const locks = { asked: 0, held: () => held.size }
    const letGo = (lock: EventTarget) => held.delete(lock) && lock.dispatchEvent(new Event('release'))
    const request = async () => {
      locks.asked += 1
      const lock = new EventTarget()
      held.add(lock)
      return Object.assign(lock, { release: async () => void letGo(lock) })
    }
    Object.defineProperty(navigator, 'wakeLock', { value: { request } })
    const show = (is_shown: boolean) => {
      Object.defineProperty(document, 'hidden', { configurable: true, value: !is_shown })
      if (!is_shown) held.forEach(letGo)
      document.dispatchEvent(new Event('visibilitychange'))
    }
    Object.assign(window, { locks, show })
  })
  const device = await opened(context, address)
  await expect(status(device)).toHaveText('Connected')
  const sn = (await device.getByText(/^WEB-[0-9A-F]{10}$/).textContent())!
  const call = signedIn('lantern')
  const found = async () => (await call.terminal.paging({ text: sn })).items[0]!
  await expect.poll(async () => (await found()).is_online).toBe(true)
  const { kid } = await found()
  await page.goto('/device-list')
  await expect(rowOf(page, sn)).toContainText('Online')

  await test.step('frozen, it is asleep since then, and its page says so', async () => {
    const frozen_at = Date.now()
    let is_frozen = true
    // Browsers of tests hide no window, and freeze none: the event is theirs, and no turn of the page comes after it.
    const thawed = device
      .evaluate((ms) => {
        document.dispatchEvent(new Event('freeze'))
        for (const until = performance.now() + ms; performance.now() < until;);
      }, 20_000)
      .finally(() => (is_frozen = false))
    await expect(rowOf(page, sn)).toContainText('Asleep')
    expect(is_frozen, 'said before anything of the page could run again').toBe(true)
    const row = await found()
    expect(row).toMatchObject({ is_online: false, is_asleep: true })
    expect(Math.abs(Date.parse(row.last_online_at!) - frozen_at)).toBeLessThan(5_000)
    await rowOf(page, sn).getByRole('link', { name: sn }).click()
    await expect(page.locator('.device-state')).toContainText('Asleep')
    await expectAccessible(page, {})
    await thawed
  })

  await test.step('woken, it is back within five seconds', async () => {
    const woken_at = Date.now()
    await device.evaluate(() => document.dispatchEvent(new Event('resume')))
    await expect(page.locator('.device-state')).toContainText('Online')
    expect(Date.now() - woken_at).toBeLessThan(5_000)
    expect(await found()).toMatchObject({ is_online: true, is_asleep: false })
    await expect(status(device)).toHaveText('Connected')
  })

  await test.step('as a kiosk it keeps the screen on, and asks again when it is shown again', async () => {
    type Mocked = { locks: { asked: number; held(): number }; show(is_shown: boolean): void }
    const locks = () =>
      device.evaluate(() => {
        const { asked, held } = (window as unknown as Mocked).locks
        return { asked, held: held() }
      })
    const show = (is_shown: boolean) => device.evaluate((shown) => (window as unknown as Mocked).show(shown), is_shown)
    expect(await locks()).toEqual({ asked: 0, held: 0 })
    const kiosk = { mode: 'one_app' as const, apps: ['mdm.terminal'], exit_password: '471100' }
    await call.terminalConfig.save({ ltscope: 40, terminal_kid: kid, kiosk })
    await expect.poll(locks).toEqual({ asked: 1, held: 1 })
    await show(false)
    expect(await locks()).toEqual({ asked: 1, held: 0 })
    await show(true)
    await expect.poll(locks).toEqual({ asked: 2, held: 1 })
  })
  await context.close()
})
