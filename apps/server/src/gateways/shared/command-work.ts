import { isKid } from '@mdm/device-link'
import type { Down, Up } from '@mdm/device-link'
import type { KeptBoots } from './boots.ts'
import type { KeptConfig } from './command-config.ts'
import { cannot } from './refusals.ts'
import type { Ended } from './refusals.ts'

type Task = Down['task']

/** What an agent is asked to do. */
export type Command = { type: string; payload?: Record<string, unknown> }
export type Outcome = { status: string; detail: string }
export type Result = Outcome & { id: string }

/** An attempt of a task whose commands are with the agent, or wait here for what the push asks of the device. */
export type Open = {
  task_kid: string
  attempt: number
  type: Task['type']
  /** Until its commands have gone out for the last time; nothing of it is secret. */
  task?: Task
  state: 'wait_download' | 'wait_execute' | 'executing'
  /** When its commands went out, by the server's clock. */
  out_at?: number
  times: number
  boot_id?: string | undefined
  commands: Command[]
  /** By the place of the command. */
  done: Record<string, Outcome>
  seconds?: number
}
export type KeptWork = KeptBoots & {
  open: Open[]
  /** It has enrolled again since it was last here. */
  is_reset?: boolean
}

/** An agent that is told what to do by commands with ids, and says later what became of them. */
export type Trade = {
  /** What it has to do for a task, or why it cannot. */
  commandsOf(task: Task): Command[] | Ended
  stop_ringing: Command
  list_apps: Command
  /** The type of the command after which it starts again. */
  restart: string
  /** Other commands for a task of which one has failed, where there is a way around. */
  instead?(open: Open, failed: Outcome): Command[] | undefined
  /** Commands that have ended as the device shows although nobody said so, by their place. */
  seen?(open: Open): Record<string, Outcome>
}
export type WorkTurn = {
  now: number
  kept: KeptWork
  trade: Trade
  state: Omit<Up['state'], 'seq' | 'device_time'>
  report(body: Up['task']): void
  hand(id: string, command: Command): void
}

/** Without news for so long, a command that does no harm twice goes out again under another id. */
const unheard_ms = 30 * 60_000
const times_max = 5
/** A device that was told to restart or to reset itself, and comes later than this as it was, has not done so. */
const restart_ms = 20 * 60_000
const reset_ms = 3 * 60_000
/** One that was told to reset itself and is silent for so long has. */
const silent_reset_ms = 20 * 60_000
const open_max = 200
const repeatable = new Set<Task['type']>(['app_install', 'app_uninstall'])

export const startOf = ({ task_kid, attempt, times }: Open): string => `${task_kid}.${attempt}.${times}.`

/** A task or a repeat of one that the server has not heard of since. */
export function takeTask(turn: WorkTurn, task: Task): void {
  const { task_kid, attempt, type } = task
  const { open } = turn.kept
  const known = open.find((each) => each.task_kid === task_kid && each.attempt === attempt)
  if (known) return turn.report({ task_kid, attempt, state: known.state })
  const commands = turn.trade.commandsOf(task)
  if (!Array.isArray(commands)) return turn.report({ task_kid, attempt, ...commands })
  if (open.length >= open_max) return
  const waits = waitsFor(task, turn.state)
  const is_secret = type === 'lock' && task.payload.password !== undefined
  // Stays with the server, where it is sealed, until it may begin.
  if (waits && is_secret) return
  turn.report({ task_kid, attempt, state: 'receipt' })
  const made: Open = {
    ...{ task_kid, attempt, type },
    ...(is_secret ? {} : { task }),
    state: waits?.state ?? 'executing',
    ...{ times: 0, commands, done: {} },
    ...(type === 'find' ? { seconds: task.payload.seconds } : {}),
  }
  // Earlier attempts have ended at the server.
  turn.kept.open = [...open.filter((each) => each.task_kid !== task_kid), made]
  if (waits) turn.report({ task_kid, attempt, state: waits.state, waits: { for: waits.for } })
  else handOut(turn, made)
}

/** What a push asks of the device and is not so now; undefined where it may begin. */
function waitsFor({ network: wanted, min_battery = 0, type }: Task, { network, battery }: WorkTurn['state']) {
  if (type === 'app_install' && wanted === 'wifi' && network?.type !== 'wifi')
    return { state: 'wait_download', for: 'network' } as const
  const is_low = battery !== undefined && battery.level < min_battery && battery.charging === 'discharging'
  return is_low ? ({ state: 'wait_execute', for: 'battery' } as const) : undefined
}

function handOut(turn: WorkTurn, open: Open): void {
  const { task_kid, attempt, commands } = open
  open.times += 1
  Object.assign(open, { state: 'executing', out_at: turn.now, boot_id: turn.kept.boots[0]?.id, done: {} })
  commands.forEach((command, place) => turn.hand(`${startOf(open)}${place}.${commands.length}`, command))
  turn.report({ task_kid, attempt, state: 'executing' })
  // Passwords are not kept.
  if (!repeatable.has(open.type)) {
    delete open.task
    open.commands = commands.map(({ type }) => ({ type }))
  }
}

/** What can still be stopped is: what rings, and what has not gone out. */
export function takeCancel(turn: WorkTurn, { task_kid, attempt }: Down['cancel']): void {
  const open = turn.kept.open.find((each) => each.task_kid === task_kid && each.attempt === attempt)
  if (open?.state === 'executing' && open.type !== 'find') return
  if (open?.state === 'executing') turn.hand(`stop.${task_kid}.${attempt}.${turn.now}`, turn.trade.stop_ringing)
  if (open) end(turn, open, { state: 'canceled' })
  else turn.report({ task_kid, attempt, state: 'canceled' })
}

function end({ kept, report }: WorkTurn, open: Open, said: Ended): void {
  kept.open = kept.open.filter((each) => each !== open)
  report({ task_kid: open.task_kid, attempt: open.attempt, ...said })
}

const idPattern = /^([0-9a-f-]{36})\.(\d{1,6})\.(\d{1,6})\.(\d{1,3})\.(\d{1,3})$/

/** What the agent says of its commands; one of a task that is over here is told all the same. */
export function takeResults(turn: WorkTurn, results: readonly Result[]): void {
  for (const { id, status, detail } of results) {
    const [, task_kid, attempt_text, times, place, count] = idPattern.exec(id) ?? []
    if (!task_kid || !isKid(task_kid)) continue
    const attempt = Number(attempt_text)
    const open = turn.kept.open.find((each) => each.task_kid === task_kid && each.attempt === attempt)
    const outcome = { status, detail: detail.slice(0, 1_000) }
    if (open && Number(place) < open.commands.length) {
      // Of an earlier delivery only what has worked counts.
      if (Number(times) === open.times || status === 'done') open.done[place!] = outcome
    } else if (!open && count === '1') turn.report({ task_kid, attempt, ...saidOf([outcome]) })
  }
}

const codes: Record<string, string> = { unsupported: 'not_supported', expired: 'expired' }

function saidOf(outcomes: readonly Outcome[]): Ended {
  const failed = outcomes.find(({ status }) => status !== 'done')
  const details = outcomes.map(({ detail }) => detail).filter(Boolean)
  const text = details.join('\n').slice(0, 4_000)
  if (!failed) return { state: 'completed', ...(text && { result: { text } }) }
  const { status, detail } = failed
  return { state: 'failed', code: codes[status] ?? 'command_failed', ...(detail && { message: detail }) }
}

/** Ends what has ended, sends again what may be lost, and begins what had to wait. */
export function judge(turn: WorkTurn): void {
  for (const open of turn.kept.open.slice()) {
    const { task } = open
    if (open.state !== 'executing') {
      if (task && Date.parse(task.expires_at) <= turn.now) end(turn, open, { state: 'failed', code: 'expired' })
      else if (!task || !waitsFor(task, turn.state)) handOut(turn, open)
      continue
    }
    Object.assign(open.done, turn.trade.seen?.(open))
    const verdict = turn.kept.is_reset ? afterReset(open) : verdictOf(turn, open)
    if (verdict) end(turn, open, verdict)
    else if (turn.kept.is_reset || isUnheard(turn, open)) handOut(turn, open)
  }
  delete turn.kept.is_reset
}

/** Its commands are gone with the device that it was: they go out to the one that it is now, but for those that it is not to get twice. */
function afterReset({ type }: Open): Ended | undefined {
  if (type === 'factory_reset') return { state: 'completed' }
  return repeatable.has(type) ? undefined : cannot('device_reset', 'The device was reset meanwhile')
}

function verdictOf({ now, kept, trade }: WorkTurn, open: Open): Ended | undefined {
  const age_ms = now - (open.out_at ?? now)
  const outcomes = open.commands.map((_, place) => open.done[String(place)])
  const failed = outcomes.find((each) => each !== undefined && each.status !== 'done')
  const boot_id = kept.boots[0]?.id
  const has_booted = boot_id !== undefined && open.boot_id !== undefined && boot_id !== open.boot_id
  if (open.commands.at(-1)?.type === trade.restart) {
    // The result of what ends the agent rarely comes: its clock tells.
    if (has_booted) outcomes[outcomes.length - 1] = { status: 'done', detail: '' }
    else if (!failed) outcomes[outcomes.length - 1] = undefined
  }
  if (open.type === 'factory_reset') {
    if (failed) return saidOf([failed])
    return age_ms > reset_ms ? cannot('not_reset', 'The device did not reset itself') : undefined
  }
  if (outcomes.every((each) => each !== undefined)) {
    const instead = failed && trade.instead?.(open, failed)
    if (instead) Object.assign(open, { commands: instead, done: {}, out_at: 0 })
    const rings = open.type === 'find' && !failed && age_ms < (open.seconds ?? 0) * 1000
    return instead || rings ? undefined : saidOf(outcomes)
  }
  if (open.type !== 'restart') return undefined
  if (failed) return saidOf([failed])
  return age_ms > restart_ms ? cannot('not_restarted', 'The device did not restart') : undefined
}

function isUnheard({ now }: WorkTurn, { type, times, out_at }: Open): boolean {
  return repeatable.has(type) && times < times_max && now - (out_at ?? 0) > unheard_ms
}

/** When the newest of what it works on went out. */
export const outSince = ({ open, config }: KeptWork & KeptConfig): number =>
  Math.max(config?.out_at ?? 0, ...open.map(({ state, out_at }) => (state === 'executing' ? (out_at ?? 0) : 0)))

/** When a device that was told to reset itself is taken to have done so. */
export function resetDueOf({ open }: KeptWork): Date | null {
  const reset = open.find(({ type, state }) => type === 'factory_reset' && state === 'executing')
  return reset?.out_at === undefined ? null : new Date(reset.out_at + silent_reset_ms)
}
