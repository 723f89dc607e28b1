import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newKid } from '../../../lib/ids.ts'
import { testHttpServer } from '../../../testing/http-server.ts'
import type { TestHttpServer } from '../../../testing/http-server.ts'

let w: TestHttpServer
beforeAll(async () => void (w = await testHttpServer()))
afterAll(() => w.close())

async function put(account_kid: string, name: string, more: { parent_kid?: string; is_visible?: boolean } = {}) {
  const object = newKid()
  const info = await w.deps.objects.put(object, Readable.from([randomBytes(1000)]), 1e6)
  const made = { created_by_kid: newKid(), created_by: '', created_at: w.deps.clock.now() }
  const row = { kid: newKid(), account_kid, name, ...info, object, content_type: 'text/plain', ...made, ...more }
  await w.deps.db.insertInto('file_cloud').values(row).execute()
  return row
}
async function folder(account_kid: string, name: string, more: { parent_kid?: string; is_visible?: boolean } = {}) {
  const made = { created_by_kid: newKid(), created_by: '', created_at: w.deps.clock.now() }
  const empty = { size: 0, md5: '', sha256: '', object: null, content_type: '', is_folder: true }
  const row = { kid: newKid(), account_kid, name, ...empty, ...made, ...more }
  await w.deps.db.insertInto('file_cloud').values(row).execute()
  return row.kid
}

test('a device sees what is visible of its account, folder by folder, and fetches it', async () => {
  const { account_kid } = await w.person([])
  const device = await w.device(account_kid)
  const stranger = await w.device((await w.person([])).account_kid)
  const authorization = (by: { kid: string; secret: string }) => ({ authorization: `Bearer ${by.kid}:${by.secret}` })
  const look = async (query = '', by = device) => {
    const { status, body } = await w.call(`/device/files${query}`, { headers: authorization(by) })
    const data = body.data as { items: { name: string; url: string | null }[] } | null
    return { status, names: data?.items.map(({ name }) => name).toSorted(), items: data?.items }
  }
  const shown = await folder(account_kid, 'Shown')
  const hidden = await folder(account_kid, 'Hidden', { is_visible: false })
  const below = await folder(account_kid, 'Below', { parent_kid: hidden })
  const file = await put(account_kid, 'price.txt', { parent_kid: shown })
  await put(account_kid, 'secret.txt', { parent_kid: shown, is_visible: false })
  await put(account_kid, 'top.txt')
  expect((await look()).names).toEqual(['Shown', 'top.txt'])
  const { items } = await look(`?folder=${shown}`)
  expect(items).toEqual([
    {
      kid: file.kid,
      name: 'price.txt',
      is_folder: false,
      size: 1000,
      md5: file.md5,
      sha256: file.sha256,
      url: expect.stringContaining('/files/'),
    },
  ])
  const fetched = await fetch(w.url + items![0]!.url!)
  expect(
    createHash('sha256')
      .update(Buffer.from(await fetched.arrayBuffer()))
      .digest('hex'),
  ).toBe(file.sha256)
  for (const kid of [hidden, below, file.kid, newKid(), 'x']) expect((await look(`?folder=${kid}`)).status).toBe(404)
  expect((await look('', stranger)).names).toEqual([])
  expect((await look(`?folder=${shown}`, stranger)).status).toBe(404)
  expect((await look('', { ...device, secret: 'wrong' })).status).toBe(401)
  expect((await w.call('/device/files', {})).status).toBe(401)
  expect(w.internal_errors).toEqual([])
})
