// @vitest-environment jsdom
import { QueryObserver } from '@tanstack/react-query'
import { cleanup, renderHook } from '@testing-library/react'
import { liveHeartbeat } from '@mdm/contract'
import type { LiveEvent, Paged, PushTaskTerminal, TerminalRow } from '@mdm/contract'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { api, keyOf } from './api.ts'
import { applyEvent, useLiveState, useLiveStream } from './live.ts'
import { queryClient } from './queries.ts'
import { useSessionStore } from './session-store.ts'

const page = <T>(items: T[]) => ({ items, total: items.length }) as Paged<T>
const state = {
  type: 'terminal_state',
  is_online: true,
  is_asleep: false,
  last_online_at: null,
  battery_level: 7,
  network_type: 'wifi',
  signal: -50,
} as const
beforeAll(() => void vi.useFakeTimers())
afterEach(async () => {
  // What an event has refetched soon is due within a second.
  await vi.advanceTimersByTimeAsync(1_000)
  queryClient.clear()
})
afterAll(() => void vi.useRealTimers())

test('a state patches the row in place, in every list that shows it, and leaves the others alone', () => {
  const key = keyOf(api.terminal.paging, { page: 1 })
  const other = keyOf(api.terminal.paging, { page: 2 })
  const rows = [
    { kid: 'a', sn: 'A', is_online: false },
    { kid: 'b', sn: 'B', is_online: false },
  ] as TerminalRow[]
  const untouched = page([{ kid: 'c', is_online: false } as TerminalRow])
  queryClient.setQueryData(key, page(rows))
  queryClient.setQueryData(other, untouched)
  applyEvent({ ...state, kid: 'b' })
  const after = queryClient.getQueryData<Paged<TerminalRow>>(key)
  expect(after?.items.map(({ sn, is_online, battery_level }) => [sn, is_online, battery_level])).toEqual([
    ['A', false, undefined],
    ['B', true, 7],
  ])
  expect(after?.items[1]).not.toHaveProperty('type')
  expect(after?.items[0]).toBe(rows[0])
  expect(queryClient.getQueryData(other)).toBe(untouched)
})

test('a state has those online counted anew, but not the models; another device both', async () => {
  const [plain, counted] = [keyOf(api.terminal.facets, {}), keyOf(api.terminal.facets, { with_shares: true })]
  const areOld = () => [plain, counted].map((key) => queryClient.getQueryState(key)?.isInvalidated)
  for (const key of [plain, counted]) queryClient.setQueryData(key, {})
  applyEvent({ ...state, kid: 'b' })
  await vi.advanceTimersByTimeAsync(1_000)
  expect(areOld()).toEqual([true, false])
  applyEvent({ type: 'terminal_registered', kid: 'b', qrcode_kid: null })
  await vi.advanceTimersByTimeAsync(1_000)
  expect(areOld()).toEqual([true, true])
})

test('an answer that is on its way is waited for, however many events come meanwhile, and then asked for once more', async () => {
  let asked = 0
  const answers: ((count: number) => void)[] = []
  const observer = new QueryObserver<number>(queryClient, {
    queryKey: keyOf(api.pushTask.paging, {}),
    queryFn: ({ signal: _ }) => ((asked += 1), new Promise((resolve) => answers.push(resolve))),
  })
  const release = observer.subscribe(() => {})
  answers[0]!(0)
  await vi.advanceTimersByTimeAsync(0)
  for (let second = 1; second <= 10; second += 1) {
    applyEvent({ type: 'push_task', kid: 't' })
    await vi.advanceTimersByTimeAsync(1_000)
  }
  expect(asked).toBe(2)
  answers[1]!(1)
  await vi.advanceTimersByTimeAsync(0)
  expect(observer.getCurrentResult().data).toBe(1)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(asked).toBe(3)
  answers[2]!(2)
  await vi.advanceTimersByTimeAsync(5_000)
  expect(asked).toBe(3)
  release()
})

test('progress of a push moves the row of that device only', () => {
  const key = keyOf(api.pushTask.paging_terminal, { push_task_kid: 't' })
  const row = (terminal_kid: string) =>
    ({ push_task_kid: 't', terminal_kid, state: 'receipt', progress: 0 }) as PushTaskTerminal
  queryClient.setQueryData(key, page([row('a'), row('b')]))
  applyEvent({
    type: 'push_task_terminal',
    push_task_kid: 't',
    terminal_kid: 'a',
    state: 'downloading',
    progress: 40,
    attempt: 1,
  })
  const after = queryClient.getQueryData<Paged<PushTaskTerminal>>(key)
  expect(after?.items.map(({ state, progress }) => [state, progress])).toEqual([
    ['downloading', 40],
    ['receipt', 0],
  ])
})

test('after lost events everything is old; an event of a newer server is passed over', () => {
  const key = keyOf(api.terminal.facets, {})
  queryClient.setQueryData(key, {})
  applyEvent({ type: 'from_the_future' } as never)
  expect(queryClient.getQueryState(key)?.isInvalidated).toBe(false)
  applyEvent({ type: 'lagged' })
  expect(queryClient.getQueryState(key)?.isInvalidated).toBe(true)
})

describe('the stream', () => {
  /** The browser's end of a stream; the test is the server. */
  class Source extends EventTarget {
    onmessage?: (event: MessageEvent<string>) => void
    onerror?: () => void
    is_closed = false
    opened_at = Date.now()
    closed_at = 0
    constructor() {
      super()
      sources.push(this)
    }
    close() {
      if (!this.is_closed) this.closed_at = Date.now()
      this.is_closed = true
    }
    beat() {
      if (!this.is_closed) this.dispatchEvent(new MessageEvent(liveHeartbeat.event, { data: '' }))
    }
    say(event: LiveEvent) {
      if (!this.is_closed) this.onmessage?.(new MessageEvent('message', { data: JSON.stringify(event) }))
    }
  }
  let sources: Source[]
  const last = () => sources.at(-1)!
  const { every_ms } = liveHeartbeat
  const key = () => keyOf(api.terminal.facets, {})
  const live = () => useLiveState.getState().state
  const isOld = () => queryClient.getQueryState(key())?.isInvalidated
  const pass = (ms: number) => vi.advanceTimersByTime(ms)
  const sleep = (ms: number) => vi.setSystemTime(Date.now() + ms)
  const hour = 3_600_000

  beforeEach(() => {
    sources = []
    vi.stubGlobal('EventSource', Source)
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no server here')))
    useSessionStore.setState({ token: 't', account_kid: 'a' })
    queryClient.setQueryData(key(), {})
  })
  afterEach(() => {
    cleanup()
    expect(live()).toBe('off')
    expect(sources.every((source) => source.is_closed)).toBe(true)
    useSessionStore.setState({ token: null, account_kid: null })
    vi.unstubAllGlobals()
  })

  test('is live once the server was heard, and stays so as long as it is', () => {
    renderHook(useLiveStream)
    expect(live()).toBe('connecting')
    last().beat()
    for (let i = 0; i < 10; i += 1) {
      pass(every_ms)
      if (i % 2) last().beat()
      else last().say({ type: 'terminal_info', kid: 'x' })
      expect(live()).toBe('live')
    }
    pass(2.4 * every_ms)
    expect([live(), sources.length]).toEqual(['live', 1])
  })

  test.each([
    ['session', { token: null, account_kid: null }],
    ['account', { account_kid: 'b' }],
  ])('is closed before anything else is done about a %s that ended', (_, to) => {
    renderHook(useLiveStream)
    last().beat()
    // Without a moment for React.
    useSessionStore.setState(to)
    expect([live(), last().is_closed]).toEqual(['off', true])
    pass(hour)
    expect(sources.length).toBe(1)
  })

  test('makes everything old when it opens: what changed since it was read was not heard', () => {
    renderHook(useLiveStream)
    expect(isOld()).toBe(false)
    last().beat()
    expect(isOld()).toBe(true)
    queryClient.setQueryData(key(), {})
    pass(every_ms)
    last().beat()
    expect(isOld()).toBe(false)
  })

  test('reads later what was read while it opened for the first time, and everything at once when it opens again', async () => {
    let reads = 0
    const queryFn = () => Promise.resolve((reads += 1))
    queryClient.removeQueries({ queryKey: key() })
    const observer = new QueryObserver(queryClient, { queryKey: key(), queryFn, staleTime: Infinity })
    const stop = observer.subscribe(() => undefined)
    await vi.waitFor(() => expect(queryClient.getQueryState(key())?.status).toBe('success'))
    renderHook(useLiveStream)
    pass(1_500)
    last().beat()
    expect([reads, isOld()]).toEqual([1, true])
    // What changed between the read and the opening was told to nobody.
    pass(5_000)
    await vi.waitFor(() => expect(reads).toBe(2))
    await vi.waitFor(() => expect(queryClient.getQueryState(key())?.fetchStatus).toBe('idle'))
    // What was read long before it opened is read again at once.
    cleanup()
    pass(2_500)
    renderHook(useLiveStream)
    last().beat()
    await vi.waitFor(() => expect(reads).toBe(3))
    // And so may everything while there was none.
    last().onerror?.()
    pass(2_000)
    await queryClient.refetchQueries({ queryKey: key() })
    expect(reads).toBe(4)
    last().beat()
    await vi.waitFor(() => expect(reads).toBe(5))
    stop()
  })

  test('that falls silent counts as interrupted, is opened anew, and then everything is old', () => {
    renderHook(useLiveStream)
    const first = last()
    first.beat()
    queryClient.setQueryData(key(), {})
    pass(2.5 * every_ms)
    expect(live()).toBe('live')
    pass(2_500)
    expect([live(), first.is_closed]).toEqual(['interrupted', true])
    pass(2_000)
    expect(sources.length).toBe(2)
    expect([live(), isOld()]).toEqual(['interrupted', false])
    last().beat()
    expect([live(), isOld()]).toEqual(['live', true])
  })

  test('is opened anew within seconds after sleep, though timers stood still', () => {
    renderHook(useLiveStream)
    last().beat()
    sleep(hour)
    pass(2_500)
    expect([live(), sources[0]?.is_closed]).toEqual(['interrupted', true])
    pass(2_000)
    last().beat()
    expect([live(), isOld(), sources.length]).toEqual(['live', true, 2])
  })

  test.each([hour, -hour])('what is read after the clock moved by %i ms proves nothing', (ms) => {
    renderHook(useLiveStream)
    last().beat()
    sleep(ms)
    last().beat()
    expect([live(), sources[0]?.is_closed]).toEqual(['interrupted', true])
    pass(2_000)
    last().beat()
    expect([live(), isOld()]).toEqual(['live', true])
  })

  test('a tab that is shown again looks at once', () => {
    renderHook(useLiveStream)
    last().beat()
    sleep(every_ms)
    document.dispatchEvent(new Event('visibilitychange'))
    expect(live()).toBe('live')
    sleep(2 * every_ms)
    document.dispatchEvent(new Event('visibilitychange'))
    expect(live()).toBe('interrupted')
  })

  test('that opens and never says anything is tried less and less often', () => {
    renderHook(useLiveStream)
    pass(hour)
    const waits = sources.slice(1).map((source, at) => source.opened_at - sources[at]!.closed_at)
    expect(live()).toBe('interrupted')
    expect(waits[0]).toBeLessThanOrEqual(1_250)
    expect(waits[3]).toBeGreaterThan(waits[0]!)
    for (const wait of waits.slice(6)) expect(wait).toBeGreaterThanOrEqual(22_500)
    for (const wait of waits) expect(wait).toBeLessThanOrEqual(37_500)
    // Unused answers do not stay for an hour.
    queryClient.setQueryData(key(), {})
    if (last().is_closed) pass(37_500)
    last().beat()
    expect([live(), isOld()]).toEqual(['live', true])
  })

  test('the browser says that the network is gone and is back', () => {
    renderHook(useLiveStream)
    last().beat()
    dispatchEvent(new Event('offline'))
    expect([live(), sources[0]?.is_closed]).toEqual(['interrupted', true])
    dispatchEvent(new Event('online'))
    expect(sources.length).toBe(2)
    last().beat()
    expect([live(), isOld()]).toEqual(['live', true])
    // The wait that was cut short is over with it.
    pass(every_ms)
    expect(sources.length).toBe(2)
  })
})
