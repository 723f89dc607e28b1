import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startAgent } from '@mdm/agent/agent.ts'
import { simulatedBody } from '@mdm/agent/body/simulated.ts'
import { cloudFolder, fetchCloudFile } from '@mdm/agent/cloud-files.ts'
import { storedCredentials } from '@mdm/agent/enrol.ts'
import { memoryStore } from '@mdm/agent/store.ts'
import { registerByQr } from './enrol.ts'
import { uploadFile } from './upload.ts'
import { world } from './world.ts'

test('a device looks into the file cloud by names, and has a file once its digest is right', async () => {
  await using w = await world({ agents: 0 })
  const call = w.customers[0]!
  const store = memoryStore()
  const body = simulatedBody({ sn: 'CLOUD-1', seed: 1, faults: {} })
  const { agent } = await registerByQr(call, 'CLOUD-1', 'NO_GROUP', (qrcode) =>
    startAgent({ server: w.url, body, store, qrcode }),
  )
  await agent.reached('online')
  const credentials = (await storedCredentials(store, w.url))!
  const folder = await call.fileCloud.make_path({ names: ['Giá', '2026'] })
  const upload_kid = await uploadFile(call, 'list.txt', Buffer.from('Apples 1.20'))
  await call.fileCloud.insert({ upload_kid, name: 'list.txt', folder_kid: folder.kid })
  expect((await cloudFolder(credentials, 'giá/2026')).map(({ name }) => name)).toEqual(['list.txt'])
  const place = await mkdtemp(join(tmpdir(), 'mdm-cloud-'))
  await fetchCloudFile(credentials, 'Giá/2026/list.txt', join(place, 'list.txt'))
  expect(await readFile(join(place, 'list.txt'), 'utf8')).toBe('Apples 1.20')
  await expect(fetchCloudFile(credentials, 'Giá/none.txt', join(place, 'x'))).rejects.toThrow('There is no none.txt')
  await rm(place, { recursive: true })
  await agent.stop()
})

test('a configuration file is downloaded as it was added, by its account alone, and the operation log names it', async () => {
  await using w = await world({ agents: 0 })
  const [call, other] = w.customers
  const content = Buffer.from('<settings volume="3"/>')
  const { kid } = await call!.configFile.insert({
    name: 'depot.xml',
    path: '/sdcard/config',
    content: content.toString('base64'),
  })
  const { url } = await call!.configFile.download({ kid })
  const reply = await fetch(new URL(url, w.url))
  expect(Buffer.from(await reply.arrayBuffer())).toEqual(content)
  expect(reply.headers.get('content-disposition')).toContain('depot.xml')
  await expect(other!.configFile.download({ kid })).rejects.toMatchObject({ status: 404 })
  const { items } = await call!.operationLog.paging({ action_code: 'download', result: 'success' })
  const operation = await call!.operationLog.get({ kid: items[0]!.kid })
  expect(JSON.stringify(operation)).toContain('downloaded depot.xml')
})
