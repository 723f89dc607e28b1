import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { PNG } from 'pngjs'
import type { IstageContent } from '@mdm/contract'
import type { Caller } from '@mdm/testbed/caller.ts'
import { until } from '@mdm/testbed/until.ts'
import { startAgentProcess, tempFolder } from './agent-process.ts'
import { signedIn } from './calls.ts'
import { cleanEnv, root } from './demo-server.ts'
import { expectAccessible } from './accessible.ts'
import { scan } from './qr.ts'
import { expect, test } from './test.ts'

const no_zbar = spawnSync('zbarimg', ['--version']).status !== 0 && 'zbarimg is not installed'
/** What zbarimg reads from files of pictures, one text for each, in their order. */
const readByZbar = (paths: readonly string[]): string[] =>
  execFileSync('zbarimg', ['--quiet', '--raw', '-Sdisable', '-Sqrcode.enable', ...paths], {
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 16 * 1024 ** 2,
  })
    .toString()
    .trimEnd()
    .split('\n')

let template: string | undefined
async function configured(call: Caller, name: string, content: IstageContent): Promise<string> {
  if (template === undefined) {
    const file = JSON.parse(readFileSync(join(root, 'docs/templatejson/wifi.json'), 'utf8')) as object
    const content = Buffer.from(JSON.stringify({ ...file, version: '9.9.9' })).toString('base64')
    template = (await call.istageTemplate.import({ private_content: content })).kid
  }
  const draft = { name, template_kid: template, private_content: content, status: 'completed' as const }
  return (await call.istageConfig.insert(draft)).kid
}
/** Bytes that no compression makes smaller, as a certificate that is carried along. */
const certificate = (bytes: number): string =>
  `data:application/octet-stream;name=ca.pem;base64,${randomBytes(bytes).toString('base64')}`
/** Pictures of the labels from this one on that fit into the window, out of one of the whole window. */
async function picturesFrom(page: Page, labels: Locator, first: number): Promise<Buffer[]> {
  const boxes = await labels.evaluateAll((all, from) => {
    all[from]?.scrollIntoView({ block: 'start' })
    const places = all.slice(from).map((label) => label.getBoundingClientRect())
    return places
      .filter(({ bottom }) => bottom < innerHeight + 1)
      .map(({ x, y, width, height }) => [x, y, width, height].map(Math.floor) as [number, number, number, number])
  }, first)
  expect(boxes.length, `labels in sight from ${first} on`).toBeGreaterThan(0)
  const { data, width } = PNG.sync.read(await page.screenshot())
  return boxes.map(([left, top, wide, high]) => {
    // Red is as good as grey where all is black and white.
    const pixels = Buffer.alloc(wide * high)
    for (let at = 0; at < pixels.length; at += 1)
      pixels[at] = data[4 * ((top + Math.floor(at / wide)) * width + left + (at % wide))]!
    return Buffer.concat([Buffer.from(`P5 ${wide} ${high} 255\n`), pixels])
  })
}
const openCodes = (page: Page, kid: string) => page.goto(`/istage-config-code?kid=${kid}`)

test('a configuration of 1, of 3 and of 12 codes is read from the screen', async ({ open }) => {
  const call = signedIn('lantern')
  const page = await open('lantern')
  for (const [count, bytes] of [
    [1, 0],
    [3, 650],
    [12, 4_250],
  ] as const) {
    const name = `Depot of ${count}`
    const kid = await configured(call, name, {
      wifi: [{ ssid: name, security: 'open', ...(bytes > 0 && { ca_certificate: certificate(bytes) }) }],
    })
    await openCodes(page, kid)
    await page.getByRole('button', { name: 'Make QR codes' }).click()
    const texts: string[] = []
    const paths: string[] = []
    for (let place = 1; place <= count; place += 1) {
      const label = count === 1 ? `QR code of ${name}` : `QR code ${place} of ${count} of ${name}`
      const { text, picture } = await scan(page.getByRole('img', { name: label, exact: true }))
      expect(text).toMatch(new RegExp(`^MDM1:[0-9A-F]{8}:${place}/${count}:`))
      const path = test.info().outputPath(`${count}-${place}.png`)
      await writeFile(path, picture)
      paths.push(path)
      texts.push(text)
      if (place < count) await page.getByRole('button', { name: 'Next code' }).click()
    }
    expect(new Set(texts).size).toBe(count)
    if (no_zbar) test.info().annotations.push({ type: 'no second scanner', description: no_zbar })
    else expect(readByZbar(paths)).toEqual(texts)
  }
  await page.getByRole('button', { name: 'Show code 5' }).click()
  await expect(page.getByRole('region', { name: 'QR codes of Depot of 12' }).getByRole('status')).toHaveText('5 of 12')
  await expectAccessible(page)
})

test('200 rows of a spreadsheet are 200 labels, each of which is read', async ({ open }) => {
  const call = signedIn('lantern')
  const page = await open('lantern')
  const kid = await configured(call, 'Stores', {
    wifi: [{ ssid: 'Kho ${Store}', security: 'wpa2', password: '${Password}' }],
  })
  await openCodes(page, kid)
  const lines = Array.from({ length: 200 }, (_, at) => `Cửa hàng 门店 ${at},S${at},secret-${1_000 + at}`)
  await page.locator('input[type=file]').setInputFiles({
    name: 'stores.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(`\uFEFF${['Name,Store,Password', ...lines].join('\n')}`),
  })
  await expect(page.getByText('200 labels. Columns used: Store, Password.')).toBeVisible()
  await expectAccessible(page)
  await page.emulateMedia({ media: 'print' })
  const labels = page.locator('.staging-print figure')
  await expect(labels).toHaveCount(200)
  await expect(labels.nth(7)).toContainText('Cửa hàng 门店 7')
  if (no_zbar) {
    test.info().annotations.push({ type: 'no scanner', description: no_zbar })
    return
  }
  await using folder = await tempFolder()
  const paths: string[] = []
  await page.setViewportSize({ width: 1440, height: 2_400 })
  while (paths.length < 200)
    for (const picture of await picturesFrom(page, labels, paths.length)) {
      const path = join(folder.path, `${String(paths.length).padStart(3, '0')}.pgm`)
      await writeFile(path, picture)
      paths.push(path)
    }
  const texts = readByZbar(paths)
  expect(texts).toHaveLength(200)
  expect(new Set(texts).size).toBe(200)
})

test('what is too large for codes says so, and is exported as a file', async ({ open, complaints }) => {
  complaints.forgive(/422.*istage_code/)
  const page = await open('lantern')
  const kid = await configured(signedIn('lantern'), 'Large', {
    wifi: [{ ssid: 'Large', security: 'open', ca_certificate: certificate(12_000) }],
  })
  await openCodes(page, kid)
  await page.getByRole('button', { name: 'Make QR codes' }).click()
  await expect(page.getByText('too large for QR codes')).toBeVisible()
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export as file' }).click()
  expect((await downloading).suggestedFilename()).toBe('Large-9.9.9.mdmstage')
  await page.getByRole('button', { name: 'Copy the file to devices' }).click()
  await expect(page).toHaveURL(/configure-file-push\?file=/)
})

test('a new device registers by a link that it reads from the screen, and stands in the scans', async ({ open }) => {
  const page = await open('lantern')
  const kid = await configured(signedIn('lantern'), 'Unpacked', {
    wifi: [{ ssid: 'Unpacked', security: 'open', ca_certificate: certificate(500) }],
  })
  await openCodes(page, kid)
  await page.getByLabel('New devices').click()
  await page.getByTitle('Registers one device, within 10 minutes').click()
  await page.getByRole('button', { name: 'Make QR codes' }).click()
  const codes = page.getByRole('img', { name: /^QR code \d of \d of Unpacked$/ })
  await expect(codes).toBeVisible()
  const [, count = ''] = /of (\d) of/.exec((await codes.getAttribute('aria-label')) ?? '') ?? []
  await using folder = await tempFolder()
  const data = join(folder.path, 'agent')
  const agent = (path: string) => {
    const args = ['apps/server/dist/agent.js', 'scan', '--data', data, '--sn', 'E2E-STAGED-1', path]
    return execFileSync(process.execPath, args, { cwd: root, env: cleanEnv(), encoding: 'utf8' })
  }
  // The last code first.
  let said = ''
  for (let place = Number(count); place >= 1; place -= 1) {
    await page.getByRole('button', { name: `Show code ${place}`, exact: true }).click()
    const label = `QR code ${place} of ${count} of Unpacked`
    const { picture } = await scan(page.getByRole('img', { name: label, exact: true }))
    const path = join(folder.path, `${place}.png`)
    await writeFile(path, picture)
    said = agent(path)
  }
  expect(said).toContain('Unpacked 9.9.9')
  expect(said).toContain('wifi: not_supported, no_command')
  await using _ = startAgentProcess({ sn: 'E2E-STAGED-1', data })
  // The page asks once: a test that finds no row on it would wait for as long as it may.
  const scans = () => signedIn('lantern').istageCode.paging_scan({ kid })
  await until('the scan to be told', async () => (await scans()).items.length > 0)
  await page.getByRole('link', { name: 'Scans' }).click()
  await expect(page.getByRole('row', { name: /E2E-STAGED-1/ })).toContainText('Not supported')
  await expectAccessible(page)
})
