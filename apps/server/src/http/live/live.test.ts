import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { liveHeartbeat } from '@mdm/contract'
import type { LiveEvent } from '@mdm/contract'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { newKid } from '../../lib/ids.ts'
import { forgetSessions } from '../session-cache.ts'
import { testHttpServer } from '../../testing/http-server.ts'
import type { TestHttpServer } from '../../testing/http-server.ts'

let w: TestHttpServer
beforeAll(async () => void (w = await testHttpServer()))
afterEach(() => expect(w.internal_errors).toEqual([]))
afterAll(() => w.close())

type Person = Awaited<ReturnType<TestHttpServer['person']>>
const state = (kid: string): LiveEvent => ({
  type: 'terminal_state',
  is_asleep: false,
  kid,
  is_online: true,
  last_online_at: null,
  battery_level: 50,
  network_type: 'wifi',
  signal: -60,
})

/** Held on to: fetch ends a stream whose response is garbage. */
const responses: Response[] = []

/** An open stream, as a browser has it: the token in the query. */
async function listen(by: Person, query = '') {
  const response = await fetch(`${w.url}/events?AccessToken=${by.token}${query}`)
  responses.push(response)
  const heard: LiveEvent[] = []
  const text = { all: '' }
  const is_open = { value: response.status === 200 }
  const done = (async () => {
    if (!is_open.value) return void (await response.body?.cancel())
    let rest = ''
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text.all += chunk
      const frames = (rest + chunk).split('\n\n')
      rest = frames.pop()!
      for (const frame of frames) if (frame.startsWith('data: ')) heard.push(JSON.parse(frame.slice(6)) as LiveEvent)
    }
    is_open.value = false
  })().catch(() => void (is_open.value = false))
  if (is_open.value) await until(() => text.all.includes(beat))
  return { account_kid: by.account_kid, status: response.status, heard, text, is_open, done }
}
/** Vitest's own waits move fake clocks on. */
async function until(is: () => boolean): Promise<void> {
  const end = performance.now() + 60_000
  while (!is()) {
    if (performance.now() > end) throw new Error('waited in vain')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
/** As EventSource takes it for an event of that name: one without a `data` line would not be one. */
const beat = 'event: heartbeat\ndata:\n\n'
const marker = (): LiveEvent => ({ type: 'push_task', kid: newKid() })

test('each hears of its own account what its permissions allow, and nothing else', async () => {
  const watcher = await w.person(['deviceList', 'deviceDetailTask'])
  const clerk = await w.person(['fileCloudList'], { account_kid: watcher.account_kid })
  const stranger = await w.person(['*'])
  const [watched, filed, foreign] = [await listen(watcher), await listen(clerk), await listen(stranger)]
  const kid = newKid()
  const end = marker()
  w.deps.live.publish(watcher.account_kid, state(kid))
  w.deps.live.publish(watcher.account_kid, { type: 'file_changed' })
  w.deps.live.publish(null, { type: 'operation_log' })
  w.deps.live.publish(watcher.account_kid, end)
  await until(() => watched.heard.length === 2 && filed.heard.length === 1)
  expect(watched.heard).toEqual([state(kid), end])
  expect(filed.heard).toEqual([{ type: 'file_changed' }])
  const own = marker()
  w.deps.live.publish(stranger.account_kid, own)
  await until(() => foreign.heard.length > 0)
  expect(foreign.heard).toEqual([own])
})

test('a user limited to groups hears only of devices in them, wherever they are moved', async () => {
  const { account_kid } = await w.person([])
  const [inside, outside] = [newKid(), newKid()]
  for (const kid of [inside, outside])
    await w.deps.db
      .insertInto('terminal_group')
      .values({ kid, account_kid, name: kid, depth: 1, parent_kid: null })
      .execute()
  const limited = await w.person(['*'], { account_kid, groups: [inside] })
  const [mine, other] = [await w.device(account_kid, inside), await w.device(account_kid, outside)]
  const stream = await listen(limited)
  for (const kid of [mine.kid, other.kid]) {
    w.deps.live.publish(account_kid, state(kid))
    w.deps.live.publish(account_kid, { type: 'terminal_event', kid })
    w.deps.live.publish(account_kid, {
      type: 'push_task_terminal',
      push_task_kid: newKid(),
      terminal_kid: kid,
      state: 'receipt',
      progress: 0,
      attempt: 1,
    })
  }
  w.deps.live.publish(account_kid, { type: 'push_task', kid: newKid() })
  await until(() => stream.heard.length >= 3)
  await w.deps.db.updateTable('terminal').set({ terminal_group_kid: outside }).where('kid', '=', mine.kid).execute()
  await w.deps.db.updateTable('terminal').set({ terminal_group_kid: inside }).where('kid', '=', other.kid).execute()
  w.deps.live.publish(account_kid, { type: 'terminal_info', kid: mine.kid })
  w.deps.live.publish(account_kid, { type: 'terminal_info', kid: other.kid })
  w.deps.live.publish(account_kid, { type: 'file_changed' })
  await until(() => stream.heard.length >= 5)
  const said = stream.heard.map((e) => [e.type, 'terminal_kid' in e ? e.terminal_kid : 'kid' in e ? e.kid : ''])
  expect(said.toSorted()).toEqual(
    [
      ['file_changed', ''],
      ['push_task_terminal', mine.kid],
      ['terminal_event', mine.kid],
      ['terminal_info', other.kid],
      ['terminal_state', mine.kid],
    ].toSorted(),
  )
})

test('a user limited to groups hears of no sheet or export but their own, and of settings that reach their devices', async () => {
  const { account_kid } = await w.person([])
  const inside = newKid()
  await w.deps.db
    .insertInto('terminal_group')
    .values({ kid: inside, account_kid, name: inside, depth: 1, parent_kid: null })
    .execute()
  const limited = await w.person(['*'], { account_kid, groups: [inside] })
  const other = await w.person(['*'], { account_kid })
  const [limitedHears, otherHears] = [await listen(limited), await listen(other)]
  const now = w.deps.clock.now()
  const jobs: string[] = []
  for (const { user_kid } of [limited, other]) {
    const by = { account_kid, created_by_kid: user_kid, created_by: user_kid, created_at: now }
    const [exported, sheet] = [newKid(), newKid()]
    await w.deps.db
      .insertInto('terminal_export')
      .values({ kid: exported, request: '{}', language: 'en', group_kids: null, expires_at: now, state: 'done', ...by })
      .execute()
    await w.deps.db
      .insertInto('batch_job')
      .values({
        kid: newKid(),
        owner_kid: account_kid,
        kind: 'terminal_registered',
        policy_kid: null,
        schedule_version: sheet,
        terminal_group_kid: null,
        total: 1,
        state: 'done',
        touched_at: now,
        ...by,
      })
      .execute()
    const counts = { state: 'done', total: 1, done: 1 } as const
    w.deps.live.publish(account_kid, { type: 'terminal_export', schedule_version: exported, ...counts })
    w.deps.live.publish(account_kid, { type: 'batch_job', schedule_version: sheet, ...counts, ok: 1, failed: 0 })
    jobs.push(exported, sheet)
  }
  for (const kid of [inside, account_kid, newKid()]) w.deps.live.publish(account_kid, { type: 'terminal_config', kid })
  const said = ({ heard }: { heard: LiveEvent[] }) =>
    heard.map((e) => ('schedule_version' in e ? e.schedule_version : 'kid' in e ? e.kid : e.type)).toSorted()
  await until(() => otherHears.heard.length === 7 && limitedHears.heard.length >= 4)
  expect(said(limitedHears)).toEqual([...jobs.slice(0, 2), inside, account_kid].toSorted())
})

test('a stream ends when its user is limited to groups, or is so no more; the next one hears what they may', async () => {
  const user = await w.person(['*'])
  const { account_kid, user_kid } = user
  const inside = newKid()
  await w.deps.db
    .insertInto('terminal_group')
    .values({ kid: inside, account_kid, name: inside, depth: 1, parent_kid: null })
    .execute()
  const outside = await w.device(account_kid)
  const whole = await listen(user)
  await w.deps.db
    .insertInto('terminal_group_user_manged')
    .values({ account_kid, user_kid, terminal_group_kid: inside })
    .execute()
  await whole.done
  forgetSessions(w.deps)
  const limited = await listen(user)
  const end = { type: 'file_changed' } as const
  w.deps.live.publish(account_kid, state(outside.kid))
  await new Promise((resolve) => setTimeout(resolve, 600))
  w.deps.live.publish(account_kid, end)
  await until(() => limited.heard.length > 0)
  expect(limited.heard).toEqual([end])
  await w.deps.db.deleteFrom('terminal_group_user_manged').where('user_kid', '=', user_kid).execute()
  await limited.done
})

test('a limited user in a storm is told to refetch', async () => {
  const { account_kid } = await w.person([])
  const inside = newKid()
  await w.deps.db
    .insertInto('terminal_group')
    .values({ kid: inside, account_kid, name: 'in', depth: 1, parent_kid: null })
    .execute()
  const stream = await listen(await w.person(['*'], { account_kid, groups: [inside] }))
  for (let i = 0; i < 600; i += 1) w.deps.live.publish(account_kid, state(newKid()))
  await until(() => stream.heard.length > 0)
  expect(stream.heard).toEqual([{ type: 'lagged' }])
})

test('a stream says by an event of its own that it is alive: at once, and every interval from then on', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    await w.restart()
    const stream = await listen(await w.person([]))
    const beats = () => stream.text.all.split(beat).length - 1
    expect(beats()).toBe(1)
    vi.advanceTimersByTime(liveHeartbeat.every_ms - 1)
    const end: LiveEvent = { type: 'lagged' }
    w.deps.live.publish(stream.account_kid, end)
    await until(() => stream.heard.length > 0)
    expect(beats()).toBe(1)
    vi.advanceTimersByTime(1)
    await until(() => beats() === 2)
    vi.advanceTimersByTime(2 * liveHeartbeat.every_ms)
    await until(() => beats() === 4)
    // No comments and no ids: nothing is hidden from the browser, and nothing could be asked for again.
    const lines = new Set(stream.text.all.split('\n').map((line) => line.replace(/:.*/s, '')))
    expect([...lines].toSorted()).toEqual(['', 'data', 'event', 'retry'])
    expect(stream.heard).toEqual([end])
  } finally {
    vi.useRealTimers()
    await w.restart()
  }
})

test('a stream needs a session and an account that it may act for', async () => {
  const by = await w.person(['*'])
  const other = await w.person(['*'])
  expect((await fetch(`${w.url}/events`)).status).toBe(401)
  expect((await fetch(`${w.url}/events?AccessToken=${'0'.repeat(64)}`)).status).toBe(401)
  expect((await listen(by, `&account_kid=${other.account_kid}`)).status).toBe(403)
  expect((await listen(by, `&account_kid=${by.account_kid}`)).status).toBe(200)
})

test('a stream ends soon after its session does', async () => {
  const by = await w.person(['*'])
  const stays = await listen(await w.person(['*'], { account_kid: by.account_kid }))
  const stream = await listen(by)
  await w.deps.db.deleteFrom('session').where('user_kid', '=', by.user_kid).execute()
  const began = performance.now()
  await stream.done
  // A second is the promise; the rest is for a machine that is busy with other tests.
  expect(performance.now() - began).toBeLessThan(15_000)
  expect(stays.is_open.value).toBe(true)
  await w.deps.db.updateTable('account').set({ status: 'invalid' }).where('kid', '=', by.account_kid).execute()
  await stays.done
})

test('a browser that reads too slowly costs bounded memory and learns that it lagged', async () => {
  const by = await w.person(['*'])
  const quick = await listen(by)
  const slow = await stalled(by)
  const before = w.hub.size
  const large: LiveEvent = { type: 'push_task', kid: 'x'.repeat(20_000) }
  for (let i = 0; i < 2_000; i += 1) {
    w.deps.live.publish(by.account_kid, large)
    if (i % 50 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  expect(w.hub.size).toBe(before)
  let text = ''
  slow.on('data', (chunk: string) => (text = (text + chunk).slice(-100_000)))
  slow.resume()
  await until(() => text.includes('"lagged"'))
  const end = marker()
  w.deps.live.publish(by.account_kid, end)
  await until(
    () => text.includes((end as { kid: string }).kid) && quick.heard.some((e) => e.type === 'lagged' || 'kid' in e),
  )
  slow.destroy()
  await until(() => w.hub.size < before)
})

test('one session cannot open streams without end', async () => {
  const by = await w.person(['*'])
  const streams = []
  for (let i = 0; i < 21; i += 1) streams.push(await listen(by))
  expect(streams.map((s) => s.status)).toEqual([...Array(20).fill(200), 429])
})

/** A stream whose reader has stopped reading. */
async function stalled(by: Person): Promise<Socket> {
  const socket = connect(Number(new URL(w.url).port), '127.0.0.1').setEncoding('utf8')
  socket.write(`GET /events?AccessToken=${by.token} HTTP/1.1\r\nhost: x\r\n\r\n`)
  await new Promise<void>((resolve) => {
    let text = ''
    socket.on('data', function hear(chunk: string) {
      text += chunk
      if (!text.includes(beat)) return
      socket.off('data', hear)
      socket.pause()
      resolve()
    })
  })
  return socket
}
