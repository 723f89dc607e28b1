import { createHash, randomBytes } from 'node:crypto'
import { connectAsync } from 'mqtt'
import type { MqttClient } from 'mqtt'
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

/** One of the machines that hold the secret: each is booted once, says so when it is asked, and comes back when it is cut off. */
async function machine({ kid, secret }: { kid: string; secret: string }, boot_id: string): Promise<MqttClient> {
  const credentials = { clientId: kid, username: kid, password: secret }
  const device = await connectAsync(demo().mqtt_url, { ...credentials, reconnectPeriod: 500 })
  const booted = performance.now() - 86_400_000
  const say = (name: string, body: object) =>
    device.publish(`mdm/v1/${kid}/up/${name}`, JSON.stringify(body), { qos: 0 })
  const now = () => ({ device_time: new Date().toISOString(), boot_id })
  const greet = async () => {
    await device.subscribeAsync(`mdm/v1/${kid}/down/#`, { qos: 1 })
    say('hello', { ...now(), epoch: randomBytes(8).toString('hex'), inventory: { model: 'MT-90', os_version: '12' } })
  }
  device.on('message', (_topic, payload) => {
    const { id, method } = JSON.parse(payload.toString()) as { id?: string; method?: string }
    const uptime = (performance.now() - booted) / 1000
    if (method === 'ping') say('reply', { id, ok: true, data: { ...now(), uptime } })
  })
  // A refusal is what ends this: nobody needs to hear of it.
  device.on('error', () => {})
  device.on('connect', () => void greet().catch(() => {}))
  await greet()
  return device
}

test('a device whose secret was copied is marked in the list, on home and on its page, where it gets another', async ({
  open,
}) => {
  const device = await enrolled()
  const page = await open('lantern')
  await page.goto(`/device-list?text=${sn}`)
  const row = page.getByRole('row').filter({ hasText: sn })
  await expect(row).toBeVisible()
  const machines = [await machine(device, 'one'), await machine(device, 'two')]
  // Nobody reloads the page.
  await expect(row.getByText('Quarantined')).toBeVisible()
  for (const each of machines) each.end(true)
  await page.goto('/home')
  await expect(page.getByRole('region', { name: 'Quarantined devices' })).toContainText(sn)
  await page.goto(`/device-detail/info?kid=${device.kid}`)
  const alert = page.getByRole('alert').filter({ hasText: 'Two machines use the secret' })
  await expect(alert).toBeVisible()
  await page.goto(`/device-detail/event?kid=${device.kid}`)
  // The time is in the zone of the reader, not as the server writes it.
  const event = page.getByRole('row').filter({ hasText: 'Secret used by two machines' })
  await expect(event).toContainText(/until \d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d/)

  // Lifted, and then found again.
  await page.goto(`/device-detail/info?kid=${device.kid}`)
  await alert.getByRole('button', { name: 'Lift quarantine' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Lift quarantine' }).click()
  await expect(alert).toBeHidden()
  const again = [await machine(device, 'one'), await machine(device, 'two')]
  await expect(alert).toBeVisible()
  for (const each of again) each.end(true)

  await page.getByRole('button', { name: 'Actions', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Renew secret' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Renew secret' }).click()
  await expect(page.getByText('Waiting for a new secret')).toBeVisible()
  await expect(alert).toBeHidden()
})
