import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Locator, Page } from '@playwright/test'
import { startEnrolledAgent, tempFolder } from './agent-process.ts'
import { signedIn } from './calls.ts'
import { rowOf } from './pages.ts'
import { expect, test } from './test.ts'

async function saved(page: Page, button: Locator): Promise<Buffer> {
  const downloading = page.waitForEvent('download')
  await button.click()
  return readFile(await (await downloading).path())
}
async function confirmDeletion(page: Page, button: string): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Type DELETE to confirm').fill('DELETE')
  await dialog.getByRole('button', { name: button, exact: true }).click()
}

test('files of a real device: browsed, sent, fetched, renamed and deleted; its log; and when it is away', async ({
  open,
  complaints,
}) => {
  await using folder = await tempFolder()
  const home = join(folder.path, 'files')
  await mkdir(join(home, 'sdcard'), { recursive: true })
  await writeFile(join(home, 'sdcard/notes.txt'), 'from the depot')
  const { kid, agent } = await startEnrolledAgent({
    sn: 'E2E-FILES-1',
    data: join(folder.path, 'data'),
    files: join(folder.path, 'files'),
  })
  await using _ = agent
  const page = await open('lantern')
  await page.goto(`/device-detail/file-manager?kid=${kid}`)
  const files = page.getByRole('region', { name: 'Files on the device' })
  const transfers = page.getByRole('region', { name: 'Transfers' })
  await files.getByRole('link', { name: 'sdcard' }).click()
  await expect(rowOf(files, 'notes.txt')).toContainText('14 B')

  await files.getByRole('button', { name: 'New folder' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Ảnh kho')
  await page.getByRole('dialog').getByRole('button', { name: 'Create folder' }).click()
  await files.getByRole('link', { name: 'Ảnh kho' }).click()
  await expect(files.getByText('This folder is empty')).toBeVisible()

  const content = randomBytes(3 * 1024 ** 2)
  await files
    .locator('input[type=file]')
    .setInputFiles({ name: 'bản đồ.bin', mimeType: 'application/octet-stream', buffer: content })
  await expect(rowOf(transfers, 'To the device')).toContainText('Completed')
  await expect(rowOf(files, 'bản đồ.bin')).toContainText('3 MB')
  expect(content.equals(await readFile(join(home, 'sdcard/Ảnh kho/bản đồ.bin')))).toBe(true)

  await files.getByRole('button', { name: 'Fetch bản đồ.bin from the device' }).click()
  await expect(rowOf(transfers, 'From the device')).toContainText('Completed')
  expect(content.equals(await saved(page, transfers.getByRole('link', { name: 'Save bản đồ.bin' })))).toBe(true)

  await files.getByRole('button', { name: 'Rename bản đồ.bin' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('a/b')
  await page.getByRole('dialog').getByRole('button', { name: 'Rename', exact: true }).click()
  await expect(page.getByRole('dialog')).toContainText('A name must not contain')
  await page.getByRole('dialog').getByLabel('Name').fill('map.bin')
  await page.getByRole('dialog').getByRole('button', { name: 'Rename', exact: true }).click()
  await expect(rowOf(files, 'map.bin')).toBeVisible()
  expect(await readdir(join(home, 'sdcard/Ảnh kho'))).toEqual(['map.bin'])
  await files.getByRole('button', { name: 'Delete map.bin' }).click()
  await confirmDeletion(page, 'Delete file')
  await expect(files.getByText('This folder is empty')).toBeVisible()
  expect(await readdir(join(home, 'sdcard/Ảnh kho'))).toEqual([])

  await page.goto(`/device-detail/run?kid=${kid}`)
  const logs = page.getByRole('region', { name: 'Logs' })
  await logs.getByRole('button', { name: 'Fetch the log' }).click()
  await expect(rowOf(logs, 'Completed')).toBeVisible()
  const log = gunzipSync(await saved(page, logs.getByRole('link', { name: /^Save / })))
  expect(log.toString().split('\n').length).toBeGreaterThan(2)

  await page.goto(`/device-detail/app?kid=${kid}`)
  const apps = page.getByRole('region', { name: 'Apps' })
  await expect(apps.getByRole('row').nth(1)).toBeVisible()
  await agent.kill()
  await page.goto(`/device-detail/file-manager?kid=${kid}`)
  // What it last said stays to be seen, and nothing can be done with it.
  await expect(page.getByText(/^The device is offline\. This is its last report, from .+ ago\.$/)).toBeVisible({
    timeout: 60_000,
  })
  await expect(page.getByRole('button', { name: 'New folder' })).toBeDisabled()
  // Asked in the moment between its end and the server's noticing.
  complaints.forgive(/status of 409 .*terminal_file\/list/)
  // What was fetched before stays.
  await expect(rowOf(transfers, 'From the device')).toContainText('Completed')
})

test('many files at once: folders as a ZIP, one as it is, and what is dropped lands with its folders', async ({
  open,
}) => {
  await using folder = await tempFolder()
  const home = join(folder.path, 'files')
  await mkdir(join(home, 'sdcard/photos/deep'), { recursive: true })
  const picture = randomBytes(5 * 128 * 1024 + 3)
  await writeFile(join(home, 'sdcard/photos/one.jpg'), picture)
  await writeFile(join(home, 'sdcard/photos/deep/hai.txt'), 'sâu trong đó')
  await writeFile(join(home, 'sdcard/notes.txt'), 'from the depot')
  await writeFile(join(folder.path, 'secret.txt'), 'not to be seen')
  await symlink(join(folder.path, 'secret.txt'), join(home, 'sdcard/photos/link.txt'))
  const { kid, agent } = await startEnrolledAgent({ sn: 'E2E-FILES-2', data: join(folder.path, 'data'), files: home })
  await using _ = agent
  const page = await open('lantern')
  await page.goto(`/device-detail/file-manager?kid=${kid}&path=%2Fsdcard`)
  const files = page.getByRole('region', { name: 'Files on the device' })
  await expect(files.getByRole('button', { name: 'Download', exact: true })).toBeDisabled()
  await files.getByRole('checkbox', { name: 'Select photos' }).check()
  await files.getByRole('checkbox', { name: 'Select notes.txt' }).check()
  const zip = await saved(page, files.getByRole('button', { name: 'Download', exact: true }))
  for (const name of ['photos/one.jpg', 'photos/deep/hai.txt', 'notes.txt']) expect(zip.includes(name)).toBe(true)
  for (const content of [picture, Buffer.from('sâu trong đó'), Buffer.from('from the depot')])
    expect(zip.includes(content)).toBe(true)
  expect(zip.includes('not to be seen')).toBe(false)

  await files.getByRole('checkbox', { name: 'Select photos' }).uncheck()
  const notes = await saved(page, files.getByRole('button', { name: 'Download', exact: true }))
  expect(notes.toString()).toBe('from the depot')

  const dragged = await page.evaluateHandle(() => {
    const data = new DataTransfer()
    data.items.add(new File([new Uint8Array(700_001).fill(7)], 'bản đồ.bin'))
    data.items.add(new File(['newer'], 'notes.txt'))
    return data
  })
  await files.dispatchEvent('dragenter', { dataTransfer: dragged })
  await expect(files).toContainText('Drop files or folders to send them')
  await files.dispatchEvent('drop', { dataTransfer: dragged })
  await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click()
  await expect(rowOf(files, 'bản đồ.bin')).toBeVisible()
  expect((await readFile(join(home, 'sdcard/bản đồ.bin'))).equals(Buffer.alloc(700_001, 7))).toBe(true)
  await expect.poll(() => readFile(join(home, 'sdcard/notes.txt'), 'utf8')).toBe('newer')

  // Each was a session, which has ended with it, and says which files it was about.
  const { items } = await signedIn('lantern').terminalRemote.paging({ terminal_kid: kid, kind: 'files' })
  expect(items).toHaveLength(3)
  await expect
    .poll(
      async () =>
        (await signedIn('lantern').terminalRemote.paging({ terminal_kid: kid, kind: 'files', is_open: true })).total,
    )
    .toBe(0)
})

test('apps of a device: version and size, a permission denied and given back, one uninstalled', async ({ open }) => {
  const { items } = await signedIn('sunrise').terminal.paging({ is_online: true, text: 'SIM-', sort: 'sn' })
  const page = await open('sunrise')
  await page.goto(`/device-detail/app?kid=${items.at(-1)!.kid}`)
  const apps = page.getByRole('region', { name: 'Apps' })
  const named = apps.getByRole('row').filter({ has: page.getByRole('button', { name: /^Uninstall [^"]+$/ }) })
  const app = named.filter({ hasNotText: 'System' }).first()
  await expect(app).toContainText(/\d+\.\d+/)
  await expect(app).toContainText(/\d\sMB/)
  const title = (await app.locator('bdi').first().textContent()) ?? ''

  await apps.getByRole('button', { name: `Permissions of ${title}` }).click()
  const drawer = page.getByRole('dialog', { name: `Permissions of ${title}` })
  await drawer.getByRole('radiogroup', { name: 'Camera' }).getByText('Deny', { exact: true }).click()
  await expect(rowOf(apps, title)).toContainText('0 allowed, 1 denied')
  await drawer.getByRole('radiogroup', { name: 'Camera' }).getByText('Default', { exact: true }).click()
  await expect(rowOf(apps, title)).toContainText('Default')
  await page.keyboard.press('Escape')
  await expect(drawer).toBeHidden()

  await apps.getByRole('button', { name: `Uninstall ${title}` }).click()
  await confirmDeletion(page, 'Uninstall')
  await expect(page.getByText('App uninstalled')).toBeVisible()
  await expect(rowOf(apps, title)).toHaveCount(0)
})
