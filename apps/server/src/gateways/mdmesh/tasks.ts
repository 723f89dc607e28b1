import { isKid } from '@mdm/device-link'
import type { Down, Up } from '@mdm/device-link'
import { commandsOf, waitsFor } from './commands.ts'
import type { Facts } from './commands.ts'
import type { Command, Kept, Open, Outcome } from './kept.ts'
import type { AgentEvent, Result } from './said.ts'
import { agent_package } from './telemetry.ts'

type Task = Down['task']
type Report = Up['task']
export type Turn = {
  now: number
  kept: Kept
  boot_id: string | undefined
  facts: Facts & {
    agent_version: string | undefined
    network: string | undefined
    level: number | undefined
    is_charging: boolean
  }
  report(body: Report): void
  hand(id: string, command: Command): void
}

/** Without news for so long, a command that does no harm twice goes out again under another id. */
const unheard_ms = 30 * 60_000
const times_max = 5
/** A device that was told to restart or to reset itself, and comes later than this as it was, has not done so. */
const restart_ms = 20 * 60_000
const reset_ms = 3 * 60_000
/** One that was told to reset itself and is silent for so long has. */
export const silent_reset_ms = 20 * 60_000
const open_max = 200
const repeatable = new Set<Task['type']>(['app_install', 'app_uninstall'])

const idOf = ({ task_kid, attempt, times, commands }: Open, place: number): string =>
  `${task_kid}.${attempt}.${times}.${place}.${commands.length}`

/** A task or a repeat of one that the server has not heard of since. */
export function takeTask(turn: Turn, task: Task): void {
  const { task_kid, attempt, type } = task
  const { open } = turn.kept
  const known = open.find((each) => each.task_kid === task_kid && each.attempt === attempt)
  if (known) return turn.report({ task_kid, attempt, state: known.state })
  const commands = commandsOf(task, turn.facts)
  if (!Array.isArray(commands)) return turn.report({ task_kid, attempt, state: 'failed', ...commands })
  if (open.length >= open_max) return
  const waits = waitsFor(task, turn.facts)
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

function handOut(turn: Turn, open: Open): void {
  const { task_kid, attempt } = open
  open.times += 1
  Object.assign(open, { state: 'executing', out_at: turn.now, boot_id: turn.boot_id, done: {} })
  open.commands.forEach((command, place) => turn.hand(idOf(open, place), command))
  turn.report({ task_kid, attempt, state: 'executing' })
  // Passwords are not kept.
  if (!repeatable.has(open.type)) {
    delete open.task
    open.commands = open.commands.map(({ type }) => ({ type }))
  }
}

/** What can still be stopped is: what rings, and what has not gone out. */
export function takeCancel(turn: Turn, { task_kid, attempt }: Down['cancel']): void {
  const open = turn.kept.open.find((each) => each.task_kid === task_kid && each.attempt === attempt)
  if (open?.state === 'executing' && open.type !== 'find') return
  if (open?.state === 'executing') turn.hand(`stop.${task_kid}.${attempt}.${turn.now}`, { type: 'device.ringStop' })
  drop(turn, open)
  turn.report({ task_kid, attempt, state: 'canceled' })
}

function drop({ kept }: Turn, open: Open | undefined): void {
  kept.open = kept.open.filter((each) => each !== open)
}
function end(turn: Turn, open: Open, said: Pick<Report, 'state' | 'code' | 'message' | 'result'>): void {
  drop(turn, open)
  turn.report({ task_kid: open.task_kid, attempt: open.attempt, ...said })
}

const idPattern = /^([0-9a-f-]{36})\.(\d{1,6})\.(\d{1,6})\.(\d{1,3})\.(\d{1,3})$/

/** What the agent says of its commands. One that it had done before says nothing; one of a task that is over here is told all the same. */
export function takeResults(turn: Turn, results: readonly Result[], events: readonly AgentEvent[]): void {
  const told = new Set(results.map(({ id }) => id))
  const lost = events.flatMap(({ type, detail }): Result[] => {
    const [, id, status] = (type === 'commandResult' && /^(.+):([A-Z]+)$/.exec(detail)) || []
    return id && status && !told.has(id) ? [{ id, status: status.toLowerCase(), detail: '' }] : []
  })
  for (const { id, status, detail } of [...results, ...lost]) {
    if (detail === 'duplicate ignored') continue
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

function saidOf(outcomes: readonly Outcome[]): Pick<Report, 'state' | 'code' | 'message' | 'result'> {
  const failed = outcomes.find(({ status }) => status !== 'done')
  const text = outcomes
    .map(({ detail }) => detail)
    .filter(Boolean)
    .join('\n')
    .slice(0, 4_000)
  if (!failed) return { state: 'completed', ...(text && { result: { text } }) }
  return {
    state: 'failed',
    code: codes[failed.status] ?? 'command_failed',
    ...(failed.detail && { message: failed.detail }),
  }
}

/** Ends what has ended, sends again what may be lost, and begins what had to wait. */
export function judge(turn: Turn): void {
  for (const open of turn.kept.open.slice()) {
    const { task } = open
    if (open.state !== 'executing') {
      if (task && Date.parse(task.expires_at) <= turn.now) end(turn, open, { state: 'failed', code: 'expired' })
      else if (!task || !waitsFor(task, turn.facts)) handOut(turn, open)
      continue
    }
    noteSelfUpdate(turn, open)
    const verdict = turn.kept.is_reset ? afterReset(open) : verdictOf(turn, open)
    if (verdict) end(turn, open, verdict)
    else if (turn.kept.is_reset || isUnheard(turn, open)) handOut(turn, open)
  }
  delete turn.kept.is_reset
}

/** Its commands are gone with the device that it was: they go out to the one that it is now, but for those that it is not to get twice. */
function afterReset({ type }: Open): ReturnType<typeof verdictOf> {
  if (type === 'factory_reset') return { state: 'completed' }
  return repeatable.has(type)
    ? undefined
    : { state: 'failed', code: 'device_reset', message: 'The device was reset meanwhile' }
}

function verdictOf(turn: Turn, open: Open) {
  const { now, boot_id } = turn
  const age_ms = now - (open.out_at ?? now)
  const outcomes = open.commands.map((_, place) => open.done[String(place)])
  const failed = outcomes.find((each) => each !== undefined && each.status !== 'done')
  const has_booted = boot_id !== undefined && open.boot_id !== undefined && boot_id !== open.boot_id
  const reboots = open.commands.at(-1)?.type === 'device.reboot'
  // The result of what ends the agent rarely comes: its clock tells.
  if (reboots && has_booted) outcomes[outcomes.length - 1] = { status: 'done', detail: '' }
  else if (reboots && !failed && outcomes.at(-1)) outcomes[outcomes.length - 1] = undefined
  if (open.type === 'factory_reset')
    return failed
      ? saidOf([failed])
      : age_ms > reset_ms
        ? { state: 'failed' as const, code: 'not_reset', message: 'The device did not reset itself' }
        : undefined
  if (outcomes.every((each) => each !== undefined)) {
    if (isDowngrade(open, failed)) return undefined
    if (open.type === 'find' && !failed && age_ms < (open.seconds ?? 0) * 1000) return undefined
    return saidOf(outcomes)
  }
  if (open.type === 'restart' && failed) return saidOf([failed])
  if (open.type === 'restart' && age_ms > restart_ms)
    return { state: 'failed' as const, code: 'not_restarted', message: 'The device did not restart' }
  return undefined
}

/** A higher version is there, and the push may put a lower one in its place: it goes first, with its data. */
function isDowngrade(open: Open, failed: Outcome | undefined): boolean {
  const { task } = open
  if (!failed?.detail.startsWith('downgrade blocked') || task?.type !== 'app_install') return false
  const gone = open.commands
    .filter(({ type }) => type === 'app.uninstall')
    .map(({ payload }) => payload!['packageName'])
  const giving = task.payload.apps.filter((app) => app.may_downgrade && !gone.includes(app.package))
  if (giving.length === 0) return false
  open.commands = [
    ...giving.map((app) => ({ type: 'app.uninstall', payload: { packageName: app.package } })),
    ...open.commands,
  ]
  open.done = {}
  open.out_at = 0
  return true
}

function isUnheard({ now }: Turn, { type, times, out_at }: Open): boolean {
  return repeatable.has(type) && times < times_max && now - (out_at ?? 0) > unheard_ms
}

/** The agent that installs itself ends before it can say so. */
function noteSelfUpdate({ facts }: Turn, open: Open): void {
  if (open.task?.type !== 'app_install') return
  const own = open.task.payload.apps.find((app) => app.package === agent_package)
  if (!own || own.version !== facts.agent_version) return
  open.commands.forEach(({ type, payload }, place) => {
    if (type === 'app.install' && payload?.['packageName'] === agent_package)
      open.done[String(place)] = { status: 'done', detail: `version ${own.version}` }
  })
}
