import { openTunnels } from '#platform'
import { kindsOf } from './remote/source.ts'
import { isDiskFull } from './body/failures.ts'
import { openApiCalls } from './api-calls.ts'
import type { ApiCalls, LocalAnswer } from './api-calls.ts'
import { openAttempts } from './attempts.ts'
import type { Report } from './attempts.ts'
import type { Body } from './body/body.ts'
import { jitteredDelay, realClock, wait } from './clock.ts'
import type { Clock } from './clock.ts'
import { openConfig } from './config.ts'
import { openFence } from './fence.ts'
import { openConnection } from './connection.ts'
import type { Connection, ConnectionOptions } from './connection.ts'
import { enrol, serverUrl, standing, storedCredentials, withCurrentAddresses } from './enrol.ts'
import type { Credentials } from './enrol.ts'
import { forgetWork } from './forget-work.ts'
import { fitHello } from './hello.ts'
import { openJournal } from './journal.ts'
import { openInbox } from './inbox.ts'
import { openOsKeys } from './os-keys.ts'
import { watchTrial } from './os-trial.ts'
import { openEvents, openSequence } from './events.ts'
import { openReporter } from './reporter.ts'
import { openPushed } from './pushed.ts'
import { openRequests } from './requests.ts'
import { move_ms, moveBack, moveTo, openMove, provenMove } from './server-move.ts'
import { fetchKeys } from './staging/keys.ts'
import { scansToTell } from './staging/reports.ts'
import type { Store } from './store.ts'
import { openTurns } from './turns.ts'
import { openUsage } from './usage.ts'
import { DownRefused } from '@mdm/device-link'
import type { Down } from '@mdm/device-link'

export type AgentState = 'announcing' | 'waiting' | 'connecting' | 'online' | 'offline' | 'rebooting' | 'stopped'
export type AgentEvent =
  | { type: 'state'; state: AgentState }
  | { type: 'code'; registration_code: string }
  | { type: 'registered'; kid: string }
  | { type: 'task'; task: Down['task'] }
  | { type: 'report'; report: Report }
  | { type: 'log'; line: string }
export type AgentOptions = {
  /** Base address of the server, http or https. */
  server: string
  body: Body
  store: Store
  clock?: Clock
  log?: (line: string) => void
  certificate?: ConnectionOptions['certificate']
  /** A QR token: registers the device at once. */
  qrcode?: string
  reconnect?: { base_ms?: number; cap_ms?: number }
  /** Reports everything this often, instead of every 2 hours. */
  state_every_ms?: number
  /** How often the state is looked at. */
  sample_ms?: number
  /** Keeps the keys by which staging codes are checked: somebody may scan with this device. */
  scans_codes?: boolean
}
export type Agent = {
  readonly registration_code: string | undefined
  readonly kid: string | undefined
  readonly sn: string | undefined
  readonly state: AgentState
  /** Resolves when `state` is reached, at once if it is. */
  reached(state: AgentState): Promise<void>
  on(listener: (event: AgentEvent) => void): () => void
  /** Asks the server at once whether the device has been registered, instead of at the next poll. */
  askRegistered(): void
  /** Reads the state now and reports what changed. */
  sample(): Promise<void>
  /** Cuts the socket without goodbye; the agent comes back by itself. */
  drop(): void
  /** A call of an app on the device: done where the list in force allows it, refused and reported otherwise. */
  call(json: unknown): Promise<LocalAnswer>
  /** Says goodbye and ends. What is unfinished stays in the store. */
  stop(how?: { is_asleep: boolean }): Promise<void>
  /** Ends as a killed process does: no goodbye, nothing written any more. */
  kill(): void
}

/** Refusals of name and secret in a row before a device that cannot ask takes it that it was canceled. */
const refusalsBelieved = 3

/** Why a session is over: it is refused, the device reboots, or it goes to another server. */
type Ending = 'unauthorized' | { down_ms: number } | { moved: Credentials }
/** Sections that the agent itself obeys, whatever it runs on. */
const own_sections = ['collection', 'server_address', 'api_authorisation'] as const
/** What became of the section is on disk by then. */
const move_after_ms = 2_000

/** Runs a device: enrols it once, keeps it connected, does its tasks, until it is stopped. Throws when `server` is no address. */
export function startAgent(options: AgentOptions): Agent {
  const { body, store, clock = realClock } = options
  serverUrl(options.server)
  const reconnect = { base_ms: options.reconnect?.base_ms ?? 1000, cap_ms: options.reconnect?.cap_ms ?? 300_000 }
  const listeners = new Set<(event: AgentEvent) => void>()
  const ended = new AbortController()
  let state: AgentState = 'connecting'
  let registration_code: string | undefined
  let kid: string | undefined
  let sn: string | undefined
  /** By a server that does not know this device. */
  let told_to_wait_ms = 0
  let askRegistered = () => {}
  let session: Awaited<ReturnType<typeof openSession>> | undefined

  const emit = (event: AgentEvent) => {
    for (const listener of listeners) listener(event)
  }
  const journal = openJournal(clock)
  const log = (line: string) => {
    journal.add(line)
    options.log?.(line)
    emit({ type: 'log', line })
  }
  const become = (next: AgentState) => {
    if (state === next || state === 'stopped') return
    state = next
    journal.add(next)
    emit({ type: 'state', state })
  }

  async function register(attempts?: number): Promise<Credentials | undefined> {
    become('announcing')
    const identity = await body.identity()
    const credentials = await enrol({
      server: options.server,
      identity,
      store,
      clock,
      reconnect,
      signal: ended.signal,
      qrcode: options.qrcode,
      may_try: () => body.is_reachable(),
      on_code(code) {
        registration_code = code
        become('waiting')
        emit({ type: 'code', registration_code: code })
      },
      on_refused: (error) => log(`registration: ${error.message}`),
      on_ask: (askAgain) => (askRegistered = askAgain),
      ...(attempts === undefined ? {} : { attempts, is_again: true }),
    })
    if (!credentials) return undefined
    registration_code = undefined
    emit({ type: 'registered', kid: credentials.kid })
    return credentials
  }

  /** From being registered until cancelled, rebooted or stopped. */
  async function openSession(credentials: Credentials) {
    let connection: Connection | undefined
    const on_ready = () => connection?.pump()
    const seq = await openSequence(store)
    const events = await openEvents({ store, clock, seq, on_ready })
    const attempts = await openAttempts({
      store,
      clock,
      on_ready,
      log,
      on_report(report) {
        journal.add(`task ${report.task_kid} ${report.state} ${report.code ?? ''}`)
        emit({ type: 'report', report })
      },
    })
    const config = await openConfig({
      store,
      body,
      clock,
      log,
      on_applied: () => reporter.confirm(),
      async move(url) {
        const moving = { now: clock.now(), signal: ended.signal, first: serverUrl(options.server).href }
        const { outcome, moved } = await moveTo(store, credentials, url, moving)
        // After what became of the sections is stored: it is told where the device is then.
        if (moved) clock.after(move_after_ms, () => end({ moved }))
        return outcome
      },
      authorise: (list, signal) => apiCalls.hold(list, signal),
    })
    const { state_every_ms } = options
    const on_change = () => reporter.tellFence()
    const fence = await openFence({ body, clock, config, store, log, add: events.add, on_change })
    const reporter = openReporter({ body, clock, config, fence, seq, on_ready, state_every_ms })
    const usage = openUsage({ body, clock, config, every_ms: state_every_ms, add: events.add })
    const bulk = { credentials, clock, reconnect, turns: openTurns() }
    const os_keys = openOsKeys({ store, bulk })
    const apiCalls: ApiCalls = await openApiCalls({
      store,
      body,
      bulk,
      clock,
      os_keys,
      log,
      add: events.add,
      in_force: () => config.api_authorisation,
    })
    const pushed = await openPushed({ store, body, clock, log })
    const tunnels = openTunnels({ credentials, body, clock, journal, turns: bulk.turns, log })
    const requests = openRequests({
      body,
      bulk,
      clock,
      journal,
      tunnels,
      greet: async () => connection?.greet(),
      on_ready,
    })
    let end: (why: Ending) => void = () => {}
    const over = new Promise<Ending>((resolve) => (end = resolve))
    const inbox = openInbox({
      attempts,
      body,
      clock,
      log,
      bulk,
      journal,
      os_keys,
      pushed,
      undone: config.undone,
      on_reboot: (down_ms) => end({ down_ms }),
      on_task: (task) => emit({ type: 'task', task }),
    })
    const handlers: Record<string, (json: unknown) => Promise<void>> = {
      task: inbox.accept,
      cancel: inbox.cancel,
      request: requests.answer,
      async refused(json) {
        const said = DownRefused.safeParse(json).data
        for (const { path, reason, message } of said?.parts ?? [])
          log(`the server did not take ${said!.name} ${path}: ${reason} (${message})`)
      },
      async config(json) {
        await config.take(json)
      },
    }
    const closed = new AbortController()
    const watched = { clock, signal: closed.signal, log }
    const trials = [
      watchTrial({
        ...watched,
        trials: body.os,
        what: 'the operating system',
        async leave() {
          const { rebooting } = await body.restart(closed.signal)
          if (rebooting?.down_ms !== undefined) end({ down_ms: rebooting.down_ms })
        },
      }),
      watchTrial({
        ...watched,
        trials: body.self,
        what: 'the agent',
        leave: async () => body.self?.leave(),
        kept: () => body.self?.leave(),
      }),
    ]
    inbox.resume()
    config.resume()
    const cancelMove = await watchMove(credentials, (from) => end({ moved: from }))
    pushed.start()
    tunnels.begin()
    const opened = openConnection({
      credentials: body.broker === undefined ? credentials : { ...credentials, mqtt: [body.broker] },
      ...{ clock, reconnect, log, certificate: options.certificate },
      sources: [attempts.source, requests.source, events.source, reporter.source],
      may_connect: () => body.is_reachable(),
      async hello(epoch) {
        const { boot_id, boot_at } = await body.boot()
        const config_version = config.version
        return fitHello({
          epoch,
          boot_id,
          boot_at: boot_at.toISOString(),
          device_time: clock.now().toISOString(),
          inventory: {
            ...(await body.inventory()),
            ...(body.remote && { tunnels: [...kindsOf(body)] }),
            task_types: [...body.task_types],
            config_sections: [...(body.agent_sections ?? own_sections), ...body.config_sections],
            judges_fence: body.judges_fence,
            judges_polygons: body.judges_fence,
          },
          state: await reporter.all(),
          ...(config_version === undefined ? {} : { config_version }),
          tasks: attempts.held(),
        })
      },
      async on_message(name, text) {
        let json: unknown
        try {
          json = JSON.parse(text)
        } catch {
          return log(`down/${name} is not JSON`)
        }
        await handlers[name]?.(json)
      },
      on_online() {
        cancelMove()
        void provenMove(store).catch((error: Error) => log(`move: ${error.message}`))
        for (const trial of trials) trial.heard()
        become('online')
        if (options.scans_codes)
          void fetchKeys(store, credentials, closed.signal).catch((error: Error) => log(error.message))
      },
      on_offline(reason) {
        if (state === 'online') log(`offline: ${reason}`)
        void tunnels.halt()
        become('offline')
      },
      async on_unauthorized(refusals) {
        const said = await standing(credentials, ended.signal)
        told_to_wait_ms = (said?.retry_after ?? 0) * 1000
        // It keeps its secret, and is let in again later.
        if (said?.state === 'quarantined') {
          log(`this device is in quarantine until ${said.quarantined_until ?? 'somebody lifts it'}`)
          opened.hold(told_to_wait_ms)
        } else if (said?.state === 'unknown' || refusals >= refusalsBelieved) end('unauthorized')
      },
    })
    connection = opened

    const sample_ms = options.sample_ms ?? Math.min(15_000, options.state_every_ms ?? 15_000)
    let cancelTick = () => {}
    const tellScans = async () => {
      if (!options.scans_codes) return
      const scans = await scansToTell(store)
      await events.add(scans.events)
      await scans.forget()
    }
    const sample = async () => {
      const { is_battery_on } = config.collection
      const happened = await body.events()
      await events.add(is_battery_on ? happened : happened.filter(({ type }) => type !== 'battery'))
      await tellScans()
      await usage.sample()
      await apiCalls.tell()
      if (opened.is_online)
        void config.again('api_authorisation').catch((error: Error) => log(`calls: ${error.message}`))
      if (!body.is_reachable()) opened.drop()
      await reporter.sample(opened.is_online && body.is_reachable())
    }
    const tick = () => {
      sample()
        .catch((error: Error) => log(`state: ${error.message}`))
        .finally(() => {
          if (!is_over) cancelTick = clock.after(sample_ms, tick)
        })
    }
    let is_over = false
    // Spread, so that a fleet started at once does not look at itself at once.
    cancelTick = clock.after(Math.random() * sample_ms, tick)
    const halt = () => {
      is_over = true
      closed.abort(new Error('over'))
      cancelTick()
      inbox.halt()
      requests.halt()
      const tunnels_over = tunnels.halt()
      config.halt()
      cancelMove()
      events.halt()
      fence.halt()
      pushed.halt()
      return tunnels_over
    }
    return {
      over,
      sample,
      call: apiCalls.call,
      drop: opened.drop,
      kill() {
        void halt()
        opened.kill()
      },
      async close(how?: { is_asleep: boolean }) {
        const halted = halt()
        // What is put to sleep does nothing after this moment: the goodbye waits for nothing.
        if (!how?.is_asleep) await halted
        await opened.close(how)
        await halted
      },
    }
  }

  /** Goes back to the server before when the new one has not taken the device in by then. */
  async function watchMove(credentials: Credentials, onBack: (from: Credentials) => void): Promise<() => void> {
    const move = await openMove(store)
    if (!move || move.from.server === credentials.server) return () => {}
    const left = Math.max(0, new Date(move.until).getTime() - clock.now().getTime())
    return clock.after(Math.min(left, move_ms), () => {
      moveBack(store, move.from).then(onBack, (error: Error) => log(`move: ${error.message}`))
    })
  }

  async function live() {
    sn = (await body.identity()).sn
    let without_room = 0
    let credentials = await storedCredentials(store, options.server)
    if (!credentials) {
      credentials = await register()
      await forgetWork({ store, body, log, signal: ended.signal })
    }
    while (credentials) {
      ended.signal.throwIfAborted()
      kid = credentials.kid
      become('connecting')
      credentials = await withCurrentAddresses(store, credentials, ended.signal)
      session = await openSession(credentials).catch((error: unknown) => {
        if (!isDiskFull(error)) throw error
        log(`no room to work: ${(error as Error).message}`)
        return undefined
      })
      if (!session) {
        become('offline')
        await wait(clock, jitteredDelay((without_room += 1), reconnect), ended.signal)
        continue
      }
      without_room = 0
      if (ended.signal.aborted) session.kill()
      ended.signal.throwIfAborted()
      const over = await session.over
      session.kill()
      session = undefined
      if (over === 'unauthorized') {
        log('the server refuses this device: announcing it again')
        const again = await register(2)
        // Still registered there: then the refusals were a fault that passes.
        if (again && again.kid !== credentials.kid) await forgetWork({ store, body, log, signal: ended.signal })
        if (!again) await wait(clock, Math.max(told_to_wait_ms, reconnect.cap_ms * Math.random()), ended.signal)
        credentials = again ?? credentials
      } else if ('moved' in over) {
        credentials = over.moved
        log(`goes to ${credentials.server}`)
      } else {
        become('rebooting')
        await wait(clock, over.down_ms, ended.signal)
      }
    }
  }

  const life = live().catch((error: Error) => {
    if (ended.signal.aborted) return
    log(`stopped: ${error.message}`)
    become('stopped')
  })
  const finish = () => {
    ended.abort(new Error('stopped'))
    become('stopped')
  }
  return {
    get registration_code() {
      return registration_code
    },
    get kid() {
      return kid
    },
    get sn() {
      return sn
    },
    get state() {
      return state
    },
    reached: (wanted) =>
      new Promise((resolve) => {
        if (state === wanted) return resolve()
        const listener = (event: AgentEvent) => {
          if (event.type !== 'state' || event.state !== wanted) return
          listeners.delete(listener)
          resolve()
        }
        listeners.add(listener)
      }),
    on(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    askRegistered: () => askRegistered(),
    call: async (json) =>
      session?.call(json) ?? { ok: false, code: 'no_list', message: 'This device is not registered yet' },
    sample: async () => session?.sample(),
    drop: () => session?.drop(),
    async stop(how) {
      const open = session
      finish()
      await open?.close(how)
      // A session waits for its end; only what came before it has to be waited for.
      if (!open) await life
    },
    kill() {
      const open = session
      finish()
      open?.kill()
    },
  }
}
