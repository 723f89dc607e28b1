import type { Page } from '@playwright/test'
import { disguisedApk, realSigner } from '@mdm/testbed/apks.ts'
import { uploadFile } from '@mdm/testbed/upload.ts'
import { until } from '@mdm/testbed/until.ts'
import { signedIn } from './calls.ts'
import { choose, nextStep, pushSentence, rowOf } from './pages.ts'
import { expect, test } from './test.ts'
import { text } from './text.ts'

const call = () => signedIn('sunrise')
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const checked = (page: Page) => page.locator('.push-check')
const app_package = 'io.appium.walkings'
const apk = async (version_code: number, version_name: string) =>
  uploadFile(
    call(),
    'walk.apk',
    await disguisedApk({ certificate: await realSigner(), package: app_package, version_code, version_name }),
  )

test('an app is pushed from its row, and with one click to the devices that are behind', async ({ open }) => {
  const { kid: app_kid } = await call().appCenter.insert({
    upload_kid: await apk(10, '1.0.00'),
    name: 'Walk app',
    is_listed: true,
  })
  const { items } = await call().terminal.paging({ text: 'SIM-', page_size: 200, sort: 'sn' })
  const old = items.find(({ model }) => model === 'k300')!
  const able = items.filter(({ model, is_online }) => model !== 'k300' && is_online)
  const page = await open('sunrise')

  await test.step('whom it is not for is told before anything is pushed', async () => {
    await page.goto('/app-center-list')
    await rowOf(page, 'Walk app').getByRole('link', { name: 'Push Walk app to devices' }).click()
    await page.getByText('A list of SNs').click()
    await page.getByRole('textbox', { name: 'SNs' }).fill([old, ...able].map(({ sn }) => sn).join('\n'))
    await button(page, text('common:next')).click()
    await expect(checked(page)).toContainText('1 is left out (1 with an Android that is too old)')
    await nextStep(page)
    await expect(pushSentence(page)).toContainText(
      /Installs Walk app 1\.0\.00 \(\S+\) on \d+ devices? \(.+\); 1 is left out/,
    )
    await button(page, /^Push to \d+ devices?$/).click()
    await expect(page).toHaveURL(/\/push-task-detail\?kid=/)
    await expect(page.getByRole('main')).toContainText('Walk app 1.0.00')
  })
  await test.step('the page of the app counts the versions and pushes to those behind', async () => {
    await until(
      'a device to have the app',
      async () => (await call().appCenter.installed({ kid: app_kid })).devices > 0,
    )
    await call().appCenter.insert_version({ app_kid, upload_kid: await apk(20, '2.0.00') })
    await page.goto(`/app-center-details?kid=${app_kid}`)
    await page.getByRole('link', { name: 'Push to those behind' }).click()
    await expect(page.getByText('Walk app below 2.0.00')).toBeVisible()
    await nextStep(page)
    await button(page, /^Push to \d+ devices?$/).click()
    await expect(page.getByRole('main')).toContainText('Walk app 2.0.00')
  })
  await test.step('an older version is a roll back, and an app is removed by its package', async () => {
    await page.goto(`/app-center-details?kid=${app_kid}`)
    await rowOf(page, '1.0.00')
      .getByRole('button', { name: /actions/i })
      .click()
    await page.getByRole('menuitem', { name: 'Roll devices back to it' }).click()
    await expect(page.getByLabel('Also replace higher versions')).toBeChecked()
    await page.goto(`/app-center-details?kid=${app_kid}`)
    await button(page, 'Uninstall from devices').click()
    await expect(page.getByText(app_package).first()).toBeVisible()
  })
})

test('an app is required of a group, and the software report says where it is', async ({ open }) => {
  await call().appCenter.insert({
    upload_kid: await uploadFile(
      call(),
      'required.apk',
      await disguisedApk({ certificate: await realSigner(), package: 'io.appium.required', version_code: 3 }),
    ),
    name: 'Needed app',
    is_listed: true,
  })
  const page = await open('sunrise')
  await page.goto('/app-required-list')
  await button(page, 'Require an app').first().click()
  await choose(page, page.getByRole('dialog').getByLabel('App'), 'Needed app (io.appium.required)')
  await page.getByRole('dialog').getByRole('button', { name: 'Require an app' }).click()
  await expect(rowOf(page, 'Needed app')).toContainText('All devices')
  await expect(rowOf(page, 'Needed app')).toContainText(/of \d+ have it/)
  await until('the rule to push', async () => (await call().pushTask.paging({ text: 'Needed app' })).total > 0)
  await expect(rowOf(page, 'Needed app').getByRole('link', { name: 'Open the push' })).toBeVisible()

  await until('the app on a device', async () => (await call().software.paging({ text: 'Needed app' })).total > 0)
  await page.goto('/software-report?text=io.appium.required')
  await expect(rowOf(page, 'io.appium.required')).toContainText('Needed app')
  await rowOf(page, 'io.appium.required').getByRole('link', { name: /^\d+$/ }).click()
  await expect(page).toHaveURL(/\/device-list\?where=/)
  // Other walks of this demo push to the same devices.
  for (const { kid } of await call().appRequirement.list({})) await call().appRequirement.delete({ kid })
})
