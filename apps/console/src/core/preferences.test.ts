import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Session } from '@mdm/contract'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { useNotices } from './notices.ts'
import { useSessionStore } from './session-store.ts'
import { loadPreferences, remember, usePreferences } from './preferences.ts'

// What the server does with preferences, no more: keeps values by key, forgets null, can be away or refuse.
let server: Server
let stored: Map<string, unknown>
let asked: string[]
let result = 1
let holding: Promise<void> | undefined
const local = new Map<string, string>()
const real = globalThis.fetch

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += chunk))
    request.on('end', async () => {
      const call = new URL(request.url ?? '', 'http://x').pathname.replace('/api/account/', '')
      asked.push(call)
      const rows = [...stored].map(([key, value]) => ({ key, value }))
      await holding
      if (call === 'save_preference' && result === 1) {
        const { key, value } = JSON.parse(body) as { key: string; value: unknown }
        if (value === null) stored.delete(key)
        else stored.set(key, value)
      }
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ result, message: 'refused', data: call === 'preferences' ? rows : {} }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => server.close())

const base = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const signInAs = (user_kid: string) =>
  useSessionStore.setState({ token: 'token', session: { user_kid } as Session, account_kid: null })
beforeEach(() => {
  stored = new Map()
  asked = []
  result = 1
  holding = undefined
  local.clear()
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => local.get(name) ?? null,
    setItem: (name: string, value: string) => void local.set(name, value),
    removeItem: (name: string) => void local.delete(name),
  })
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => real(base() + path, init))
  usePreferences.setState({ of: null, values: {}, unsaved: [], read_at: 0 })
  useNotices.setState({ notices: [] })
  signInAs('anna')
})
afterEach(() => vi.unstubAllGlobals())

const values = () => usePreferences.getState().values
const isSaved = () => expect.poll(() => usePreferences.getState().unsaved).toEqual([])

test('preferences of another browser are there before the first list; a change reaches the server once', async () => {
  stored.set('columns.device-list', { order: ['sn'], hidden: [] })
  await loadPreferences('anna')
  expect(values()).toEqual({ 'columns.device-list': { order: ['sn'], hidden: [] } })
  remember('columns.device-list', { order: ['sn'], hidden: ['model'] })
  remember('columns.device-list', { order: ['sn'], hidden: ['model', 'name'] })
  await isSaved()
  expect(stored.get('columns.device-list')).toEqual({ order: ['sn'], hidden: ['model', 'name'] })
  expect(asked).toEqual(['preferences', 'save_preference'])
  remember('columns.device-list', null)
  await isSaved()
  expect(stored.size).toBe(0)
})

test('the copy serves at once, and the server is right in the end', async () => {
  stored.set('views.device-list', ['old'])
  await loadPreferences('anna')
  usePreferences.setState({ of: null, values: {} })
  stored.set('views.device-list', ['new'])
  await loadPreferences('anna')
  expect(values()).toEqual({ 'views.device-list': ['old'] })
  await expect.poll(values).toEqual({ 'views.device-list': ['new'] })
})

test('a change made while the answer is on its way is not lost', async () => {
  stored.set('views.device-list', ['old'])
  let release: () => void = () => undefined
  holding = new Promise((resolve) => (release = resolve))
  const loading = loadPreferences('anna')
  await expect.poll(() => asked).toEqual(['preferences'])
  remember('views.device-list', ['mine'])
  release()
  await loading
  expect(values()).toEqual({ 'views.device-list': ['mine'] })
  await isSaved()
  expect(stored.get('views.device-list')).toEqual(['mine'])
})

test('a preference that could not be saved is told once, kept, and saved at the next start', async () => {
  await loadPreferences('anna')
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no network')))
  remember('views.device-list', ['mine'])
  await expect.poll(() => useNotices.getState().notices.length).toBe(1)
  useNotices.setState({ notices: [] })
  remember('columns.device-list', { order: [], hidden: [] })
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  expect(useNotices.getState().notices).toEqual([])
  expect(usePreferences.getState().unsaved).toEqual(['views.device-list', 'columns.device-list'])

  vi.stubGlobal('fetch', (path: string, init: RequestInit) => real(base() + path, init))
  usePreferences.setState({ of: null, values: {}, unsaved: [] })
  await loadPreferences('anna')
  await isSaved()
  expect([...stored.keys()].sort()).toEqual(['columns.device-list', 'views.device-list'])
})

test('a preference that is refused is not tried for ever; another person starts with their own', async () => {
  await loadPreferences('anna')
  result = 40000
  remember('views.device-list', ['too much'])
  await isSaved()
  expect(asked).toEqual(['preferences', 'save_preference'])
  result = 1
  signInAs('binh')
  await loadPreferences('binh')
  expect(values()).toEqual({})
})
