import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { handlers } from '../handlers.ts'
import { testHttpServer } from '../testing/http-server.ts'
import type { TestHttpServer } from '../testing/http-server.ts'

let w: TestHttpServer
beforeAll(async () => void (w = await testHttpServer({ public_per_minute: 5 })))
afterAll(() => w.close())

const json = (body: string) => ({ method: 'POST', body })
const paging = '/api/file_cloud/paging'

test.each([
  '//api/file_cloud/paging',
  '/api//file_cloud/paging',
  '/./api/file_cloud/paging',
  '/api/./file_cloud/paging',
  '/api/x/../file_cloud/paging',
  '/API/file_cloud/paging',
  '/api/File_Cloud/paging',
  '/api/file_cloud/paging/',
  '/api/file_cloud%2fpaging',
  '/%2e/api/file_cloud/paging',
  '/api/%2e/file_cloud/paging',
  '/api/file_cloud/paging;x',
  '/api/file_cloud/%70aging',
  '/api\\file_cloud\\paging',
])('no way of writing a path gets around the session: %s', async (path) => {
  const { status, body } = JSON.parse(await raw(`POST ${path} HTTP/1.1`, ['content-type: application/json'], '{}'))
  expect([401, 404, 400]).toContain(status)
  expect(body.result).not.toBe(1)
  expect(body).toEqual({ result: expect.any(Number), message: expect.any(String), data: null })
})

test('a call needs a session, then a permission, then a valid input', async () => {
  expect((await w.call(paging, json('{}'))).body).toMatchObject({ result: 401 })
  const nobody = await w.person(['homeIndex'])
  expect((await w.call(paging, { ...json('{}'), headers: nobody.bearer })).body).toMatchObject({ result: 403 })
  const viewer = await w.person(['fileCloudList'])
  const reply = await w.call(paging, { ...json('{"page":0}'), headers: viewer.bearer })
  expect(reply).toMatchObject({ status: 400, body: { result: 10000, data: { fields: { page: expect.any(String) } } } })
  expect((await w.call(paging, { ...json('{}'), headers: viewer.bearer })).body).toMatchObject({ result: 1 })
})

test('refusals around the calls come in the envelope and in the language of the caller', async () => {
  const viewer = await w.person(['fileCloudList'])
  const as = (init: RequestInit & { body?: string }) =>
    w.call(`${paging}?lang=vi`, { ...init, headers: { ...viewer.bearer, ...init.headers } })
  expect(await w.call('/api/none')).toMatchObject({
    status: 404,
    body: { result: 404, message: 'Not found.', data: null },
  })
  expect(await w.call('/api/none?lang=zh-cn')).toMatchObject({ body: { message: '未找到。' } })
  expect(await as(json('{"page":'))).toMatchObject({
    status: 400,
    body: { result: 10000, message: 'Một số trường không hợp lệ.' },
  })
  expect(await as(json(`{"text":"${'x'.repeat(1024 * 1024)}"}`))).toMatchObject({ status: 413, body: { result: 413 } })
  expect(await as({ ...json('page=1'), headers: { 'content-type': 'text/plain' } })).toMatchObject({
    status: 415,
    body: { result: 10000 },
  })
  expect(await as(json('['.repeat(200_000)))).toMatchObject({ status: 400, body: { result: 10000 } })
  expect(await as(json(`{"a":[${'1,'.repeat(20_000)}1]}`))).toMatchObject({
    status: 400,
    body: { result: 10000, data: { fields: { '': expect.stringMatching('20.000') } } },
  })
  expect(await as(json('{"text":"a\\u0000b"}'))).toMatchObject({ status: 400, body: { result: 10000 } })
  expect(await as(json('{"__proto__":{"page":1}}'))).toMatchObject({ status: 400, body: { result: 10000 } })
  expect(await as(json('null'))).toMatchObject({ body: { result: 1 } })
  expect(await as(json('[]'))).toMatchObject({ status: 400, body: { result: 10000 } })
  expect(await w.call(paging, { method: 'GET' })).toMatchObject({ status: 404 })
  expect(w.internal_errors).toEqual([])
})

test('a stranger who sends garbage hears only that he is one', async () => {
  expect(await w.call(paging, json('{"page":'))).toMatchObject({ status: 401, body: { result: 401 } })
  expect(await w.call(paging, json(`"${'x'.repeat(1024 * 1024)}"`))).toMatchObject({ status: 401 })
})

test('garbage in addresses is never an internal error', async () => {
  const viewer = await w.person(['*'])
  for (const path of [
    '/%',
    '/%zz',
    '/api/%ff',
    '/files/%00',
    '/files/..%2f..%2fetc%2fpasswd',
    '/api/terminal_group/get?kid=%00',
    '/api/terminal_group/get?kid[]=1',
    '/api/terminal_group/get?kid=1&kid=2',
    '/events?account_kid=a&account_kid=b',
    `/files/${'a'.repeat(3000)}`,
  ]) {
    const { status, body } = await w.call(path, { headers: viewer.bearer })
    expect([path, status]).toEqual([path, expect.toSatisfy((s: number) => s >= 400 && s < 500)])
    expect(body).toMatchObject({ result: expect.any(Number), message: expect.any(String) })
  }
  const broken = await raw('GARBAGE', [], '')
  expect(JSON.parse(broken).status).toBe(400)
  expect(w.internal_errors).toEqual([])
})

test('a forged X-Forwarded-For changes nothing: the limit of public calls is per real address', async () => {
  const replies = []
  for (let i = 0; i < 8; i += 1)
    replies.push(await w.call('/api/login/puzzle', { headers: { 'x-forwarded-for': `203.0.113.${i}` } }))
  const refused = replies.filter((r) => r.status === 429)
  expect(refused.length).toBe(3)
  expect(refused[0]!.body).toMatchObject({ result: 429, data: null })
  expect(Number(refused[0]!.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await w.deps.db.selectFrom('puzzle').select('address').distinct().execute()).toEqual([
    { address: '127.0.0.1' },
  ])
})

test('a foreign page cannot change anything by a link', async () => {
  const owner = await w.person(['*'])
  const path = `/api/terminal_group/delete?kid=${owner.account_kid}&AccessToken=${owner.token}`
  const from = (site: string) => w.call(path, { headers: { 'sec-fetch-site': site } })
  expect(await from('cross-site')).toMatchObject({ status: 403, body: { result: 403 } })
  expect(await from('same-origin')).toMatchObject({ status: 404 })
})

test('pages get a strict policy, no frame and no referrer', async () => {
  const { headers } = await w.call('/health')
  const policy = headers.get('content-security-policy')!
  expect(policy).toContain("script-src 'self';")
  expect(policy).not.toMatch(/script-src[^;]*unsafe/)
  expect(policy).not.toContain('upgrade-insecure-requests')
  expect(headers.get('referrer-policy')).toBe('no-referrer')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
})

test('health tells of the database, metrics only this machine, the contract everybody', async () => {
  expect(await w.call('/health')).toMatchObject({ status: 200, body: { result: 1, data: { database: 'up' } } })
  const metrics = await w.call('/metrics')
  expect(metrics.text).toMatch(/mdm_http_request_seconds_count\{[^}]*route="\/health"/)
  expect(metrics.text).toContain('mdm_event_loop_lag_p99_seconds')
  expect(await w.call('/metrics', { headers: { 'x-forwarded-for': '127.0.0.1' } })).toMatchObject({ status: 403 })
  expect((await w.call('/api/openapi.json')).body).toMatchObject({ openapi: '3.1.0' })
  expect((await w.call('/url.json')).text).toBe('{"base_url":""}')
})

/** Sends what fetch would tidy up; answers with status and body as JSON. */
async function raw(line: string, headers: string[], body: string): Promise<string> {
  const { port } = new URL(w.url)
  const socket = connect(Number(port), '127.0.0.1')
  socket.end(
    [line, 'host: localhost', 'connection: close', `content-length: ${body.length}`, ...headers, '', body].join('\r\n'),
  )
  let text = ''
  for await (const chunk of socket.setEncoding('utf8')) text += chunk
  const [head, content] = text.split('\r\n\r\n', 2) as [string, string]
  return JSON.stringify({
    status: Number(head.split(' ')[1]),
    body: content.startsWith('{') ? JSON.parse(content) : content,
  })
}

test.each([
  ['en', 'This code is for a device'],
  ['vi', 'Mã này dành cho thiết bị'],
  ['zh-CN', '此二维码供设备使用'],
])('a QR code of a registration, opened in a browser, explains itself in %s', async (language, title) => {
  const headers = { 'accept-language': language, accept: 'text/html' }
  const reply = await fetch(new URL('/enrol?qr=0123456789abcdef', w.url), { headers })
  const page = await reply.text()
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(page).toContain(title)
  expect(page).not.toContain('0123456789abcdef')
  expect(reply.headers.get('referrer-policy')).toBe('no-referrer')
})

test('a file whose reader leaves before its first piece ends without a fault of ours', async () => {
  let state = 'waiting'
  const batch_registered: typeof handlers.terminalBatch.batch_registered = async (_input, { request }) => ({
    name: 'x.xlsx',
    body: (async function* () {
      state = 'begun'
      try {
        await once(request.clientGone!(), 'abort')
        yield Buffer.from('too late')
      } finally {
        state = 'ended'
      }
    })(),
  })
  const own = await testHttpServer({
    handlers: { ...handlers, terminalBatch: { ...handlers.terminalBatch, batch_registered } } as never,
  })
  try {
    const { bearer } = await own.person(['*'])
    const gone = new AbortController()
    const terminalDtos = [{ sn: 'A', work_order: 'W', verification_code: 'ABCDEF' }]
    const input = { terminalDtos, terminalGroupKid: 'NO_GROUP', schedule_version: 'v' }
    const init = { ...json(JSON.stringify(input)), headers: bearer, signal: gone.signal }
    const asked = own.call('/api/terminal/batch_registered', init).catch(() => 'gone')
    await expect.poll(() => state).toBe('begun')
    gone.abort()
    expect(await asked).toBe('gone')
    await expect.poll(() => state).toBe('ended')
    expect((await own.call('/health')).status).toBe(200)
    expect(own.internal_errors).toEqual([])
  } finally {
    await own.close()
  }
})
