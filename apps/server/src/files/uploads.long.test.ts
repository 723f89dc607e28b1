import { afterAll, beforeAll, expect, test } from 'vitest'
import { cutUpload } from '../testing/cut-upload.ts'
import { testHttpServer } from '../testing/http-server.ts'
import type { TestHttpServer } from '../testing/http-server.ts'

let w: TestHttpServer
beforeAll(async () => void (w = await testHttpServer()))
afterAll(() => w.close())

test('4 GB, cut ten times, go on after the tab was closed', async () => {
  const by = await w.person(['fileCloudList', 'fileCloudAdd'])
  const size = 4 * 1024 ** 3
  const { upload_kid, sha256 } = await cutUpload(w, by, { size, cuts: 10 })
  const { body } = await w.call('/api/file_cloud/insert', {
    method: 'POST',
    headers: by.bearer,
    body: JSON.stringify({ upload_kid, name: 'map.bin' }),
  })
  expect(body).toMatchObject({ result: 1, data: { size, sha256 } })
  expect(w.internal_errors).toEqual([])
})
