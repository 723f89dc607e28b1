import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { draftOf, groupOf } from '@mdm/testbed/sweeps/shared/information.ts'
import { informationKeys, informationLists, kidOf } from '@mdm/contract'
import type { UidKid } from '@mdm/contract'
import type { Caller } from '@mdm/testbed/caller.ts'
import { osZip } from '@mdm/testbed/os-zip.ts'
import { until } from '@mdm/testbed/until.ts'
import { signedIn } from './calls.ts'
import { mainMenu, rowOf } from './pages.ts'
import { expect, test } from './test.ts'

/** Where the provider's packages lie: one that never ends, and one that is not there until it is put. */
async function startPackages() {
  let sent = 0
  let zip: Buffer | undefined
  const server = createServer((request, response) => {
    if (request.url?.includes('slow')) {
      response.writeHead(200, { 'content-length': '2000000', etag: '"1"' })
      // A little at a time, and never all of it.
      const sending = setInterval(() => {
        if ((sent += 50_000) < 1_500_000) response.write(Buffer.alloc(50_000))
      }, 200)
      response.on('close', () => clearInterval(sending))
    } else if (zip) response.writeHead(200, { 'content-length': String(zip.length) }).end(zip)
    else response.writeHead(404).end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    put: async () => void (zip = await osZip()),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

async function draft(operator: Caller): Promise<{ kid: string; uid: string }> {
  const parts = {} as Record<UidKid, string>
  for (const key of informationKeys)
    parts[kidOf(informationLists[key].name)] = (await operator[groupOf(key)].insert(draftOf(key, 60, 'Tasks'))).kid
  const { kid: uid_kid, code } = await operator.opsUid.insert({
    type: 'standard',
    ...parts,
    reserve_code: 'OT',
    display_name: 'Tasks',
  })
  const { kid } = await operator.opsOsVersion.insert({ uid_kid, os_version: '9.00.700', version_code: 1, ver: 7 })
  return { kid, uid: code }
}

test('the provider follows jobs of everybody, cancels one, retries another and fetches a result', async ({ open }) => {
  await using packages = await startPackages()
  const operator = signedIn('operator')
  const sunrise = signedIn('sunrise')
  const { kid: os_version_kid, uid } = await draft(operator)
  const fetchOf = async (name: string) =>
    operator.opsOsVersion.insert_package({
      os_version_kid,
      from_kid: null,
      url: `${packages.url}/${name}`,
      file_name: name,
    })
  const lost = `${uid}_lost.zip`
  await fetchOf(lost)
  await sunrise.terminalExport.export({
    match: {},
    format: 'csv',
    name: 'Stock of May',
    zone_id: 'UTC',
    columns: [{ key: 'sn', title: 'SN' }],
  })
  await until('the first package to fail', async () =>
    (await operator.opsOperationTask.paging({ kinds: ['os_package'], states: ['failed'], text: lost })).items.at(0),
  )

  const page = await open('operator')
  await page.goto('/home/index')
  await mainMenu(page).getByRole('link', { name: 'Operation tasks' }).click()
  const exported = rowOf(page, 'Stock of May.csv')
  await expect(exported).toContainText('Completed')
  await expect(exported).toContainText('Sunrise Parcel')
  const saving = page.waitForEvent('download')
  await exported.getByRole('button', { name: 'Download the result of Stock of May.csv' }).click()
  expect((await saving).suggestedFilename()).toBe('Stock of May.csv')

  // Why it failed stands on its page; what its kind cannot do is there with the reason.
  await page.getByRole('link', { name: lost }).click()
  await expect(page.getByRole('heading', { level: 1, name: lost })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Why it failed' })).toContainText('404')
  await packages.put()
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByText('Completed', { exact: true })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Why it failed' })).toBeHidden()

  // A difference that never ends to come is seen as it comes, and given up.
  const { kid: older } = await operator.opsOsVersion.insert({
    uid_kid: (await operator.opsOsVersion.get({ kid: os_version_kid })).uid_kid,
    os_version: '9.00.699',
    version_code: 1,
    ver: 6,
  })
  const slow = `${uid}_slow.zip`
  await page.goto('/operation-task-list?kinds=os_package')
  await expect(rowOf(page, lost)).toBeVisible()
  await operator.opsOsVersion.insert_package({
    os_version_kid,
    from_kid: older,
    url: `${packages.url}/slow/${slow}`,
    file_name: slow,
  })
  const running = rowOf(page, slow)
  await expect(running).toContainText('Running')
  await expect(running.getByRole('progressbar')).toHaveAttribute('aria-valuenow', /^[1-9]/)
  await running.getByRole('button', { name: `More actions for ${slow}` }).click()
  await page.getByRole('menuitem', { name: 'Cancel task' }).click()
  const dialog = page.getByRole('dialog', { name: `Cancel the task ${slow}?` })
  await dialog.getByRole('button', { name: 'Cancel task' }).click()
  await expect(page.getByText(`Canceled ${slow}`)).toBeVisible()
  await expect(running).toBeHidden()
})
