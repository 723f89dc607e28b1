import { createHash, randomBytes } from 'node:crypto'
import { connectAsync } from 'mqtt'
import { signedIn } from './calls.ts'
import { demo } from './demo-server.ts'
import { expect, test } from './test.ts'

const sn = `CLONED-${randomBytes(3).toString('hex').toUpperCase()}`

async function post(path: string, body: unknown): Promise<Record<string, string>> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${demo().url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  return (await response.json()) as Record<string, string>
}

/** A device with its secret, as it is stored in flash, where somebody can copy it. */
async function enrolled() {
  const claim = randomBytes(32).toString('hex')
  const { registration_code } = await post('/device/announce', {
    ...{ sn, model: 'MT-90', os_name: 'Debian', os_version: '12', service_version: '0.1', protocol_version: 1 },
    claim_hash: createHash('sha256').update(claim).digest('hex'),
  })
  const { kid } = await signedIn('lantern').terminal.manual_registered({ sn, registration_code: registration_code! })
  const { secret } = await post('/device/enrol', { sn, claim })
  return { kid, secret: secret! }
}

/** One of the machines that hold the secret: each is booted once and stays so. */
async function greet({ kid, secret }: { kid: string; secret: string }, boot_id: string): Promise<void> {
  const credentials = { clientId: kid, username: kid, password: secret }
  const device = await connectAsync(demo().mqtt_url, { ...credentials, reconnectPeriod: 0 }, false)
  const hello = { epoch: randomBytes(8).toString('hex'), boot_id, device_time: new Date().toISOString() }
  const inventory = { model: 'MT-90', os_version: '12' }
  // The server may end the connection before it acknowledges what ends it: a publish then never settles.
  await Promise.race([
    new Promise<void>((resolve) => device.once('close', () => resolve())),
    device.publishAsync(`mdm/v1/${kid}/up/hello`, JSON.stringify({ ...hello, inventory }), { qos: 1 }),
  ])
  device.end(true)
}

test('a device whose secret was copied is marked in the list, on home and on its page, where it gets another', async ({
  open,
}) => {
  const device = await enrolled()
  const page = await open('lantern')
  await page.goto(`/device-list?text=${sn}`)
  const row = page.getByRole('row').filter({ hasText: sn })
  await expect(row).toBeVisible()
  for (const boot of ['one', 'two', 'one']) await greet(device, boot)
  // Nobody reloads the page.
  await expect(row.getByText('Quarantined')).toBeVisible()
  await page.goto('/home')
  await expect(page.getByRole('region', { name: 'Quarantined devices' })).toContainText(sn)
  await page.goto(`/device-detail/info?kid=${device.kid}`)
  const alert = page.getByRole('alert').filter({ hasText: 'used at two places' })
  await expect(alert).toBeVisible()
  await page.goto(`/device-detail/event?kid=${device.kid}`)
  // The time is in the zone of the reader, not as the server writes it.
  const event = page.getByRole('row').filter({ hasText: 'Secret used at two places' })
  await expect(event).toContainText(/until \d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d/)

  await page.goto(`/device-detail/info?kid=${device.kid}`)
  await page.getByRole('button', { name: 'Renew secret' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Renew secret' }).click()
  await expect(page.getByText('Waiting for a new secret')).toBeVisible()
  await expect(alert).toBeHidden()
})
