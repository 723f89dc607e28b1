import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { storedCredentials } from '@mdm/agent/enrol.ts'
import { fileStore } from '@mdm/agent/store.ts'
import { newKid } from '@mdm/server/lib/ids.ts'
import { expect, test } from 'vitest'
import { leadDevicesHere } from './demo-address.ts'

const before = 'http://localhost:4100'
const here = { url: 'http://localhost:4200', mqtt: ['mqtt://localhost:4201'] }

test('a demo at another port leads its devices there, except one that its configuration led elsewhere', async () => {
  const data = await mkdtemp(join(tmpdir(), 'mdm-demo-'))
  const [file, agent, fleet] = ['demo.json', 'agent', 'fleet'].map((name) => join(data, name)) as [
    string,
    string,
    string,
  ]
  const lead = () => leadDevicesHere({ file, ...here, agent, fleet })
  const device = { kid: newKid(), secret: 'a'.repeat(64), mqtt: ['mqtt://localhost:4101'] }
  const stores = {
    agent: fileStore(agent),
    first: fileStore(join(fleet, 'first')),
    away: fileStore(join(fleet, 'away')),
  }
  await stores.agent.write('credentials', { ...device, server: `${before}/` })
  await stores.first.write('credentials', { ...device, server: `${before}/` })
  await stores.away.write('credentials', { ...device, server: 'https://mdm.example.com/' })
  fileStore(join(fleet, 'unregistered'))

  await lead()
  expect(await storedCredentials(stores.first, here.url), 'on its first start it has no address before').toBeUndefined()

  await writeFile(file, JSON.stringify({ url: before }))
  await lead()
  for (const store of [stores.agent, stores.first])
    expect(await storedCredentials(store, here.url)).toEqual({ ...device, server: `${here.url}/`, mqtt: here.mqtt })
  expect(await stores.away.read('credentials')).toEqual({ ...device, server: 'https://mdm.example.com/' })
})
