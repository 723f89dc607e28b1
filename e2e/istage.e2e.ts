import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { signedIn } from './calls.ts'
import { expectAccessible } from './accessible.ts'
import { root } from './demo-server.ts'
import { choose, confirmPassword, nextStep, rowOf } from './pages.ts'
import { expect, test } from './test.ts'

const heading = (page: Page) => page.getByRole('heading', { level: 1 })
const example = (name: string) => join(root, 'docs/templatejson', name)
const json = (name: string, more: object) =>
  Buffer.from(JSON.stringify({ ...(JSON.parse(readFileSync(example(name), 'utf8')) as object), ...more }))

async function importFile(page: Page, file: string | { name: string; mimeType: string; buffer: Buffer }) {
  await page.locator('input[type=file]').setInputFiles(file)
  await page.getByRole('dialog').getByRole('button', { name: 'Import template' }).click()
}

test('a template is imported, and what is wrong with a file is told', async ({ open, complaints }) => {
  complaints.forgive(/422.*istage_template\/import/)
  const page = await open('lantern')
  await page.setViewportSize({ width: 1024, height: 768 })
  await page.goto('/istage-list/istage-template')
  await page.getByRole('button', { name: 'Import template' }).first().click()
  const dialog = page.getByRole('dialog')
  const file = (buffer: Buffer) => ({ name: 'wifi.json', mimeType: 'application/json', buffer })
  await importFile(page, file(Buffer.from('{')))
  await expect(dialog).toContainText('Not valid JSON')
  await importFile(page, file(json('wifi.json', { type: 'toaster' })))
  await expect(dialog).toContainText('Unknown template type.')
  await importFile(page, file(json('wifi.json', { version: '3.0' })))
  await expect(dialog).toContainText('The format of the standard or custom version is wrong.')
  await importFile(page, file(json('wifi.json', { name: '' })))
  await expect(dialog.getByRole('listitem')).toContainText('name')
  await expectAccessible(page)
  await importFile(page, example('wifi.json'))
  await expect(dialog).toBeHidden()
  await expect(rowOf(page, '3.0.3')).toContainText('Network')
  await expect(rowOf(page, '3.0.3')).toContainText('Standard')
  await page.getByRole('button', { name: 'Import template' }).first().click()
  await importFile(page, example('wifi.json'))
  await expect(dialog).toContainText('This version already exists. Delete it first.')
})

test('a configuration is made step by step, kept incomplete, gone on with, and pushed', async ({
  open,
  complaints,
}) => {
  complaints.forgive(/422.*istage_config|403.*terminal_config\/save/)
  const calls = signedIn('lantern')
  const content = json('key-mapping.json', { version: '4.0.0' }).toString('base64')
  const template = await calls.istageTemplate.import({ private_content: content })
  const device = (await calls.terminal.paging({ page_size: 1, sort: 'sn' })).items[0]!
  const group = await calls.terminalGroup.insert({ name: 'Staged docks', parent_kid: 'ROOT' })
  await calls.terminal.move_group_batch({ terminal_kids: [device.kid], terminal_group_kid: group.kid })
  const page = await open('lantern')
  await page.setViewportSize({ width: 1024, height: 768 })
  await page.goto('/istage-list/istage-config')
  await page.getByRole('button', { name: 'Create iStage configuration' }).first().click()

  const refused = () => page.getByRole('button', { name: 'Next step', exact: true }).click()
  await refused()
  await expect(page.getByText('Enter a name.')).toBeVisible()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Docks')
  await choose(page, page.getByLabel('Type'), 'Keys')
  await choose(page, page.getByLabel('Version'), /^4\.0\.0/)
  await expectAccessible(page)
  await nextStep(page)
  await expect(page).toHaveURL(/step=modules/)
  await refused()
  await expect(page.getByRole('alert')).toHaveText('Select at least one custom item.')
  await page.getByRole('checkbox', { name: /^Keys/ }).check()
  await page.getByRole('checkbox', { name: /^Broadcast/ }).check()
  await expectAccessible(page)
  await nextStep(page)
  await expect(page).toHaveURL(/step=parameters/)

  await test.step('leaving asks, and each step has its address in one tag', async () => {
    await page.goBack()
    await expect(page.getByRole('checkbox', { name: /^Keys/ })).toBeChecked()
    await page.goForward()
    await page.getByRole('link', { name: 'iStage templates' }).first().click()
    const question = page.getByRole('dialog')
    await question.getByRole('button', { name: /stay/i }).click()
    await expect(page.getByLabel('Key code')).toBeVisible()
  })
  await page.getByRole('button', { name: 'Save as incomplete' }).click()
  await expect(rowOf(page, 'Docks')).toContainText('Incomplete')
  await rowOf(page, 'Docks').getByRole('link', { name: 'Docks' }).click()
  await expect(page.getByRole('textbox', { name: 'Name', exact: true })).toHaveValue('Docks')
  await nextStep(page)
  await nextStep(page)

  const save = () => page.getByRole('button', { name: 'Save configuration' }).click()
  await page.getByLabel('App to open').fill('not a package')
  await page.getByRole('button', { name: 'Add: Parameter' }).click()
  await save()
  await expect(page.getByText('Required.').first()).toBeVisible()
  await expect(page.getByText('Enter the column name.')).toBeVisible()
  await expect(page.getByText(/Not in the format that the template asks for/)).toBeVisible()
  await expect(page.getByLabel('Name of the action')).toBeDisabled()
  await expectAccessible(page)
  await page.getByLabel('Key code').fill('131')
  await page.getByLabel('App to open').fill('com.example.scan')
  await page.getByLabel('Parameter: name').fill('source')
  await page.getByLabel('Value', { exact: true }).fill('side')
  await save()
  await expect(page).toHaveURL(/step=finish/)
  await expect(page.getByRole('button', { name: 'Export file' })).toBeVisible()
  await expectAccessible(page)

  await test.step('it is pushed to a group', async () => {
    await page.getByRole('button', { name: 'Push through MDM' }).click()
    const drawer = page.getByRole('dialog')
    await choose(page, drawer.getByRole('combobox', { name: 'A group' }), 'Staged docks')
    await drawer.getByRole('button', { name: 'Push configuration' }).click()
    const question = page.getByRole('dialog').filter({ hasText: 'This changes 1 device' })
    await question.getByRole('button', { name: 'Save configuration' }).click()
    await confirmPassword(page, 'lantern')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    const now = await calls.terminalConfig.get({ ltscope: 30, terminal_group_kid: group.kid })
    expect(JSON.stringify(now)).toContain('"name":"Docks"')
  })
  await page.getByRole('button', { name: 'Done' }).click()
  await expect(rowOf(page, 'Docks')).toContainText('Completed')
  await expect(rowOf(page, 'Docks')).toContainText(template.version)
  await expectAccessible(page)

  await test.step('its twin is refused by name; of a deleted template neither edit nor copy', async () => {
    const kept = (await calls.istageConfig.paging({ text: 'Docks' })).items[0]!
    await calls.istageConfig.copy({ kid: kept.kid, name: 'Docks again' })
    await page.reload()
    await rowOf(page, 'Docks again').getByRole('link', { name: 'Docks again' }).click()
    await nextStep(page)
    await nextStep(page)
    await save()
    await expect(page.getByRole('alert')).toContainText('The configuration Docks has the same content.')
    await calls.istageTemplate.delete({ kid: template.kid })
    await page.getByRole('button', { name: 'Cancel' }).click()
    await rowOf(page, 'Docks again').getByRole('button', { name: 'More actions for Docks again' }).click()
    await expect(page.getByRole('menuitem', { name: 'Copy' })).toHaveAttribute('aria-disabled', 'true')
  })
})

for (const language of ['vi', 'zh-cn'] as const)
  test(`the lists and the wizard speak ${language}`, async ({ open }) => {
    const calls = signedIn('lantern')
    const content = json('kiosk.json', { version: language === 'vi' ? '5.0.0.1_vi' : '5.0.0.1_zh' }).toString('base64')
    const { kid } = await calls.istageTemplate.import({ private_content: content })
    const made = await calls.istageConfig.insert({
      ...{ name: `Kiosk ${language}`, template_kid: kid, status: 'incomplete' },
      private_content: {
        kiosk: [{ exit_pin: '12' }],
        apps: [{ package: 'com.example.scan' }],
        goods: [{ Batch: '1' }],
      },
    })
    const page = await open('lantern', { language })
    await page.setViewportSize({ width: 1024, height: 768 })
    for (const path of ['/istage-list/istage-config', '/istage-list/istage-template', '/istage-config-add']) {
      await page.goto(path)
      await expect(heading(page)).toContainText('iStage')
      await expectAccessible(page)
    }
    await page.goto(`/istage-config-edit?kid=${made.kid}&step=parameters`)
    const save = language === 'vi' ? 'Lưu cấu hình' : '保存配置'
    await page.getByRole('button', { name: save }).click()
    await expect(page.getByText(language === 'vi' ? 'Ít nhất 4 ký tự.' : '至少 4 个字符。')).toBeVisible()
    await expectAccessible(page)
    const width = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth])
    expect(width[0]).toBeLessThanOrEqual(width[1]!)
  })
