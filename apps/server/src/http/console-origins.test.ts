import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { testHttpServer } from '../testing/http-server.ts'
import type { TestHttpServer } from '../testing/http-server.ts'

const console_origin = 'https://console.example'
let w: TestHttpServer
const data = mkdtempSync(join(tmpdir(), 'mdm-console-origins-'))
beforeAll(async () => {
  const env = { MDM_DATA: data, MDM_CONSOLE_ORIGINS: `https://other.example, ${console_origin}` }
  w = await testHttpServer({ deps: { config: readConfig(env, { env_file: join(data, 'none') }) } })
})
afterAll(async () => {
  await w.close()
  rmSync(data, { recursive: true, force: true })
})

const ask = (path: string, headers: Record<string, string>, method = 'GET') =>
  fetch(`${w.url}${path}`, { method, headers })
const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' }

test('a page of a console that is served from elsewhere may read answers, any other may not', async () => {
  const own = await ask('/api/account/info', { origin: console_origin })
  expect(own.headers.get('access-control-allow-origin')).toBe(console_origin)
  expect(own.headers.get('access-control-allow-credentials')).toBe(null)
  expect(own.headers.get('vary')).toContain('origin')
  const foreign = await ask('/api/account/info', { origin: 'https://evil.example' })
  expect(foreign.headers.get('access-control-allow-origin')).toBe(null)
  expect((await ask('/api/account/info', {})).headers.get('access-control-allow-origin')).toBe(null)
})

test.each(['/api/terminal/paging', '/upload', '/events'])(
  'its browser is told what it may send to %s',
  async (path) => {
    const told = await ask(path, { origin: console_origin, ...preflight }, 'OPTIONS')
    expect(told.status).toBe(204)
    expect(told.headers.get('access-control-allow-headers')).toContain('authorization')
    expect(told.headers.get('access-control-allow-origin')).toBe(console_origin)
    const foreign = await ask(path, { origin: 'https://evil.example', ...preflight }, 'OPTIONS')
    expect(foreign.headers.get('access-control-allow-origin')).toBe(null)
    expect(foreign.headers.get('access-control-allow-headers')).toBe(null)
  },
)

test('its writes are not refused as those of a foreign page are', async () => {
  const { bearer } = await w.person(['deviceList'])
  const write = async (origin: string) => {
    const headers = { ...bearer, origin, 'sec-fetch-site': 'cross-site', 'content-type': 'application/json' }
    const reply = await fetch(`${w.url}/api/account/save_preferences`, { method: 'POST', headers, body: '{}' })
    return reply.status
  }
  expect(await write(console_origin)).toBe(200)
  expect(await write('https://evil.example')).toBe(403)
})
