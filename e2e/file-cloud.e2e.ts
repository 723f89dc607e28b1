import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { uploadFile } from '@mdm/testbed/upload.ts'
import { tempFolder } from './agent-process.ts'
import { signedIn } from './calls.ts'
import { columnOf, rowOf } from './pages.ts'
import { expect, test } from './test.ts'

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
/** A page with one line, without the table that says where its objects are: readers find them. */
const pdf = Buffer.from(`%PDF-1.4
1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj
2 0 obj <</Type /Pages /Kids [3 0 R] /Count 1>> endobj
3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /Contents 4 0 R /Resources <<>>>> endobj
4 0 obj <</Length 24>> stream
1 0 0 rg 20 20 80 40 re f
endstream endobj
trailer <</Root 1 0 R>>`)
const files = (page: Page): Locator => page.locator('input[type=file]:not([webkitdirectory])')
/** Files and folders of this machine, dragged onto the middle of the page. */
async function drag(page: Page, paths: string[]): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const data = { items: [], files: paths, dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, x: 720, y: 500, data })
  await session.detach()
}
const names = (page: Page) => expect.poll(() => columnOf(page, 'Name'))

test('folders of the file cloud: made, filled, looked into, moved, copied and deleted', async ({ open }) => {
  await using folder = await tempFolder()
  const page = await open('lantern')
  const dialog = page.getByRole('dialog')
  await page.goto('/file-cloud-list')
  await page.getByRole('button', { name: 'New folder' }).first().click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Giá bán')
  await page.getByLabel('Path on devices').fill('/sdcard/Prices')
  await page.getByRole('button', { name: 'Create folder' }).click()
  await page.getByRole('link', { name: 'Open Giá bán' }).click()
  await expect(page.getByText('This folder is empty')).toBeVisible()
  await expect(page.getByText('/sdcard/Prices')).toBeVisible()

  await test.step('previews what it holds, and runs nothing of it', async () => {
    await files(page).setInputFiles([
      { name: 'shelf.png', mimeType: 'image/png', buffer: png },
      { name: 'page.html', mimeType: 'text/html', buffer: Buffer.from('<script>document.title = "run"</script>') },
      { name: 'list.pdf', mimeType: 'application/pdf', buffer: pdf },
    ])
    await dialog.getByRole('button', { name: 'Upload 3 files' }).click()
    await names(page).toEqual(['list.pdf', 'page.html', 'shelf.png'])
    await page.getByRole('button', { name: 'Preview shelf.png' }).click()
    await expect(dialog.getByRole('img', { name: 'shelf.png' })).toBeVisible()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Preview page.html' }).click()
    await expect(dialog.getByText('<script>document.title = "run"</script>')).toBeVisible()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Preview list.pdf' }).click()
    await expect(dialog.getByRole('img', { name: 'Page 1 of 1' })).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
  })

  await test.step('takes a folder with its structure, chosen or dropped', async () => {
    const maps = join(folder.path, 'Maps')
    await mkdir(join(maps, 'Asia'), { recursive: true })
    await writeFile(join(maps, 'world.txt'), 'w')
    await writeFile(join(maps, 'Asia/hanoi.txt'), 'h')
    await page.locator('input[webkitdirectory]').setInputFiles(maps)
    await expect(dialog).toContainText('2 files, in the same folders as here.')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect(dialog).toHaveCount(0)
    await drag(page, [maps])
    await expect(dialog).toContainText('2 files, in the same folders as here.')
    await dialog.getByRole('button', { name: 'Upload 2 files' }).click()
    await page.getByRole('link', { name: 'Open Maps' }).click()
    await names(page).toEqual(['Asia', 'world.txt'])
    await page.getByRole('searchbox', { name: 'Name of the file' }).fill('hanoi')
    await expect(rowOf(page, 'hanoi.txt')).toContainText('Giá bán/Maps/Asia/')
    await page.getByRole('navigation', { name: 'Folder' }).getByRole('link', { name: 'Giá bán' }).click()
  })

  await test.step('pushes a folder, which goes to devices with all that is in it', async () => {
    await rowOf(page, 'Maps').getByRole('link', { name: 'Push Maps to devices' }).click()
    await expect(page.getByLabel('Folder on the device')).toHaveValue('/sdcard/Prices')
    await expect(page.getByRole('checkbox', { name: 'Select Maps', exact: true })).toBeChecked()
    const call = signedIn('lantern')
    const { items } = await call.fileCloud.paging({ text: 'Maps', kind: 'folder' })
    const [device] = (await call.terminal.paging({ text: 'SIM-', is_online: true, page_size: 1 })).items
    const { kid } = await call.pushTask.insert({
      type: 'file',
      payload: { file_kids: [items[0]!.kid], path: '/sdcard' },
      terminal_kids: [device!.kid],
    })
    await page.goto(`/push-task-detail?kid=${kid}`)
    await expect(page.getByRole('main')).toContainText('Maps/')
    // Canceled, done or failed: the folder is deleted below, which an open push would keep.
    await call.pushTask.cancel({ push_task_kid: kid }).catch(() => {})
    await expect.poll(async () => (await call.pushTask.get({ kid })).result).not.toBeNull()
    // The list of file pushes does what that of all pushes does.
    await page.goto('/file-cloud-push?phases=ended&phases=canceled')
    await rowOf(page, 'Maps/')
      .getByRole('button', { name: /^Actions for/ })
      .click()
    await page.getByRole('menuitem', { name: 'Copy as new push' }).click()
    await expect(page).toHaveURL(new RegExp(`/push-task-add\\?copy=${kid}`))
    await page.goto('/file-cloud-list')
    await page.getByRole('link', { name: 'Open Giá bán' }).click()
  })

  await test.step('moves and copies what is selected, and renames', async () => {
    for (const name of ['page.html', 'shelf.png']) await rowOf(page, name).getByRole('checkbox').check()
    const bulk = page.getByRole('group', { name: 'Selected rows' })
    await bulk.getByRole('button', { name: 'Copy' }).click()
    await dialog.getByRole('button', { name: 'Copy 2 entries' }).click()
    await names(page).toEqual(['Maps', 'list.pdf', 'page (2).html', 'page.html', 'shelf (2).png', 'shelf.png'])
    for (const name of ['page (2).html', 'shelf (2).png']) await rowOf(page, name).getByRole('checkbox').check()
    await bulk.getByRole('button', { name: 'Move' }).click()
    await dialog.getByRole('combobox', { name: 'To folder' }).click()
    await page.locator('.ant-select-tree:visible').getByText('All files').click()
    await dialog.getByRole('button', { name: 'Move 2 entries' }).click()
    await names(page).toEqual(['Maps', 'list.pdf', 'page.html', 'shelf.png'])
    await rowOf(page, 'list.pdf')
      .getByRole('button', { name: /actions/i })
      .click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('prices.pdf')
    await page.getByRole('switch', { name: 'Visible to devices' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(rowOf(page, 'prices.pdf')).toContainText('Hidden')
  })

  await test.step('deletes a folder with all that is in it', async () => {
    await page.getByRole('navigation', { name: 'Folder' }).getByRole('link', { name: 'All files' }).click()
    await rowOf(page, 'Giá bán')
      .getByRole('button', { name: /actions/i })
      .click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await dialog.getByLabel('Type DELETE to confirm').fill('DELETE')
    await dialog.getByRole('button', { name: 'Delete folder' }).click()
    await expect(rowOf(page, 'Giá bán')).toHaveCount(0)
    expect((await signedIn('lantern').fileCloud.paging({ text: 'hanoi', is_flat: true })).items).toEqual([])
  })
})

test('platform files are read-only for customers, who can copy them', async ({ open }) => {
  const operator = signedIn('operator')
  const name = 'platform guide.txt'
  const upload_kid = await uploadFile(operator, name, Buffer.from('guide'))
  const { kid } = await operator.opsPlatformFile.insert({ upload_kid, name })
  const page = await open('lantern')
  await page.goto('/file-cloud-list')
  const row = rowOf(page, name)
  await expect(row).toContainText('Platform')
  await row.getByRole('button', { name: /actions/i }).click()
  await expect(page.getByRole('menuitem', { name: 'Edit' })).toHaveAttribute('aria-disabled', 'true')
  await page.getByRole('menuitem', { name: 'Copy', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Copy', exact: true }).click()
  await expect(rowOf(page, name)).toHaveCount(2)
  await operator.opsPlatformFile.delete({ kid })
})
