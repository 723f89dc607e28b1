import { startAgent } from '@mdm/agent/agent.ts'
import type { Agent } from '@mdm/agent/agent.ts'
import type { DeviceEventOf } from '@mdm/agent/body/body.ts'
import { realClock } from '@mdm/agent/clock.ts'
import { enrolByToken, Refused, storedCredentials } from '@mdm/agent/enrol.ts'
import { randomHex, randomId } from '@mdm/agent/platform/browser.ts'
import * as z from 'zod'
import { browserBody } from './body/browser-body.ts'
import { readFacts } from './body/facts.ts'
import { openNotices } from './body/notices.ts'
import { openBell } from './body/ring.ts'
import { openSenses } from './body/senses.ts'
import { openSettings } from './body/settings.ts'
import { receivedFiles } from './files/received.ts'
import { beOnlyTab, watchPage } from './lifecycle.ts'
import { documentsIn } from './store/documents.ts'
import { openDatabase } from './store/database.ts'
import { openWakeLock } from './wake-lock.ts'
import type { OpenView } from './view.ts'

const Identity = z.object({ sn: z.string(), shares_location: z.boolean().default(false) })
const Boot = z.object({ boot_id: z.string(), boot_at: z.string() })
/** A connection that nobody looked after for so long may be dead without having said so. */
const doubted_ms = 30_000
/** What is left to the browser itself. */
const spare_share = 0.1
const events_max = 100

/** The token of `/terminal#TOKEN`; undefined where there is none. */
export const tokenIn = (hash: string): string | undefined => /^#([0-9a-f]{64})$/i.exec(hash)?.[1]?.toLowerCase()

/** Lives as long as the tab, so that a reload is no start of the device. */
function bootOfTab() {
  const kept = sessionStorage.getItem('boot')
  const known = Boot.safeParse(kept === null ? undefined : JSON.parse(kept)).data
  if (known) return known
  const boot = { boot_id: randomId(), boot_at: new Date().toISOString() }
  sessionStorage.setItem('boot', JSON.stringify(boot))
  return boot
}

async function room(): Promise<number> {
  const { quota = 0, usage = 0 } = (await navigator.storage?.estimate?.().catch(() => undefined)) ?? {}
  // Pages without TLS are not told; the browser refuses what it has no room for.
  return quota === 0 ? Number.MAX_SAFE_INTEGER : Math.floor(quota * (1 - spare_share) - usage)
}

export type Session = Awaited<ReturnType<typeof openSession>>

/** This page as a device: joins by the token of its address, and is what it was after every reload. */
export async function openSession(view: OpenView) {
  const server = `${location.origin}/`
  const database = await openDatabase()
  const store = documentsIn(database)
  const identity = Identity.safeParse(await store.read('identity')).data ?? {
    sn: `WEB-${randomHex(5).toUpperCase()}`,
    shares_location: false,
  }
  await store.write('identity', identity)
  const facts = await readFacts()
  view.set({ sn: identity.sn, model: facts.model })
  let agent: Agent | undefined
  let joining = new AbortController()
  let happened: DeviceEventOf[] = []
  const note = (type: string, detail?: DeviceEventOf['detail']) => {
    happened = [...happened, { type, at: new Date().toISOString(), ...(detail && { detail }) }].slice(-events_max)
    void agent?.sample().catch(() => undefined)
  }
  const senses = await openSenses(() => {
    view.set({ battery: senses.battery(), network: senses.network(), location: senses.location })
    void agent?.sample().catch(() => undefined)
  })
  view.set({ battery: senses.battery(), network: senses.network(), location: senses.location })
  const bell = openBell(realClock)
  const settings = await openSettings({ store, view })
  const notices = await openNotices({
    store,
    view,
    clock: realClock,
    randomId,
    on_read_late: ({ title }) => note('message_read', { title: title.slice(0, 200) }),
  })
  const received = receivedFiles({
    database,
    room,
    now: () => new Date(),
    on_change: () => void received.all().then((files) => view.set({ files })),
  })
  view.set({ files: await received.all() })
  const body = browserBody({
    ...{ sn: identity.sn, facts, boot: bootOfTab(), senses, bell, notices, received, view, room },
    configure: (section, value) => settings.configure(section, value),
    takeEvents() {
      const taken = happened
      happened = []
      return taken
    },
    broker: `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/mqtt`,
  })

  /** The token is for a device that the server has given up since. */
  function run(token?: string): void {
    if (agent) return
    const qrcode = token === undefined ? {} : { qrcode: token }
    agent = startAgent({ server, body, store, reconnect: { base_ms: 500, cap_ms: 30_000 }, ...qrcode })
    view.set({ phase: 'running', link: agent.state, registration_code: undefined })
    agent.on((event) => {
      if (event.type === 'state') view.set({ link: event.state })
      if (event.type === 'code') view.set({ registration_code: event.registration_code })
      if (event.type === 'registered') view.set({ registration_code: undefined })
    })
  }
  function halt(is_asleep = false): void {
    const ending = agent
    agent = undefined
    joining.abort(new Error('halted'))
    void ending?.stop({ is_asleep })
  }

  async function join(token: string): Promise<void> {
    joining = new AbortController()
    view.set({ phase: 'joining', reason: '' })
    try {
      const of = { server, token, store, identity: await body.identity(), log: () => undefined }
      await enrolByToken({ ...of, signal: joining.signal })
      history.replaceState(null, '', '/terminal/')
      void navigator.storage?.persist?.().catch(() => undefined)
      run()
    } catch (error) {
      if (joining.signal.aborted) return
      // Of what the server refuses it says why, in the language of the browser.
      view.set({ phase: 'refused', reason: error instanceof Refused ? error.message : '' })
    }
  }

  let release = () => {}
  async function begin(): Promise<void> {
    release()
    release = beOnlyTab(() => {
      halt()
      view.set({ phase: 'elsewhere' })
    })
    if (identity.shares_location) senses.shareLocation()
    const token = tokenIn(location.hash)
    const is_known = (await storedCredentials(store, server)) !== undefined
    if (is_known) {
      history.replaceState(null, '', '/terminal/')
      return run(token)
    }
    if (token === undefined) return view.set({ phase: 'start' })
    await join(token)
  }

  watchPage({
    on_sleep() {
      if (view.now.phase !== 'running') return
      note('page_asleep')
      halt(true)
      view.set({ link: 'asleep' })
    },
    on_leave: () => halt(),
    on_wake() {
      if (view.now.phase === 'running') run()
    },
    on_hidden: () => note('page_hidden'),
    on_shown(hidden_ms) {
      note('page_shown', { hidden_seconds: Math.round(hidden_ms / 1000) })
      if (hidden_ms >= doubted_ms) agent?.drop()
    },
  })
  const lock = openWakeLock()
  view.subscribe(() => lock.want(view.now.phase === 'running' && view.now.settings.is_kiosk))

  // Another code may be opened in a tab that is not a device yet.
  window.addEventListener('hashchange', () => {
    if (view.now.phase === 'start' || view.now.phase === 'refused') void begin()
  })

  return {
    begin,
    /** Shows a code to be typed at the console, for a screen that scans nothing. */
    showCode: () => run(),
    touch: () => void bell.touch().then(() => view.set({ is_audible: bell.is_audible })),
    acknowledge: (id: string) => void notices.acknowledge(id),
    forgetMessage: (id: string) => void notices.forget(id),
    removeFile: (place: string) => void received.remove(place),
    async shareLocation(is_shared: boolean): Promise<void> {
      identity.shares_location = is_shared
      await store.write('identity', identity)
      if (is_shared) senses.shareLocation()
      else senses.keepLocation()
    },
    /** Erases what this browser keeps of the device. Its row at the server stays. */
    async forget(): Promise<void> {
      halt()
      await database.clear()
      sessionStorage.clear()
      history.replaceState(null, '', '/terminal/')
      location.reload()
    },
  }
}
