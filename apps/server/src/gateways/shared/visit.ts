import type { AgentKind } from '@mdm/contract'
import { inabilities } from '@mdm/contract'
import type { Down, Up } from '@mdm/device-link'
import type { Deps } from '../../deps.ts'
import type { DownMessage, UpMessage } from '../../link/check-ins.ts'
import { digest } from '../../lib/ids.ts'
import { refuse } from '../../refusal.ts'
import { noteHardware } from './hardware.ts'
import { readKeptRow, writeKeptRow } from './kept-row.ts'
import { noteSerial } from './serials.ts'
import { helloOnce, talk } from './talk.ts'
import type { Say } from './talk.ts'

/** `state` is a digest of what it last said, `located_at` the moment of the last fix: agents say theirs again. */
export type KeptOfAll = { hello?: string; state?: string; hardware_hash?: string; located_at?: string }
export type Moment<Kept> = { now: number; kept: Kept; say: Say; report(body: Up['task']): void }
type Held = NonNullable<Up['hello']['tasks']>[number]
type Parts = Omit<Up['state'], 'seq' | 'device_time'>
type Hello = Omit<Up['hello'], 'epoch' | 'inventory' | 'tasks'>
export type Visit<Kept, T> = {
  kind: AgentKind
  address: string
  /** Aborted when the agent has gone. */
  signal?: AbortSignal
  silent_ms: number
  /** Of a device that was here never before. */
  fresh: Kept
  /** What it says, before the link is told and asked. */
  before(at: Moment<Kept>): void
  /** Of an agent that knows more of itself than nothing. */
  helloOf?(kept: Kept): Partial<Hello>
  inventoryOf(kept: Kept): Up['hello']['inventory']
  serialOf(kept: Kept): string | undefined
  hardware_id?: string | undefined
  /** Said where it is not what was said last. */
  stateOf?(kept: Kept): Parts
  /** What it works on. */
  held(kept: Kept): readonly Held[]
  take(at: Moment<Kept>, name: 'task' | 'cancel', payload: Down['task'] | Down['cancel']): void
  /** Of an agent that obeys some of its configuration; others obey no section. */
  configure?(at: Moment<Kept>, payload: Down['config']): void | Promise<void>
  /** What became of its configuration, once that is known. */
  configured?(kept: Kept): Parts | undefined
  /** Of an agent that answers; data, `later` where they come with a visit after this, nothing where it does not do that. */
  ask?(at: Moment<Kept>, payload: Down['request']): object | 'later' | undefined
  /** When it is to be taken for reset if it has not come again. */
  resetDue?(kept: Kept): Date | null
  /** Made of what there is then; what it reports goes out in a second round. */
  answer(at: Moment<Kept>): Promise<T> | T
}

/** One request of an agent: what it says, translated for the link, and what the link has for it, translated for the agent. */
export async function visit<Kept extends KeptOfAll, T>(deps: Deps, kid: string, v: Visit<Kept, T>): Promise<T> {
  const row = await readKeptRow(deps, kid)
  if (!row) return refuse('unauthorized')
  const kept: Kept = { ...v.fresh, ...row }
  const now = deps.clock.now()
  const messages: UpMessage[] = []
  const say: Say = (name, payload) => void messages.push({ name, payload })
  const at: Moment<Kept> = { now: now.getTime(), kept, say, report: (body) => say('task', body) }
  const serial = v.serialOf(kept)
  v.before(at)
  const hardware = v.hardware_id === undefined ? undefined : digest(v.hardware_id).toString('hex')
  if (hardware !== undefined && hardware !== kept.hardware_hash)
    await noteHardware(deps, kid, (kept.hardware_hash = hardware))
  const told = v.serialOf(kept)
  if (told !== undefined && told !== serial) await noteSerial(deps, kid, v.kind, told)
  const itself: Hello = { boot_id: 'unknown', device_time: now.toISOString(), ...v.helloOf?.(kept) }
  const tasks = v.held(kept).map(({ task_kid, attempt, state }) => ({ task_kid, attempt, state }))
  // The link says what of it has ended there.
  if (tasks.length > 0) delete kept.hello
  const hello = helloOnce(kept, { ...itself, inventory: v.inventoryOf(kept), tasks })
  // Before all else, as a report that it is done is held against the version that it runs.
  if (hello) messages.unshift({ name: 'hello', payload: hello })
  sayState(at, itself, v.stateOf?.(kept), v.configured?.(kept))
  const rounds: Parameters<typeof talk>[1] = {
    ...{ kid, address: v.address, silent_ms: v.silent_ms, messages },
    signal: v.signal ?? new AbortController().signal,
    keep: () => writeKeptRow(deps, kid, kept, v.resetDue?.(kept) ?? null),
    take: (message) => takeMessage(v, at, itself, message),
  }
  await talk(deps, rounds)
  const answer = await v.answer(at)
  if (messages.length > 0) await talk(deps, rounds)
  return answer
}

function sayState<Kept extends KeptOfAll>(
  { now, kept, say }: Moment<Kept>,
  { device_time }: Hello,
  { location, ...state }: Parts = {},
  config?: Parts,
) {
  const is_told = location?.at !== undefined && location.at === kept.located_at
  const parts = { ...state, ...(location && !is_told && { location }), ...config }
  const text = digest(JSON.stringify(parts)).toString('base64')
  if (Object.keys(parts).length === 0 || (text === kept.state && !config)) return
  kept.state = text
  if (location?.at !== undefined) kept.located_at = location.at
  say('state', { seq: now, device_time, ...parts })
}

function takeMessage<Kept, T>(v: Visit<Kept, T>, at: Moment<Kept>, itself: Hello, { name, payload }: DownMessage) {
  if (name === 'task' || name === 'cancel') v.take(at, name, payload as Down['task'] | Down['cancel'])
  else if (name === 'request') answer(v, at, itself, payload as Down['request'])
  else if (name === 'config') {
    if (v.configure) return v.configure(at, payload as Down['config'])
    sayUnconfigured(at, itself, payload as Down['config'])
  }
}

function sayUnconfigured<Kept>(
  { now, say }: Moment<Kept>,
  { device_time }: Hello,
  { version, config }: Down['config'],
) {
  const config_results = Object.keys(config)
    .filter((section) => /^[a-z][a-z0-9_]{0,39}$/.test(section))
    .slice(0, 100)
    .map((section) => ({ section, outcome: 'not_supported', reason: 'unknown_section' }))
  say('state', { seq: now, device_time, config_version: version, config_results })
}

/** What this visit has said is as new as any. */
function answer<Kept, T>(v: Visit<Kept, T>, at: Moment<Kept>, itself: Hello, request: Down['request']): void {
  const { device_time, boot_id } = itself
  const state_now = v.stateOf?.(at.kept) ?? {}
  const of_all: Partial<Record<string, object>> = { hello: {}, ping: { device_time, boot_id }, state_now }
  const known = Object.hasOwn(of_all, request.method) ? of_all[request.method] : undefined
  const own = v.ask?.(at, request)
  if (own === 'later') return
  const data = known || own ? { ...known, ...own } : undefined
  const message = inabilities[v.ask ? 'not_capable' : 'updates_only'].en
  reply(at, request.id, data, { code: 'not_supported', message })
}

type Fault = { code: string; message: string }
/** The answer to a request that somebody waits for. */
export function reply({ say }: { say: Say }, id: string, data: object | undefined, error: Fault): void {
  say('reply', { id, ok: data !== undefined, ...(data ? { data } : { error }) })
}
