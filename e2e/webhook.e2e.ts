import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { until } from '@mdm/testbed/until.ts'
import { addPerson, signedIn } from './calls.ts'
import { mainMenu, rowOf } from './pages.ts'
import { expect, test } from './test.ts'

type Heard = { headers: IncomingHttpHeaders; body: string; event: string }

/** Another system on this machine, which answers every message with 204. */
async function startReceiver() {
  const heard: Heard[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (part: string) => (body += part))
    request.on('end', () => {
      heard.push({ headers: request.headers, body, event: (JSON.parse(body) as { type: string }).type })
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    heard: (event: string) => until(`a message of ${event}`, () => heard.find((each) => each.event === event)),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

/** As the receiver checks it: Standard Webhooks. */
function isGenuine({ headers, body }: Heard, secret: string): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const signed = `${headers['webhook-id'] as string}.${headers['webhook-timestamp'] as string}.${body}`
  const signature = createHmac('sha256', key).update(signed).digest('base64')
  return (headers['webhook-signature'] as string).split(' ').includes(`v1,${signature}`)
}

test('a webhook is made, hears what happens, and its deliveries are there to read', async ({ open }) => {
  await using receiver = await startReceiver()
  const page = await open('lantern')
  await page.goto('/home/index')
  await mainMenu(page).getByRole('link', { name: 'Webhooks' }).click()
  await page.getByRole('button', { name: 'Add webhook' }).first().click()
  const drawer = page.getByRole('dialog', { name: 'Add webhook' })
  await drawer.getByLabel('Name').fill('Ledger')
  await drawer.getByLabel('Address').fill(receiver.url)
  await drawer.getByRole('checkbox', { name: 'User created' }).check()
  await drawer.getByRole('button', { name: 'Add webhook' }).click()

  const secrets = page.getByRole('dialog', { name: 'Secret of the webhook' })
  const secret = /whsec_[A-Za-z0-9+/=]+/.exec(await secrets.innerText())?.[0] ?? ''
  await secrets.getByRole('button', { name: 'I have stored it' }).click()
  await expect(rowOf(page, 'Ledger')).toContainText('Not used yet')

  await addPerson(signedIn('lantern'), 'lantern.hired')
  const heard = await receiver.heard('user.created')
  expect(isGenuine(heard, secret)).toBe(true)
  expect(heard.body).toContain('lantern.hired')

  await page.getByRole('button', { name: 'Send a test to Ledger' }).click()
  expect(isGenuine(await receiver.heard('ping'), secret)).toBe(true)
  const deliveries = page.getByRole('dialog', { name: 'Deliveries of Ledger' })
  for (const event of ['User created', 'Test']) {
    await expect(rowOf(deliveries, event)).toContainText('Delivered')
    await expect(rowOf(deliveries, event)).toContainText('204')
  }
  await rowOf(deliveries, 'User created').getByRole('link').click()
  await expect(page.getByRole('dialog').last()).toContainText('lantern.hired')
})
