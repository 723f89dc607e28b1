import { createServer } from 'node:http'
import type { IncomingMessage, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { errors } from '@mdm/contract'
import type { Session } from '@mdm/contract'
import { api, invalidate, keyOf, send, sendForFile } from './api.ts'
import { CallFailed, localResults } from './call-failed.ts'
import { registerNavigate } from './navigation.ts'
import { useNotices } from './notices.ts'
import { usePasswordAgain } from './password-again.ts'
import { queryClient } from './queries.ts'
import { sessionState, useSessionStore } from './session-store.ts'

// A browser resolves the client's paths against its page; here they are resolved against a real server.
type Seen = { method?: string; url: URL; headers: IncomingMessage['headers']; body: string }
let server: Server
let seen: Seen[]
let answer: { status: number; body: string; is_cut?: boolean }
/** While there is one it answers instead. */
let answering: ((call: Seen) => typeof answer) | undefined
const real = globalThis.fetch
let base = ''

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += chunk))
    request.on('end', () => {
      const call = { method: request.method, url: new URL(request.url ?? '', base), headers: request.headers, body }
      seen.push(call)
      if (answering) answer = answering(call)
      const length = Buffer.byteLength(answer.body)
      response.writeHead(answer.status, { 'content-type': 'application/json', 'content-length': length })
      if (answer.is_cut) response.write(answer.body.slice(0, 4), () => response.destroy())
      else response.end(answer.body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

const went: string[] = []
beforeEach(() => {
  seen = []
  answering = undefined
  went.length = 0
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => real(base + path, init))
  vi.stubGlobal('location', { pathname: '/device-list', search: '?page=2', hash: '' })
  registerNavigate((to) => void went.push(to))
  useNotices.setState({ notices: [] })
  useSessionStore.setState({ token: 'secret', session: null, account_kid: 'acc', language: 'vi' })
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const reply = (result: number, data: unknown, message = '', status = 200) =>
  (answer = { status, body: JSON.stringify({ result, message, data }) })
const failed = async (promise: Promise<unknown>) => {
  const error = await promise.then(() => undefined).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(CallFailed)
  return error as CallFailed
}

test('a GET carries its input in the query, the token in a header and never in the address', async () => {
  reply(1, { kid: 'k' })
  expect(await send(api.terminal.get, { kid: 'k' })).toEqual({ kid: 'k' })
  const { url, method, headers } = seen[0] as Seen
  expect([method, url.pathname]).toEqual(['GET', '/api/terminal/get'])
  expect(Object.fromEntries(url.searchParams)).toEqual({ lang: 'vi', account_kid: 'acc', kid: 'k' })
  expect(headers.authorization).toBe('Bearer secret')
  expect(Number(headers.timestamp)).toBeGreaterThan(1.7e12)
})

test('a POST carries its input as JSON; without a session only the language', async () => {
  useSessionStore.setState({ token: null, account_kid: null })
  reply(1, {})
  await send(api.login.exchange, { exchange_token: 'AB001' })
  const { url, body, headers } = seen[0] as Seen
  expect(Object.fromEntries(url.searchParams)).toEqual({ lang: 'vi' })
  expect(JSON.parse(body)).toEqual({ exchange_token: 'AB001' })
  expect(headers.authorization).toBeUndefined()
})

test('another result is thrown with its message and fields; a pattern becomes the illegal-character message', async () => {
  reply(43002, null, 'exists', 422)
  expect(await failed(send(api.terminal.facets, {}))).toMatchObject({ result: 43002, message: 'exists', fields: {} })
  reply(10000, { fields: { code: 'x must match regular expression ^a$', name: 'too long' } }, 'not valid', 400)
  const error = await failed(send(api.terminal.facets, {}))
  expect(error.message).toBe('not valid')
  expect(error.fields.name).toBe('too long')
  expect(error.fields.code).not.toContain('regular expression')
})

test('of several 401 one is told, all are silent, and the person is sent to sign in', async () => {
  reply(401, null, 'Your session has ended.', 401)
  const errors = await Promise.all([1, 2, 3].map(() => failed(send(api.terminal.facets, {}))))
  expect(errors.every((error) => error.is_silent)).toBe(true)
  expect(useNotices.getState().notices.map(({ text }) => text)).toEqual(['Your session has ended.'])
  expect(went).toEqual(['/login?redirect=%2Fdevice-list%3Fpage%3D2'])
  expect(sessionState().token).toBeNull()
})

test('a customer that ended while somebody acted for it is left: told once, and the person is led home', async () => {
  useSessionStore.setState({ session: { own_account_kid: 'own' } as Session })
  reply(41003, null, 'expired', 422)
  const errors = await Promise.all([1, 2, 3].map(() => failed(send(api.terminal.facets, {}))))
  expect(errors.every((error) => error.is_silent)).toBe(true)
  expect(useNotices.getState().notices.map(({ text }) => text)).toEqual(['expired'])
  expect(went).toEqual(['/home'])
  expect(sessionState()).toMatchObject({ token: 'secret', session: null, account_kid: null })
})

test('that another customer cannot be entered is said where it was tried', async () => {
  useSessionStore.setState({ session: { own_account_kid: 'acc' } as Session })
  reply(41003, null, 'expired', 422)
  expect(await failed(send(api.opsAccount.enter, { kid: 'k' }))).toMatchObject({ result: 41003, is_silent: false })
  expect(went).toEqual([])
})

test('no server, and a page that is not ours, are named as such', async () => {
  answer = { status: 502, body: '<html>bad gateway' }
  expect((await failed(send(api.terminal.facets, {}))).is_offline).toBe(true)
  answer = { status: 200, body: '<html>captive portal' }
  expect((await failed(send(api.terminal.facets, {}))).result).toBe(localResults.not_readable)
  answer = { status: 200, body: '{"result":1,"data":{}}', is_cut: true }
  expect((await failed(send(api.terminal.facets, {}))).result).toBe(localResults.offline)
  vi.stubGlobal('fetch', () => real('http://127.0.0.1:1/'))
  expect((await failed(send(api.terminal.facets, {}))).result).toBe(localResults.offline)
})

test('an answer is cached under everything it depends on, and a group forgets all of its calls', async () => {
  const key = keyOf(api.terminal.paging, { page: 2 })
  expect(key).toEqual(['terminal', 'paging', 'acc', 'vi', { page: 2 }])
  queryClient.setQueryData(key, {})
  queryClient.setQueryData(keyOf(api.terminalGroup.list, {}), {})
  await invalidate('terminal')
  expect(queryClient.getQueryState(key)?.isInvalidated).toBe(true)
  expect(queryClient.getQueryState(keyOf(api.terminalGroup.list, {}))?.isInvalidated).toBe(false)
  queryClient.clear()
})

/** A server that asks for the password until it was confirmed. */
function guarded() {
  let is_confirmed = false
  answering = ({ url }) => {
    if (url.pathname === '/api/login/confirm_password') is_confirmed = true
    return is_confirmed || url.pathname === '/api/login/confirm_password'
      ? reply(1, {})
      : reply(errors.password_required.result, null, 'Please confirm.', errors.password_required.status)
  }
}
const asked = () =>
  vi.waitFor(() => {
    const { open } = usePasswordAgain.getState()
    if (!open) throw new Error('not asked yet')
    return open
  })
const paths = () => seen.map(({ url }) => url.pathname)

test('a call that is refused until the password is typed again asks for it once and is then sent again', async () => {
  guarded()
  const input = { kid: 'k' }
  const both = Promise.all([send(api.account.totp_disable, {}), send(api.apiToken.delete, input)])
  const { action, answer } = await asked()
  expect(['Tắt xác thực hai bước của mình', api.apiToken.delete.title.vi]).toContain(action)
  await vi.waitFor(() => expect(seen.length).toBe(2))
  // A refusal that comes while the question is open joins it.
  await send(api.login.confirm_password, { password: 'x' })
  answer(true)
  expect(await both).toEqual([{}, {}])
  expect(usePasswordAgain.getState().open).toBeNull()
  expect(paths().filter((path) => path === '/api/account/totp_disable').length).toBe(2)
  expect(seen.filter(({ url }) => url.pathname.startsWith('/api/api_token/')).map(({ body }) => body)).toEqual([
    JSON.stringify(input),
    JSON.stringify(input),
  ])
})

test('who would rather not is told where it was begun, without a notice, and nothing is sent again', async () => {
  guarded()
  const sent = failed(send(api.account.totp_disable, {}))
  const { answer } = await asked()
  answer(false)
  expect(await sent).toMatchObject({ result: localResults.not_confirmed, is_cancelled: true, is_silent: false })
  expect(paths()).toEqual(['/api/account/totp_disable'])
  expect(useNotices.getState().notices).toEqual([])
})

test.each([
  ['another person', { token: 'another' }],
  ['nobody', { token: null }],
  ['another account', { account_kid: 'other' }],
])('a question that was open when the browser came to act for %s is over, and nothing is sent again', async (_, to) => {
  guarded()
  const sent = failed(send(api.account.totp_disable, {}))
  await asked()
  useSessionStore.setState(to)
  expect((await sent).is_cancelled).toBe(true)
  expect(usePasswordAgain.getState().open).toBeNull()
  expect(paths()).toEqual(['/api/account/totp_disable'])
})

test('a call that replies with a file answers with it, and is refused as others are', async () => {
  const { batch_result } = api.terminalBatch
  reply(42041, null, 'Only .xlsx', 422)
  expect(await failed(sendForFile(batch_result, { schedule_version: 'a' }))).toMatchObject({ result: 42041 })
  vi.stubGlobal('fetch', async () => new Response('bytes', { headers: { 'content-type': 'text/csv' } }))
  expect(await (await sendForFile(batch_result, { schedule_version: 'a' })).text()).toBe('bytes')
  vi.stubGlobal('fetch', async () => new Response('gone', { status: 502, headers: { 'content-type': 'text/html' } }))
  expect(await failed(sendForFile(batch_result, { schedule_version: 'a' }))).toMatchObject({ is_offline: true })
})
