import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { startAgentProcess, tempFolder } from './agent-process.ts'
import { HeadwindAgent } from '@mdm/testbed/headwind/agent.ts'
import { HandmadeClient } from '@mdm/testbed/mender/handmade.ts'
import { signedIn } from './calls.ts'
import { demo, root } from './demo-server.ts'
import { choose, enrolBy, rowOf, tabTo } from './pages.ts'
import { scan } from './qr.ts'
import { expectAccessible } from './accessible.ts'
import { text } from './text.ts'
import { expect, test } from './test.ts'

const drawer = (page: Page) => page.locator('.form-drawer')
const realApk = join(root, 'node_modules/io.appium.settings/apks/settings_apk-debug.apk')
const no_zbar = spawnSync('zbarimg', ['--version']).status !== 0 && 'zbarimg is not installed'

/** What scanners read from the picture of the code, as it is on the screen: one in every run, another where it is there. */
async function scanned(code: Locator): Promise<string> {
  const { text, picture } = await scan(code)
  if (no_zbar) test.info().annotations.push({ type: 'no second scanner', description: no_zbar })
  else expect(scannedByZbar(picture), 'what zbarimg reads').toBe(text)
  return text
}
/** As bytes: without `binary` it guesses at an encoding. */
const scannedByZbar = (picture: Buffer): string =>
  execFileSync('zbarimg', ['--quiet', '--raw', '--oneshot', '-Sbinary', 'PNG:-'], {
    input: picture,
    stdio: ['pipe', 'pipe', 'ignore'],
  }).toString()
test('a permanent QR code registers devices, is shown again and ends', async ({ open }) => {
  const page = await open('lantern')
  await page.goto('/device-list')
  await enrolBy(page, 'permanent')
  await drawer(page).getByRole('button', { name: 'Create permanent QR code' }).click()
  const code = drawer(page).getByLabel(/^Permanent QR code for registration/)
  await expect(code).toBeVisible()
  const first = await scanned(code)
  expect(first, 'what a scanner reads').toMatch(/^https?:\/\/.+[?&]qr=[0-9a-f]{64}$/)

  await using folder = await tempFolder()
  await using one = startAgentProcess({ sn: 'E2E-PERMANENT-1', data: join(folder.path, '1'), qrcode: first })
  await expect(drawer(page).getByText('1 device', { exact: true }), one.said()).toBeVisible()
  await using two = startAgentProcess({ sn: 'E2E-PERMANENT-2', data: join(folder.path, '2'), qrcode: first })
  await expect(drawer(page).getByText('2 devices', { exact: true }), two.said()).toBeVisible()

  await drawer(page).getByRole('button', { name: 'Back' }).click()
  const row = rowOf(drawer(page), 'E2E-PERMANENT-2')
  await expect(row).toContainText('2')
  await row.getByRole('button', { name: /^Show/ }).click()
  expect(await scanned(code)).toBe(first)
  await drawer(page).getByRole('button', { name: 'Back' }).click()

  await row.getByRole('button', { name: /^Revoke/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click()
  await expect(page.getByText('Permanent QR code revoked')).toBeVisible()
  await expect(row).toHaveCount(0)
  await drawer(page).getByText('Revoked', { exact: true }).first().click()
  await expect(rowOf(drawer(page), 'E2E-PERMANENT-2')).toBeVisible()
})

test('an Android Enterprise QR code carries what was filled in, in a size that scanners read', async ({
  open,
  complaints,
}) => {
  const page = await open('lantern')
  await page.goto('/device-list')
  await enrolBy(page, 'android_own')
  const form = drawer(page)
  await form.getByLabel('Admin component').fill('io.appium.settings/.Admin')
  await expect(form.locator('input[type=file]'), 'the browser’s own button, beside ours').toBeHidden()
  await form.locator('input[type=file]').setInputFiles(realApk)
  await form.getByLabel('The code carries a Wi-Fi network').click()
  await form.getByLabel('Network name (SSID)').fill('Kho hàng')
  await form.getByLabel('Password', { exact: true }).fill('correct horse')
  await form.getByLabel('Time zone').fill('bangkok')
  await choose(page, form.getByLabel('Time zone'), 'Bangkok (UTC+07:00)')
  await form.getByRole('button', { name: 'Add value' }).click()
  await form.getByLabel('Key').fill('site')
  await form.getByLabel('Value', { exact: true }).fill('Đà Nẵng')
  await expectAccessible(page, { within: '.form-drawer' })
  await form.getByRole('button', { name: 'Create QR code' }).click()

  const code = form.getByLabel('Android Enterprise QR code')
  await expect(code).toBeVisible()
  const text = await scanned(code)
  expect(JSON.parse(text ?? '{}')).toMatchObject({
    'android.app.extra.PROVISIONING_DEVICE_ADMIN_COMPONENT_NAME': 'io.appium.settings/.Admin',
    'android.app.extra.PROVISIONING_DEVICE_ADMIN_SIGNATURE_CHECKSUM': expect.stringMatching(/^[\w-]{43}$/),
    'android.app.extra.PROVISIONING_WIFI_SSID': 'Kho hàng',
    'android.app.extra.PROVISIONING_WIFI_PASSWORD': 'correct horse',
    'android.app.extra.PROVISIONING_TIME_ZONE': 'Asia/Bangkok',
    'android.app.extra.PROVISIONING_ADMIN_EXTRAS_BUNDLE': { site: 'Đà Nẵng' },
  })
  const { 'android.app.extra.PROVISIONING_DEVICE_ADMIN_PACKAGE_DOWNLOAD_LOCATION': address } = JSON.parse(
    text!,
  ) as Record<string, string>
  const apk = await fetch(address!)
  expect([apk.status, (await apk.arrayBuffer()).byteLength]).toEqual([200, 3_076_294])

  await page.emulateMedia({ media: 'print' })
  await expect(code).toBeVisible()
  await expect(form.getByRole('button', { name: 'Print' })).toBeHidden()
  await expect(page.getByRole('heading', { level: 1 })).toBeHidden()
  expect(await scanned(code), 'what is printed').toBe(text)
  await page.emulateMedia({ media: 'screen' })

  await form.getByRole('button', { name: 'Change values' }).click()
  await expect(form.getByLabel('Admin component')).toHaveValue('io.appium.settings/.Admin')
  await form.getByLabel('Value', { exact: true }).fill('x'.repeat(1_000))
  for (const key of ['b', 'c']) {
    await form.getByRole('button', { name: 'Add value' }).click()
    await form.getByLabel('Key').last().fill(key)
    await form
      .getByLabel('Value', { exact: true })
      .last()
      .fill('y'.repeat(key === 'b' ? 800 : 900))
  }
  await form.getByRole('button', { name: 'Create QR code' }).click()
  await expect(form.getByRole('alert')).toContainText('a QR code holds 2900')
  complaints.forgive(/status of 422 .*qrcode_gms_registered/)
  await form.getByRole('button', { name: 'Remove this value' }).last().click()
  await form.getByRole('button', { name: 'Create QR code' }).click()
  await expect(code).toBeVisible()
  expect((await scanned(code))?.length ?? 0, 'a code that is almost full').toBeGreaterThan(2_000)
})

test('a Headwind device enrols by what it reads from the screen', async ({ open }) => {
  const page = await open('lantern')
  await page.goto('/device-list')
  await enrolBy(page, 'headwind')
  const form = drawer(page)
  await expect(form.getByLabel('Admin component')).toHaveValue(/^com\.hmdm\.launcher\//)
  await form.getByText(text('devices/enrolment:gms.source_url'), { exact: true }).click()
  await form.getByLabel(text('devices/enrolment:gms.url')).fill('https://apps.example.com/hmdm-6.36-os.apk')
  await form.getByLabel(text('devices/enrolment:gms.checksum')).fill('A'.repeat(43))
  await form.getByRole('button', { name: 'Create QR code' }).click()
  const code = JSON.parse(await scanned(form.getByLabel('Android Enterprise QR code'))) as Record<string, unknown>
  const extras = code['android.app.extra.PROVISIONING_ADMIN_EXTRAS_BUNDLE'] as Record<string, string>
  expect(extras).toMatchObject({ 'com.hmdm.DEVICE_ID_USE': 'serial' })
  const agent = new HeadwindAgent({
    server: [extras['com.hmdm.BASE_URL'], extras['com.hmdm.SERVER_PROJECT']].filter(Boolean).join('/'),
    token: extras['com.hmdm.CONFIG']!,
    serial: 'E2E-HEADWIND-1',
  })
  await agent.sync()
  expect(agent.number, 'an id that nobody can guess').toMatch(/^[0-9a-f]{96}$/)
  await page.goto('/device-list?text=E2E-HEADWIND-1')
  await expect(rowOf(page, 'E2E-HEADWIND-1')).toContainText('Online')
  const { items } = await signedIn('lantern').terminal.paging({ text: 'E2E-HEADWIND-1' })
  expect(items.map(({ kid, agent_kind }) => [kid, agent_kind])).toEqual([[agent.id, 'headwind']])
})

test('the forms fit in Vietnamese, in the dark', async ({ open }) => {
  const page = await open('lantern', { language: 'vi', theme: 'dark' })
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto('/device-list')
  await page.getByRole('button', { name: 'Đăng ký thiết bị' }).click()
  const chooseKind = (name: string) => drawer(page).getByRole('button', { name, exact: true }).click()
  const expectUncut = async () =>
    expect(
      await drawer(page).evaluate((root) =>
        [...root.querySelectorAll('.ant-segmented-item-label, .kind > *, button, h3')]
          .filter((it) => it.scrollWidth > it.clientWidth + 1)
          .map((it) => it.textContent),
      ),
    ).toEqual([])
  await expectUncut()
  for (const kind of ['Android dùng phần mềm quản lý của bạn', 'Nhiều thiết bị quét mã']) {
    await chooseKind(kind)
    await expectUncut()
    if (kind.startsWith('Android')) await chooseKind('Chọn loại khác')
  }
  await drawer(page).getByRole('button', { name: 'Tạo mã QR cố định' }).click()
  const code = drawer(page).getByLabel(/^Mã QR đăng ký cố định/)
  expect(await scanned(code)).toMatch(/[?&]qr=[0-9a-f]{64}$/)
})

test('what is enrolled is asked first, by key as well; a Linux machine gets its commands', async ({ open }) => {
  const page = await open('lantern')
  await page.goto('/device-list')
  await page.getByRole('button', { name: 'Register device' }).click()
  await expect(drawer(page).getByRole('button', { name: 'Android handheld', exact: true })).toBeVisible()
  await expectAccessible(page, { within: '.form-drawer' })
  await tabTo(page, /^Linux machine/)
  await page.keyboard.press('Enter')
  await drawer(page).getByRole('button', { name: 'Show the commands' }).click()
  const join = drawer(page).getByRole('region', { name: 'Connect the machine' })
  await expect(join).toContainText(/^sudo mdm-agent install --server https?:\/\/\S+ --qrcode [0-9a-f]{64}$/)
  await expectAccessible(page, { within: '.form-drawer' })
  await drawer(page).getByRole('button', { name: 'Something else' }).click()
  await expect(drawer(page).getByRole('button', { name: 'Linux machine' })).toBeVisible()
})

test('devices of a code that needs approval wait, and are let in or refused; pushes that they lack say why', async ({
  open,
}) => {
  const page = await open('lantern')
  await page.goto('/device-list')
  await enrolBy(page, 'permanent')
  await drawer(page).getByLabel(text('devices/enrolment:permanent.needs_approval')).check()
  await drawer(page).getByRole('button', { name: 'Create permanent QR code' }).click()
  const [, token = ''] = /qr=([0-9a-f]{64})$/.exec(await scanned(drawer(page).getByLabel(/^Permanent QR code/)))!
  await drawer(page).getByRole('button', { name: 'Back' }).click()
  await expect(rowOf(drawer(page), text('devices/enrolment:permanent.approved_each'))).toBeVisible()
  const [wanted, other] = ['52:54:00:e2:e0:01', '52:54:00:e2:e0:02'].map(
    (mac) => new HandmadeClient({ server: demo().url, token, mac }),
  )
  expect([await wanted!.is_in(), await other!.is_in()]).toEqual([false, false])

  await drawer(page).getByRole('button', { name: 'Something else' }).click()
  await drawer(page)
    .getByRole('button', { name: text('devices/enrolment:kinds.waiting.title'), exact: true })
    .click()
  const row = (mac: string) => rowOf(drawer(page), mac)
  await expect(row('e2:e0:02')).toBeVisible()
  await expectAccessible(page, { within: '.form-drawer' })
  await expect(row('e2:e0:01').getByRole('button', { name: /^Refuse/ }), 'beside a long name').toBeInViewport({
    ratio: 1,
  })
  await row('e2:e0:01').getByRole('button', { name: /^Let / }).click()
  await expect(row('e2:e0:01')).toHaveCount(0)
  expect(await wanted!.is_in()).toBe(true)
  await row('e2:e0:02')
    .getByRole('button', { name: /^Refuse/ })
    .click()
  await page.getByRole('dialog').getByRole('button', { name: 'Refuse', exact: true }).click()
  await expect(row('e2:e0:02')).toHaveCount(0)
  await drawer(page).getByText(text('devices/enrolment:waiting.refused'), { exact: true }).click()
  await expect(row('e2:e0:02')).toBeVisible()
  expect(await other!.is_in()).toBe(false)

  await wanted!.attributes({ device_type: 'till', artifact_name: 'till-1.0.0' })
  await page.goto(`/push-task-add?terminal_kids=${wanted!.bearer.split(':')[0]}`)
  const kinds = page.getByRole('combobox', { name: text('push-task/wizard:content.kind') })
  await kinds.click()
  const shutdown = page.locator('.ant-select-item-option', { hasText: /^Shut down/ })
  await expect(shutdown).toContainText('The agent does nothing but install systems')
  await expect(shutdown).toHaveAttribute('aria-disabled', 'true')
  await expect(page.locator('.ant-select-item-option[aria-disabled=false]').first()).toContainText('OS')
})
