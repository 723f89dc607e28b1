import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testHttpServer } from '../testing/http-server.ts'
import type { TestHttpServer } from '../testing/http-server.ts'

let w: TestHttpServer
let folder: string
const script = 'console.log(1)'.repeat(100)
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mdm-console-'))
  await mkdir(join(folder, 'dist/assets'), { recursive: true })
  await writeFile(join(folder, 'secret.txt'), 'secret')
  await writeFile(join(folder, 'dist/.built'), '1')
  await writeFile(join(folder, 'dist/index.html'), '<!doctype html><title>MDM</title>')
  await writeFile(join(folder, 'dist/assets/a-1.js'), script)
  await writeFile(join(folder, 'dist/assets/a-1.js.br'), brotliCompressSync(script))
  await writeFile(join(folder, 'dist/assets/a-1.js.gz'), gzipSync(script))
  await symlink(join(folder, 'secret.txt'), join(folder, 'dist/link.txt'))
  await mkdir(join(folder, 'terminal/assets'), { recursive: true })
  await writeFile(join(folder, 'terminal/.built'), '1')
  await writeFile(join(folder, 'terminal/index.html'), '<!doctype html><title>Terminal</title>')
  await writeFile(join(folder, 'terminal/assets/t-1.js'), script)
  w = await testHttpServer({ console_dir: join(folder, 'dist'), terminal_dir: join(folder, 'terminal') })
})
afterAll(async () => {
  await w.close()
  await rm(folder, { recursive: true })
})

/** Without fetch, which would unpack what it gets and tidy up addresses. */
function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const { port } = new URL(w.url)
  return new Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, path, method, headers }, async (response) => {
      const parts: Buffer[] = []
      for await (const part of response) parts.push(part as Buffer)
      resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(parts) })
    })
    request.on('error', reject).end()
  })
}

test('a part of the page carries only the headers that a part obeys', async () => {
  const part = (await get('/assets/a-1.js')).headers
  expect(part['x-content-type-options']).toBe('nosniff')
  for (const name of ['content-security-policy', 'x-frame-options', 'referrer-policy', 'x-xss-protection'])
    expect(part).not.toHaveProperty(name)
  expect((await get('/', { accept: 'text/html' })).headers['content-security-policy']).toContain("script-src 'self'")
})

test.each([
  ['br, gzip', 'br', brotliCompressSync(script)],
  ['gzip', 'gzip', gzipSync(script)],
  ['br;q=0, gzip', 'gzip', gzipSync(script)],
  ['identity', undefined, Buffer.from(script)],
])('a file packed as the browser accepts it: %s', async (accepted, encoding, bytes) => {
  const { status, headers, body } = await get('/assets/a-1.js', { 'accept-encoding': accepted })
  expect(status).toBe(200)
  expect(headers['content-encoding']).toBe(encoding)
  expect(body.equals(bytes)).toBe(true)
  expect(headers).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'content-type': expect.stringMatching(/^(?:text|application)\/javascript; charset=utf-8$/),
    'content-length': String(bytes.length),
    vary: 'accept-encoding',
  })
  expect(
    (await get('/assets/a-1.js', { 'accept-encoding': accepted, 'if-none-match': String(headers['etag']) })).status,
  ).toBe(304)
})

test('every screen is the console, asked for anew each time; the API never is', async () => {
  const html = { accept: 'text/html,*/*' }
  for (const path of ['/', '/login?redirect=%2Fhome', '/device-list', '/user-manage/sub-account-manage-add']) {
    const { status, headers, body } = await get(path, html)
    expect([path, status, body.toString()]).toEqual([path, 200, '<!doctype html><title>MDM</title>'])
    expect(headers['cache-control']).toBe('no-cache')
  }
  expect((await get('/', html, 'HEAD')).headers['content-length']).toBe('33')
  expect((await get('/', { accept: '*/*' })).body.toString()).toContain('<title>MDM</title>')
  for (const path of [
    '/api',
    '/api/none',
    '/API/none',
    '/api/terminal/paging',
    '/files/x',
    '/assets/none.js',
    '/tunnel/x',
    '/device/none',
    '/metrics/x',
    '/mqtt',
  ])
    expect([path, (await get(path, html)).headers['content-type']]).toEqual([
      path,
      expect.stringContaining('application/json'),
    ])
  expect((await get('/device-list', { accept: 'application/json' })).status).toBe(404)
})

test.each([
  '/../secret.txt',
  '/assets/../../secret.txt',
  '/..%2fsecret.txt',
  '/%2e%2e/secret.txt',
  '/.built',
  '/link.txt',
  '//secret.txt',
  '/assets\\..\\..\\secret.txt',
])('nothing but what was built is served: %s', async (path) => {
  const { status, body } = await get(path, { accept: '*/*' })
  expect([400, 404]).toContain(status)
  expect(body.toString()).not.toContain('secret')
})

describe('the page by which a browser is a device', () => {
  const page = { accept: 'text/html' }

  test('is served with and without a slash at its end, to everybody, and is asked for again each time', async () => {
    for (const path of ['/terminal', '/terminal/', '/terminal?x=1']) {
      const { status, headers, body } = await get(path, page)
      expect([path, status, headers['cache-control']]).toEqual([path, 200, 'no-cache'])
      expect(String(body)).toContain('<title>Terminal</title>')
    }
  })

  test('may show a page of another site in a frame; the console may not', async () => {
    const policyOf = async (path: string) => String((await get(path, page)).headers['content-security-policy'])
    const [own, console] = [await policyOf('/terminal'), await policyOf('/')]
    expect(own).toContain('frame-src https: http:')
    expect(console).not.toContain('frame-src')
    expect(own.replace(/;?frame-src https: http:/, '')).toBe(console)
  })

  test('has its own files below it, and no others', async () => {
    expect((await get('/terminal/assets/t-1.js')).body.toString()).toBe(script)
    for (const path of ['/terminal/assets/a-1.js', '/terminal/none', '/terminal/../secret.txt', '/terminal/.built'])
      expect([path, (await get(path, page)).status]).toEqual([path, 404])
  })

  test('is not there where it is switched off, nor is the console in its place', async () => {
    w.deps.config.gateways.browser = false
    await w.restart()
    const { status } = await get('/terminal', page)
    w.deps.config.gateways.browser = true
    await w.restart()
    expect(status).toBe(404)
  })
})
