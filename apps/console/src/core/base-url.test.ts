import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { loadBaseUrl, serverAddress, serverUrl, withServer } from './base-url.ts'

const said = vi.spyOn(console, 'info').mockImplementation(() => {})
const answers = (body: string, status = 200) =>
  vi.stubGlobal('fetch', async () => new Response(body, { status, headers: { 'content-type': 'application/json' } }))
beforeEach(() => {
  vi.stubGlobal('location', new URL('https://console.example'))
  said.mockClear()
})
afterEach(async () => {
  answers('{"base_url":""}')
  await loadBaseUrl()
  vi.unstubAllGlobals()
})

test('the server is where url.json says', async () => {
  answers('{"base_url":"https://mdm.example:10102/"}')
  await loadBaseUrl()
  expect(serverUrl('/api/x')).toBe('https://mdm.example:10102/api/x')
  expect(serverAddress()).toBe('https://mdm.example:10102')
  expect(withServer({ rows: [{ url: '/files/a', name: '/other', size: 1, none: null }] })).toEqual({
    rows: [{ url: 'https://mdm.example:10102/files/a', name: '/other', size: 1, none: null }],
  })
})

test.each([
  ['a missing file', '', 404],
  ['no JSON', '<html>', 200],
  ['no address', '{"base_url":"javascript:alert(1)"}', 200],
])('%s is logged only: the server is where the console came from', async (_, body, status) => {
  answers(body, status)
  await loadBaseUrl()
  expect(serverUrl('/api/x')).toBe('/api/x')
  expect(serverAddress()).toBe('https://console.example')
  expect(said).toHaveBeenCalledOnce()
})

test('an empty address, and its own, is that of the page', async () => {
  for (const base_url of ['', 'https://console.example/']) {
    answers(JSON.stringify({ base_url }))
    await loadBaseUrl()
    expect(serverUrl('/events')).toBe('/events')
    expect(withServer({ url: '/files/a' })).toEqual({ url: '/files/a' })
  }
  expect(said).not.toHaveBeenCalled()
})
