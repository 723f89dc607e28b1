import { createHash, randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Readable } from 'node:stream'
import type { Page } from '@playwright/test'
import { PNG } from 'pngjs'
import { startAgentProcess, tempFolder } from './agent-process.ts'
import { chooseInUserMenu, enrolBy, enterCustomer, mainMenu, nextStep, returnFrom, rowOf, tableRows } from './pages.ts'
import { expect, test } from './test.ts'
import { paintedAt, screen, startDisplay, whyNoDisplay } from '@mdm/testbed/x-display.ts'

const mega = 1024 * 1024
const sn = 'E2E-LINUX'
const customer = 'Sunrise Parcel'

const sha256Of = async (path: string): Promise<string> => {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}
async function bigFile(folder: string): Promise<string> {
  const path = join(folder, 'e2e-walk-100.bin')
  const one = randomBytes(mega)
  await pipeline(
    Readable.from(Array.from({ length: 100 }, (_, at) => Buffer.from(one.map((byte) => byte ^ at)))),
    createWriteStream(path),
  )
  return path
}

test('the walk: from signing in to a device that did what it was asked', async ({ open, complaints }, info) => {
  test.setTimeout(300_000)
  await using folder = await tempFolder()
  const no_display = whyNoDisplay()
  if (no_display) info.annotations.push({ type: 'no screenshot', description: no_display })
  await using display = no_display ? null : await startDisplay()
  const data = join(folder.path, 'agent')
  await using agent = startAgentProcess({ sn, data, display: display?.name })
  const page = await open('operator')

  await test.step('the operator enters a customer and never forgets whom', async () => {
    await enterCustomer(page, customer)
    await expect(page).toHaveURL('/home/index')
  })
  await test.step('registers the agent by the code it shows, and sees it come online without a reload', async () => {
    await mainMenu(page).getByRole('link', { name: 'Device list' }).click()
    await enrolBy(page, 'code')
    const drawer = page.getByRole('dialog')
    await drawer.getByLabel('SN', { exact: true }).fill(sn)
    await drawer.getByLabel('Registration code').fill(await agent.code())
    await drawer.getByLabel('Alias').fill('Walked')
    await drawer.getByRole('button', { name: 'Register device' }).click()
    await expect(page.getByRole('status').filter({ hasText: `Registered ${sn}` })).toBeVisible()
    await page.getByRole('searchbox', { name: 'SN, alias or IMEI' }).fill(sn)
    await expect(rowOf(page, sn)).toContainText('Online')
  })
  await test.step('uploads 100 MB in pieces, through a lost connection, and pushes them to the device', () =>
    pushFile(page, folder.path, data))
  complaints.forgive(/ERR_INTERNET_DISCONNECTED/)
  if (no_display) complaints.forgive(/422.*push_task\/insert/)
  await test.step('sends a message', () => sendMessage(page, data))
  await test.step('takes a screenshot', () => takeScreenshot(page, no_display))
  await test.step('reads the same rows in Vietnamese and Chinese', () => readInThreeLanguages(page, no_display))
  await test.step('sees the device go when its power fails', async () => {
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Information' }).click()
    await expect(page.locator('.device-state')).toContainText('Online')
    await agent.kill()
    await expect(page.locator('.device-state')).toContainText('Offline')
  })
  await test.step('finds in the operation log what was done, and returns', () => readLogAndReturn(page, no_display))
})

async function pushFile(page: Page, folder: string, data: string): Promise<void> {
  const path = await bigFile(folder)
  const name = basename(path)
  await mainMenu(page).getByRole('link', { name: 'File cloud' }).click()
  // As slow as a good line, so that there is something to interrupt.
  const network = await page.context().newCDPSession(page)
  const line = { latency: 0, downloadThroughput: -1, uploadThroughput: 30 * mega }
  await network.send('Network.emulateNetworkConditions', { ...line, offline: false })
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Upload files' }).first().click()
  await (await choosing).setFiles(path)
  await page.getByRole('dialog').getByRole('button', { name: 'Upload file' }).click()
  await page.getByRole('button', { name: /^Background tasks/ }).click()
  const tray = page.getByRole('tooltip', { name: 'Background tasks' })
  await expect(tray).toContainText(/[1-9]\d MB of 100 MB/)
  await network.send('Network.emulateNetworkConditions', { ...line, offline: true })
  await expect(tray).toContainText('Connection lost')
  await network.send('Network.emulateNetworkConditions', { ...line, uploadThroughput: -1, offline: false })
  await expect(tray).toContainText('100 MB uploaded', { timeout: 120_000 })
  await network.detach()
  await page.keyboard.press('Escape')

  await expect(rowOf(page, name)).toContainText(/100\s?MB/)
  await page.getByRole('link', { name: `Push ${name} to devices` }).click()
  await page.getByLabel('Folder on the device').fill('/sdcard/Download')
  await nextStep(page)
  await page.getByText('Single devices').click()
  await page.getByRole('searchbox', { name: 'SN, alias or IMEI' }).fill(sn)
  await expect.poll(async () => (await tableRows(page)).map((row) => row['SN'])).toEqual([sn])
  await rowOf(page, sn).getByRole('checkbox').check()
  await nextStep(page)
  await expect(page.getByText('Download over')).toBeVisible()
  await page.getByRole('button', { name: 'Push to 1 device' }).click()
  await expect(page).toHaveURL(/\/push-task-detail\?kid=/)
  await expect(rowOf(page, sn)).toContainText('Completed')
  await expect(page.getByRole('heading', { level: 1 }).locator('..')).toContainText('Succeeded')
  expect(await sha256Of(join(data, 'files/sdcard/Download', name))).toBe(await sha256Of(path))
}

async function sendMessage(page: Page, data: string): Promise<void> {
  await rowOf(page, sn).getByRole('link', { name: sn }).click()
  await page.getByRole('dialog').getByRole('link', { name: 'Open the device' }).click()
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Messages' }).click()
  await page.getByRole('button', { name: 'New message' }).first().click()
  const drawer = page.getByRole('dialog')
  await drawer.getByLabel('Title').fill('Shift ends')
  await drawer.getByLabel('Text', { exact: true }).fill('Bring the handheld back to dock A.')
  await drawer.getByRole('button', { name: 'Send message' }).click()
  await expect(rowOf(page, 'Shift ends')).toContainText('Read')
  const shown = (await readFile(join(data, 'messages.jsonl'), 'utf8'))
    .trim()
    .split('\n')
    .map((row) => JSON.parse(row))
  expect(shown).toEqual([{ at: expect.any(String), title: 'Shift ends', text: 'Bring the handheld back to dock A.' }])
}

async function takeScreenshot(page: Page, no_display: string | undefined): Promise<void> {
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Screenshots' }).click()
  await page.getByRole('button', { name: 'Take screenshot' }).click()
  if (no_display) {
    // A device without a screen has said so before.
    await expect(page.getByRole('alert')).toContainText('None of the devices can take this push.')
    return
  }
  const picture = page.getByRole('img', { name: /^Screenshot of Walked/ })
  await expect(picture).toBeVisible()
  await expect
    .poll(() =>
      picture.evaluate((img) => [(img as HTMLImageElement).naturalWidth, (img as HTMLImageElement).naturalHeight]),
    )
    .toEqual([screen.width, screen.height])
  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: /^Download/ }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toMatch(/E2E-LINUX.*\.png$/)
  const png = PNG.sync.read(await readFile(await download.path()))
  for (const [x, y] of [
    [5, 5],
    [60, 60],
    [100, 130],
    [200, 190],
    [319, 10],
  ] as const) {
    const at = (y * png.width + x) * 4
    expect([...png.data.subarray(at, at + 3)], `the colour at ${x}, ${y}`).toEqual(paintedAt(x, y))
  }
}

async function readInThreeLanguages(page: Page, no_display: string | undefined): Promise<void> {
  const labels = {
    English: {
      tab: 'Tasks',
      kinds: ['Screenshot', 'Message', 'Files'],
      done: 'Completed',
      read: 'Read',
      online: 'Online',
    },
    'Tiếng Việt': {
      tab: 'Tác vụ',
      kinds: ['Chụp màn hình', 'Tin nhắn', 'Tệp'],
      done: 'Hoàn thành',
      read: 'Đã đọc',
      online: 'Trực tuyến',
    },
    简体中文: { tab: '任务', kinds: ['截屏', '消息', '文件'], done: '已完成', read: '已读', online: '在线' },
  } as const
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Tasks' }).click()
  let menu = 'Language'
  for (const [language, { tab, kinds, done, read, online }] of Object.entries(labels)) {
    await chooseInUserMenu(page, menu, language)
    await expect(page.locator('nav.tabs').getByRole('link', { name: tab, exact: true })).toBeVisible()
    await expect(page.locator('.device-state')).toContainText(online)
    await expect(async () => {
      const rows = await tableRows(page)
      expect(rows.map((row) => Object.values(row)[0])).toEqual(no_display ? kinds.slice(1) : kinds)
      for (const row of rows) expect(Object.values(row)[2]).toContain(Object.values(row)[0] === kinds[1] ? read : done)
    }).toPass()
    menu = language === 'English' ? 'Language' : language === 'Tiếng Việt' ? 'Ngôn ngữ' : '语言'
  }
  await chooseInUserMenu(page, menu, 'English')
}

async function readLogAndReturn(page: Page, no_display: string | undefined): Promise<void> {
  await mainMenu(page).getByRole('link', { name: 'Operation log' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Operation log')
  await expect(page.locator('.ant-table')).toBeVisible()
  const about = ['Push tasks', 'File cloud', 'Devices']
  const mine = (await tableRows(page)).filter(
    (row) => row['Operator']?.startsWith('Olga Operator') && about.includes(row['Module'] ?? ''),
  )
  expect(mine.map((row) => `${row['Module']}: ${row['Action']}, ${row['Result']}`)).toEqual([
    `Push tasks: Push to devices, ${no_display ? 'Failure' : 'Success'}`,
    ...Array.from({ length: 2 }, () => 'Push tasks: Push to devices, Success'),
    'File cloud: Add an uploaded file, Success',
    'Devices: Register a device, Success',
  ])
  await returnFrom(page)
}
