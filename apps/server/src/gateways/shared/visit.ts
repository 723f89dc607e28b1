import type { AgentKind } from '@mdm/contract'
import type { Down, Up } from '@mdm/device-link'
import type { Deps } from '../../deps.ts'
import type { UpMessage } from '../../link/check-ins.ts'
import { digest } from '../../lib/ids.ts'
import { refuse } from '../../refusal.ts'
import { readKeptRow, writeKeptRow } from './kept-row.ts'
import { noteSerial } from './serials.ts'
import { helloOnce, talk } from './talk.ts'
import type { Say } from './talk.ts'

/** `state` is a digest of what it last said. */
type KeptOfAll = { hello?: string; state?: string }
type Moment<Kept> = { now: number; kept: Kept; report(body: Up['task']): void }
type Visit<Kept, T> = {
  kind: AgentKind
  address: string
  signal: AbortSignal
  silent_ms: number
  /** Of a device that was here never before. */
  fresh: Kept
  /** What it says, before the link is told and asked. */
  before(at: Moment<Kept>): void
  inventoryOf(kept: Kept): Up['hello']['inventory']
  serialOf(kept: Kept): string | undefined
  /** Said where it is not what was said last. */
  stateOf?(kept: Kept): Omit<Up['state'], 'seq' | 'device_time'>
  /** What it works on. */
  held(kept: Kept): NonNullable<Up['hello']['tasks']>
  take(at: Moment<Kept>, name: 'task' | 'cancel', payload: Down['task'] | Down['cancel']): void
  /** Made of what there is then; what it reports goes out in a second round. */
  answer(at: Moment<Kept>): Promise<T> | T
}

/** One request of an agent that updates a device, and does nothing else. */
export async function visit<Kept extends KeptOfAll, T>(deps: Deps, kid: string, v: Visit<Kept, T>): Promise<T> {
  const row = await readKeptRow(deps, kid)
  if (!row) return refuse('unauthorized')
  const kept: Kept = { ...v.fresh, ...row }
  const now = deps.clock.now()
  const device_time = now.toISOString()
  const messages: UpMessage[] = []
  const say: Say = (name, payload) => void messages.push({ name, payload })
  const at: Moment<Kept> = { now: now.getTime(), kept, report: (body) => say('task', body) }
  const serial = v.serialOf(kept)
  v.before(at)
  const told = v.serialOf(kept)
  if (told !== undefined && told !== serial) await noteSerial(deps, kid, v.kind, told)
  const tasks = v.held(kept)
  // The link says what of it has ended there.
  if (tasks.length > 0) delete kept.hello
  const hello = helloOnce(kept, { boot_id: 'unknown', device_time, inventory: v.inventoryOf(kept), tasks })
  // Before all else, as a report that it is done is held against the version that it runs.
  if (hello) messages.unshift({ name: 'hello', payload: hello })
  const state = v.stateOf?.(kept)
  const said = state && digest(JSON.stringify(state)).toString('base64')
  if (said && said !== kept.state) {
    kept.state = said
    say('state', { seq: at.now, device_time, ...state })
  }
  const rounds: Parameters<typeof talk>[1] = {
    ...{ kid, address: v.address, silent_ms: v.silent_ms, signal: v.signal, messages },
    keep: () => writeKeptRow(deps, kid, kept, null),
    take({ name, payload }) {
      if (name === 'task' || name === 'cancel') v.take(at, name, payload as Down['task'] | Down['cancel'])
      else if (name === 'config') sayUnconfigured(payload as Down['config'], at.now, device_time, say)
      else if (name === 'request') sayUnable(payload as Down['request'], device_time, say)
    },
  }
  await talk(deps, rounds)
  const answer = await v.answer(at)
  if (messages.length > 0) await talk(deps, rounds)
  return answer
}

function sayUnconfigured({ version, config }: Down['config'], seq: number, device_time: string, say: Say): void {
  const config_results = Object.keys(config)
    .filter((section) => /^[a-z][a-z0-9_]{0,39}$/.test(section))
    .slice(0, 100)
    .map((section) => ({ section, outcome: 'not_supported', reason: 'unknown_section' }))
  say('state', { seq, device_time, config_version: version, config_results })
}

function sayUnable({ id, method }: Down['request'], device_time: string, say: Say): void {
  const answers: Partial<Record<string, object>> = {
    hello: {},
    ping: { device_time, boot_id: 'unknown' },
    state_now: {},
  }
  const data = Object.hasOwn(answers, method) ? answers[method] : undefined
  const error = { code: 'not_supported', message: 'The agent does nothing but install systems' }
  say('reply', { id, ok: data !== undefined, ...(data ? { data } : { error }) })
}
