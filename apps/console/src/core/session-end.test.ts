import { createServer } from 'node:http'
import type { Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { QueryObserver } from '@tanstack/react-query'
import type { Session } from '@mdm/contract'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { api, keyOf, send } from './api.ts'
import { CallFailed } from './call-failed.ts'
import { registerNavigate } from './navigation.ts'
import { useNotices } from './notices.ts'
import { queryClient } from './queries.ts'
import { sessionState, useSessionStore } from './session-store.ts'
import { enterCustomer, leaveCustomer, signOut } from './session.tsx'
import { ensureStarted, useMenu } from './start.ts'

/** A server whose answers come when the test says so. */
type Asked = { path: string; account_kid: string | null; token: string | undefined; is_cut: boolean; reply: Reply }
type Reply = (data: unknown, result?: number) => void
let server: Server
let asked: Asked[]
/** What is answered at once. */
let answers: Record<string, unknown>
const real = globalThis.fetch
const replyTo =
  (response: ServerResponse): Reply =>
  (data, result = 1) => {
    response.writeHead(result === 1 ? 200 : result, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ result, message: result === 1 ? '' : 'refused', data }))
  }

beforeAll(async () => {
  server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x')
    const path = pathname.replace('/api/', '')
    const token = request.headers.authorization?.replace('Bearer ', '')
    const one = { path, account_kid: searchParams.get('account_kid'), token, is_cut: false, reply: replyTo(response) }
    asked.push(one)
    response.on('close', () => (one.is_cut = !response.writableFinished))
    request.resume().on('end', () => path in answers && one.reply(answers[path]))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const session = { user_kid: 'olga', own_account_kid: 'own', account_kid: 'own', roles: [{}], permissions: ['*'] }
const of = (account_kid: string) => ({ ...session, account_kid }) as unknown as Session
let went: string[]
beforeEach(() => {
  asked = []
  answers = {}
  went = []
  const { port } = server.address() as AddressInfo
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => real(`http://127.0.0.1:${port}${path}`, init))
  vi.stubGlobal('location', { pathname: '/device-list', search: '', hash: '' })
  registerNavigate((to) => void went.push(to))
  useNotices.setState({ notices: [] })
  useSessionStore.setState({ token: 'secret', session: of('own'), account_kid: 'own', language: 'en' })
})
afterEach(() => {
  queryClient.clear()
  vi.unstubAllGlobals()
})

const resultOf = (promise: Promise<unknown>) => promise.catch((error: unknown) => error)
const isSilent = (error: unknown) => error instanceof CallFailed && error.is_silent
const arrived = (path: string) =>
  vi.waitFor(() => {
    const found = asked.findLast((one) => one.path === path)
    if (!found) throw new Error(`${path} was not asked yet`)
    return found
  })
const paths = () => asked.map(({ path }) => path)
const texts = () => useNotices.getState().notices.map(({ text }) => text)

test('signing out cuts off what is under way, and is itself the last that is asked with the token', async () => {
  const [read, write] = [
    resultOf(send(api.terminal.facets, {})),
    resultOf(send(api.terminalGroup.insert, { name: 'x', parent_kid: 'ROOT' })),
  ]
  const under_way = [await arrived('terminal/facets'), await arrived('terminal_group/insert')]
  const left = signOut()
  // Whatever a page that is still there would like to know.
  expect(isSilent(await resultOf(send(api.terminal.facets, {})))).toBe(true)
  expect([isSilent(await read), isSilent(await write)]).toEqual([true, true])
  const end = await arrived('login/logout')
  await vi.waitFor(() => expect(under_way.map(({ is_cut }) => is_cut)).toEqual([true, true]))
  expect([end.token, end.account_kid]).toEqual(['secret', 'own'])
  // The person waits for nothing.
  expect([went, sessionState().token]).toEqual([['/login?redirect=%2Fdevice-list'], null])
  end.reply({})
  await left
  expect(paths()).toEqual(['terminal/facets', 'terminal_group/insert', 'login/logout'])
  expect(texts()).toEqual([])
})

test('a list that polls asks nothing more once the person signs out', async () => {
  const queryFn = ({ signal }: { signal: AbortSignal }) => send(api.terminal.facets, {}, signal)
  const observer = new QueryObserver(queryClient, { queryKey: keyOf(api.terminal.facets, {}), queryFn })
  const stop = observer.subscribe(() => undefined)
  const polled = await arrived('terminal/facets')
  const left = signOut()
  await observer.refetch()
  const end = await arrived('login/logout')
  await vi.waitFor(() => expect(polled.is_cut).toBe(true))
  end.reply({}, 401)
  await left
  stop()
  expect(paths()).toEqual(['terminal/facets', 'login/logout'])
  expect(texts()).toEqual([])
})

test('a session that the server ended cuts off the rest, so that one refusal comes and not all of them', async () => {
  const [first, second] = [resultOf(send(api.terminal.facets, {})), resultOf(send(api.terminalGroup.list, {}))]
  const refused = await arrived('terminal/facets')
  const rest = await arrived('terminal_group/list')
  refused.reply(null, 401)
  expect([isSilent(await first), isSilent(await second)]).toEqual([true, true])
  await vi.waitFor(() => expect(rest.is_cut).toBe(true))
  expect(isSilent(await resultOf(send(api.terminal.facets, {})))).toBe(true)
  expect([paths(), texts()]).toEqual([['terminal/facets', 'terminal_group/list'], ['refused']])
})

test('a visitor’s question goes on while somebody signs in', async () => {
  useSessionStore.setState({ token: null, session: null, account_kid: null })
  const options = resultOf(send(api.login.options, {}))
  const question = await arrived('login/options')
  useSessionStore.setState({ token: 'new', session: of('own'), account_kid: 'own' })
  question.reply({ oidc: null })
  expect(await options).toEqual({ oidc: null })
})

test.each([
  ['entering a customer', () => enterCustomer('customer', '/home/index'), 'own', 'customer'],
  ['returning from a customer', () => leaveCustomer(), 'customer', 'own'],
])('%s cuts off the reads of the account before, and no write', async (_, go, from, to) => {
  useSessionStore.setState({ session: of(from), account_kid: from })
  answers = { 'ops/account/enter': {}, 'ops/account/leave': {} }
  const write = resultOf(send(api.terminalGroup.insert, { name: 'x', parent_kid: 'ROOT' }))
  const written = await arrived('terminal_group/insert')
  const moved = go()
  const asked_session = await arrived('login/session')
  // A poll of the page that is still there, begun after the others were cancelled.
  const read = resultOf(send(api.terminal.facets, {}))
  const poll = await arrived('terminal/facets')
  asked_session.reply(of(to))
  await moved
  expect(isSilent(await read)).toBe(true)
  await vi.waitFor(() => expect(poll.is_cut).toBe(true))
  written.reply({ kid: 'new' })
  expect(await write).toEqual({ kid: 'new' })
  expect([sessionState().account_kid, texts()]).toEqual([to, []])
})

test('who may do nothing is signed out, and the server hears of it', async () => {
  useSessionStore.setState({ session: null })
  answers = { 'login/session': { ...of('own'), permissions: [] }, 'login/logout': {} }
  expect(await ensureStarted()).toBeNull()
  const end = await arrived('login/logout')
  await vi.waitFor(() => expect(end.token).toBe('secret'))
  expect(end.is_cut).toBe(false)
  expect(sessionState().token).toBeNull()
})

test('a start that another account overtakes begins again for it, and signs nobody out', async () => {
  answers = { 'account/preferences': [], 'get/current_config': {} }
  const starting = ensureStarted()
  const menu = await arrived('menu_tree/list')
  useSessionStore.setState({ session: of('customer'), account_kid: 'customer' })
  await vi.waitFor(() => expect(menu.is_cut).toBe(true))
  await vi.waitFor(() => expect(paths().filter((path) => path === 'menu_tree/list')).toHaveLength(2))
  const again = await arrived('menu_tree/list')
  expect(again.account_kid).toBe('customer')
  again.reply([])
  expect((await starting)?.account_kid).toBe('customer')
  expect([sessionState().token, useMenu.getState().of, texts()]).toEqual(['secret', 'secret customer', []])
})
