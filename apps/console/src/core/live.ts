import { liveHeartbeat } from '@mdm/contract'
import type {
  BatchJob,
  DeviceTransfer,
  LiveEvent,
  LiveEventType,
  MapDevice,
  Paged,
  PushTaskTerminal,
  TerminalDetail,
  TerminalExport,
  TerminalRow,
} from '@mdm/contract'
import type { Query } from '@tanstack/react-query'
import { useEffect } from 'react'
import { create } from 'zustand'
import { api, invalidate, keyOf, send } from './api.ts'
import { serverUrl } from './base-url.ts'
import { queryClient } from './queries.ts'
import { sessionState, useSessionStore } from './session-store.ts'

export type LiveState = 'off' | 'connecting' | 'live' | 'interrupted'
export const useLiveState = create<{ state: LiveState }>(() => ({ state: 'off' }))

type Of<T extends LiveEventType> = Extract<LiveEvent, { type: T }>
type Table = { [T in LiveEventType]: (event: Of<T>) => void }

/** Where jobs from sheets are listed: an account's own, those of operators for customers, imports into policies. */
const batchLists = [
  ['terminal_batch', 'list_batch_registered'],
  ['ops/terminal_batch', 'list_batch_registered'],
  ['ops/policy', 'list_import'],
]

/** What each event does to what is on screen: patch the rows that carry it, refetch the rest. */
const handlers: Table = {
  terminal_state: ({ type: _, ...state }) => {
    patchRows<TerminalRow>(['terminal', 'paging'], (row) => row.kid === state.kid, state)
    patchOne<TerminalDetail>(['terminal', 'get'], (row) => row.kid === state.kid, state)
    patchMap(state.kid, { is_online: state.is_online, last_online_at: state.last_online_at })
    scheduleRefetch('terminal', 'facets', refetchOnline)
  },
  terminal_info: () => {
    scheduleRefetch('terminal', 'get')
    scheduleRefetch('terminal_lost')
  },
  terminal_registered: () => {
    scheduleRefetch('terminal')
    scheduleRefetch('terminal_group')
    scheduleRefetch('account', 'check_inventory')
  },
  terminal_list_changed: () => {
    scheduleRefetch('terminal')
    scheduleRefetch('terminal_location')
    scheduleRefetch('custom_field')
    scheduleRefetch('terminal_group')
    scheduleRefetch('account', 'check_inventory')
  },
  terminal_location: ({ kid, longitude, latitude, at }) => patchMap(kid, { longitude, latitude, at }),
  terminal_event: () => {
    scheduleRefetch('terminal', 'paging_event')
    scheduleRefetch('electronic_fence', 'paging_event')
    scheduleRefetch('terminal', 'list_refusal')
  },
  terminal_group_changed: () => scheduleRefetch('terminal_group'),
  push_task: () => {
    scheduleRefetch('push_task')
    scheduleRefetch('terminal_lost')
  },
  push_schedule_changed: () => {
    scheduleRefetch('push_schedule')
    scheduleRefetch('push_template')
    scheduleRefetch('maintenance_window')
  },
  push_task_terminal: ({ push_task_kid, terminal_kid, state, progress, attempt }) => {
    patchRows<PushTaskTerminal>(
      ['push_task', 'paging_terminal'],
      (row) => row.push_task_kid === push_task_kid && row.terminal_kid === terminal_kid,
      { state, progress, attempt },
    )
    // Buttons, texts and counts follow from the state; they come with the refetch.
    scheduleRefetch('push_task')
    scheduleRefetch('terminal_lost')
  },
  terminal_file: (event) => {
    patchTransfer('terminal_file', event)
    if (event.state === 'running' && event.progress > 0) return
    scheduleRefetch('terminal_file', 'paging')
    // Something may be new in the folder that is on screen.
    if (event.state === 'completed') scheduleRefetch('terminal_file', 'list')
  },
  terminal_log: (event) => {
    patchTransfer('terminal_log', event)
    if (event.state !== 'running' || event.progress === 0) scheduleRefetch('terminal_log', 'paging')
  },
  terminal_remote: () => scheduleRefetch('terminal_remote'),
  terminal_config: () => {
    scheduleRefetch('terminal_config')
    scheduleRefetch('terminal_lost')
  },
  alert_changed: () => {
    scheduleRefetch('alert')
    scheduleRefetch('alert_rule')
  },
  electronic_fence_changed: () => {
    scheduleRefetch('electronic_fence')
    scheduleRefetch('terminal', 'paging')
  },
  batch_job: ({ type: _, ...progress }) => {
    for (const queryKey of batchLists)
      queryClient.setQueriesData<BatchJob[]>({ queryKey }, (jobs) =>
        jobs?.map((job) => (job.schedule_version === progress.schedule_version ? { ...job, ...progress } : job)),
      )
    if (progress.state !== 'running') for (const [group] of batchLists) scheduleRefetch(group!)
  },
  terminal_export: ({ type: _, ...progress }) => {
    queryClient.setQueriesData<TerminalExport[]>({ queryKey: ['terminal_export', 'list_export_schedule'] }, (all) =>
      all?.map((each) => (each.schedule_version === progress.schedule_version ? { ...each, ...progress } : each)),
    )
    if (progress.state !== 'running') scheduleRefetch('terminal_export')
  },
  scrap_schedule_changed: () => scheduleRefetch('terminal_scrap'),
  operation_log: () => {
    scheduleRefetch('operation_log')
    scheduleRefetch('ops/operation_log')
  },
  file_changed: () => {
    scheduleRefetch('file_cloud')
    scheduleRefetch('ops/platform_file')
  },
  istage_changed: () => {
    scheduleRefetch('istage_template')
    scheduleRefetch('ops/istage_template')
    scheduleRefetch('istage_config')
  },
  app_changed: () => scheduleRefetch('app_center'),
  app_requirement_changed: () => scheduleRefetch('app_requirement'),
  // Whoever has just deleted it is still on its page: nothing of it can be read any more.
  os_version: ({ is_gone }) => scheduleRefetch('ops/os_version', is_gone ? 'paging' : undefined),
  os_custom_changed: () => {
    scheduleRefetch('os_custom')
    scheduleRefetch('os_version')
  },
  oscs_changed: () => {
    scheduleRefetch('ops/oscs_model')
    scheduleRefetch('ops/oscs_base')
  },
  operation_task_changed: () => scheduleRefetch('ops/operation_task'),
  lagged: () => refetchAll(),
}

/** Devices that stand on the map by themselves; what is in clusters comes with the next look. */
function patchMap(kid: string, patch: Partial<MapDevice>): void {
  queryClient.setQueriesData<{ devices: MapDevice[] }>({ queryKey: ['terminal_location', 'list'] }, (seen) =>
    seen?.devices.some((device) => device.kid === kid)
      ? { ...seen, devices: seen.devices.map((device) => (device.kid === kid ? { ...device, ...patch } : device)) }
      : seen,
  )
}
function patchTransfer(group: string, { transfer_kid, state, progress }: Of<'terminal_file' | 'terminal_log'>): void {
  patchRows<DeviceTransfer>([group, 'paging'], (row) => row.kid === transfer_kid, { state, progress })
}
function patchRows<T>(key: string[], is: (row: T) => boolean, patch: Partial<T>): void {
  queryClient.setQueriesData<Paged<T>>({ queryKey: key }, (page) =>
    page?.items.some(is) ? { ...page, items: page.items.map((row) => (is(row) ? { ...row, ...patch } : row)) } : page,
  )
}
function patchOne<T>(key: string[], is: (row: T) => boolean, patch: Partial<T>): void {
  queryClient.setQueriesData<T>({ queryKey: key }, (row) => (row && is(row) ? { ...row, ...patch } : row))
}

type Refetch = () => Promise<unknown>
/** By group, and in it by call. */
const scheduled = new Map<string, Map<string, Refetch>>()
/** Groups whose answers are on their way. */
const refetching = new Set<string>()
let refetchTimer: ReturnType<typeof setTimeout> | undefined
/** A burst of events (200 devices coming back) is one refetch a second, not 200. */
function scheduleRefetch(group: string, key = '', refetch: Refetch = () => invalidate(group, key || undefined)): void {
  scheduled.set(group, (scheduled.get(group) ?? new Map<string, Refetch>()).set(key, refetch))
  refetchTimer ??= setTimeout(refetchScheduled, 1_000)
}

/**
 * A group whose answers are on their way waits for them: a refetch gives up the one before it, and where events come faster than
 * answers nothing would ever be answered.
 */
function refetchScheduled(): void {
  refetchTimer = undefined
  for (const [group, refetches] of [...scheduled]) {
    if (refetching.has(group)) continue
    scheduled.delete(group)
    refetching.add(group)
    void Promise.allSettled([...refetches.values()].map((refetch) => refetch())).then(() => {
      refetching.delete(group)
      if (scheduled.has(group)) refetchTimer ??= setTimeout(refetchScheduled, 1_000)
    })
  }
}

/** How many are online follows from a state; of which model how many are does not, and costs far more to count. */
const refetchOnline = () => queryClient.invalidateQueries({ queryKey: keyOf(api.terminal.facets, {}), exact: true })
const refetchAll = (): void => void queryClient.invalidateQueries()
const fresh_ms = 2_000
const settle_ms = 5_000
/**
 * When the stream opens for the first time, beside the first reads. What changed between a read and the opening was told
 * to nobody, so everything is read again; what was read only now a little later, when the first screen stands.
 */
function refetchAfterOpening(): ReturnType<typeof setTimeout> {
  const isFresh = ({ state }: Query): boolean =>
    state.fetchStatus === 'fetching' || Date.now() - state.dataUpdatedAt <= fresh_ms
  // How often each was answered by then, the answer that is on its way included.
  const fresh = new Map<Query, number>()
  for (const query of queryClient.getQueryCache().findAll({ predicate: isFresh }))
    fresh.set(query, query.state.dataUpdateCount + (query.state.fetchStatus === 'fetching' ? 1 : 0))
  const isOfThen = (query: Query): boolean => query.state.dataUpdateCount <= (fresh.get(query) ?? -1)
  void queryClient.invalidateQueries({ predicate: (query) => !fresh.has(query) })
  void queryClient.invalidateQueries({ refetchType: 'none', predicate: isOfThen })
  return setTimeout(() => void queryClient.invalidateQueries({ predicate: isOfThen }), settle_ms)
}

const listeners = new Map<LiveEventType, Set<(event: never) => void>>()
/** For what the table cannot do: a dialog that waits for one event (a scanned QR code). */
export function useLive<T extends LiveEventType>(type: T, listener: (event: Of<T>) => void): void {
  useEffect(() => {
    const all = listeners.get(type) ?? new Set()
    listeners.set(type, all.add(listener as never))
    return () => void all.delete(listener as never)
  }, [type, listener])
}

export function applyEvent(event: LiveEvent): void {
  const apply = handlers[event.type] as ((event: LiveEvent) => void) | undefined
  // A newer server may say what this console does not know yet.
  apply?.(event)
  for (const listener of listeners.get(event.type) ?? []) (listener as (event: LiveEvent) => void)(event)
}

const max_retry_ms = 30_000
const silent_ms = 2.5 * liveHeartbeat.every_ms
const check_every_ms = 2_500
/** Keeps one stream open for the token and account of the session. Returns what closes it. */
function openStream(token: string, account_kid: string): () => void {
  let source: EventSource | undefined
  let retryTimer: ReturnType<typeof setTimeout> | undefined
  let settling: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  let was_open = false
  /** By the clock on the wall: timers and `performance` stand still while a laptop sleeps. */
  let last_signal_at = 0
  const set = (state: LiveState) => useLiveState.setState({ state })
  // A clock that was set back says as little about the last interval as one that ran on.
  const isSilent = () => Math.abs(Date.now() - last_signal_at) > silent_ms

  const open = () => {
    clearTimeout(retryTimer)
    retryTimer = undefined
    source?.close()
    last_signal_at = Date.now()
    const query = new URLSearchParams({ AccessToken: token, account_kid, lang: sessionState().language })
    source = new EventSource(serverUrl(`/events?${query}`))
    source.addEventListener(liveHeartbeat.event, markAlive)
    source.onmessage = ({ data }: MessageEvent<string>) => {
      if (!markAlive()) return
      try {
        applyEvent(JSON.parse(data) as LiveEvent)
      } catch (error) {
        console.error('live event not understood', error)
      }
    }
    source.onerror = scheduleReconnect
  }
  /** Whether the stream can be trusted. An open one that says nothing yet may be held back by a proxy. */
  const markAlive = (): boolean => {
    // Said before the machine slept and read only now: nobody knows what was lost in between.
    if (isSilent()) {
      scheduleReconnect()
      return false
    }
    last_signal_at = Date.now()
    if (useLiveState.getState().state === 'live') return true
    // What happened until now was not heard: during a gap, or between the first reads and the opening.
    if (was_open) refetchAll()
    else settling = refetchAfterOpening()
    was_open = true
    failures = 0
    set('live')
    return true
  }
  const scheduleReconnect = () => {
    source?.close()
    clearTimeout(retryTimer)
    failures += 1
    set('interrupted')
    const wait = Math.min(max_retry_ms, 500 * 2 ** failures) * (0.75 + Math.random() / 2)
    retryTimer = setTimeout(open, wait)
    // EventSource hides the status: an ended session is learned by asking, which signs out on 401.
    if (failures === 2) void send(api.login.session, {}).catch(() => undefined)
  }
  const checkSilence = () => {
    if (retryTimer === undefined && isSilent()) scheduleReconnect()
  }
  const reconnectNow = () => retryTimer && open()
  set('connecting')
  open()
  const checks = setInterval(checkSilence, check_every_ms)
  // In a hidden tab timers may run once a minute only.
  document.addEventListener('visibilitychange', checkSilence)
  addEventListener('online', reconnectNow)
  // A stream that is only silent takes long to notice that the network is gone.
  addEventListener('offline', scheduleReconnect)
  // At once, and not when React comes to it: the server ends the session only after this, and would refuse it.
  const release = useSessionStore.subscribe((now) => {
    if (now.token !== token || now.account_kid !== account_kid) close()
  })
  const close = () => {
    release()
    clearInterval(checks)
    document.removeEventListener('visibilitychange', checkSilence)
    removeEventListener('online', reconnectNow)
    removeEventListener('offline', scheduleReconnect)
    clearTimeout(retryTimer)
    clearTimeout(settling)
    source?.close()
    set('off')
  }
  return close
}

/** Mounted once, by the shell. */
export function useLiveStream(): void {
  const token = useSessionStore((s) => s.token)
  const account_kid = useSessionStore((s) => s.account_kid)
  useEffect(() => (token && account_kid ? openStream(token, account_kid) : undefined), [token, account_kid])
}
