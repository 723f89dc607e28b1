import type { Down, Up } from '@mdm/device-link'
import type { Say } from '../shared/talk.ts'
import { osWorkOf } from '../shared/os-work.ts'
import { cannot } from '../shared/refusals.ts'
import { listOf, partOf, textOf } from '../shared/values.ts'
import { inventoryOf } from './inventory.ts'
import type { Attributes } from './inventory.ts'

type Task = Down['task']
type Report = Up['task']

/** An attempt of a push that the client is offered or has begun: its deployment. */
export type Open = {
  task_kid: string
  attempt: number
  state: 'receipt' | 'downloading' | 'downloaded' | 'executing'
  expires_at: string
  artifact: { url: string; artifact_name: string; device_types: string[] }
  /** It says that it failed before it says why. */
  is_failed?: boolean
}
export type Kept = {
  open: Open[]
  /** Ids of deployments that have ended here, the newest last: an answer may have been lost. */
  ended: { id: string; is_canceled: boolean }[]
  attributes: Attributes
  /** Kinds of tunnels that its mender-connect opens, while that is connected. */
  tunnels?: string[]
  token_until?: number
  hello?: string
  state?: string
}
export type Turn = { now: number; kept: Kept; origin: string; say: Say; report(body: Report): void }

const open_max = 50
const ended_max = 20
const log_max = 4_000

export const idOf = ({ task_kid, attempt }: Pick<Open, 'task_kid' | 'attempt'>): string => `${task_kid}.${attempt}`

/** A task or a repeat of one that the server has not heard of since. */
export function takeTask(turn: Turn, task: Task): void {
  const { task_kid, attempt, expires_at } = task
  const { kept } = turn
  const known = kept.open.find((each) => idOf(each) === idOf(task))
  if (known) return turn.report({ task_kid, attempt, state: known.state })
  const artifact = artifactOf(turn, task)
  if ('state' in artifact) return turn.report({ task_kid, attempt, ...artifact })
  if (kept.open.length >= open_max) return
  // Earlier attempts have ended at the server.
  for (const earlier of kept.open.filter((each) => each.task_kid === task_kid)) end(turn, earlier, 'canceled')
  kept.open.push({ task_kid, attempt, state: 'receipt', expires_at, artifact })
  turn.report({ task_kid, attempt, state: 'receipt' })
}

/** What the client has to install, or what becomes of the push at once. */
function artifactOf({ kept, origin }: Turn, task: Task) {
  if (task.download_prompt || task.install_prompt) return cannot('not_supported', 'The client does not ask its user')
  if (task.window) return cannot('not_supported', 'The client does not tell its time zone')
  const work = osWorkOf(task, inventoryOf(kept), origin)
  if (!('file' in work)) return work
  const { url, said_version, hardware = [] } = work.file
  const device_types = hardware.length > 0 ? hardware : [kept.attributes['device_type'] ?? '']
  return { url, artifact_name: said_version ?? work.build.os_version, device_types }
}

/** What the client has not begun to install ends at once: its next word about it is answered with a conflict. */
export function takeCancel(turn: Turn, { task_kid, attempt }: Down['cancel']): void {
  const open = turn.kept.open.find((each) => each.task_kid === task_kid && each.attempt === attempt)
  if (open?.state === 'executing') return
  if (open) end(turn, open, 'canceled')
  turn.report({ task_kid, attempt, state: 'canceled' })
}

function end({ kept }: Turn, open: Open, as: 'ended' | 'canceled'): void {
  kept.open = kept.open.filter((each) => each !== open)
  kept.ended = [...kept.ended, { id: idOf(open), is_canceled: as === 'canceled' }].slice(-ended_max)
}

/** The oldest that may still begin. One that failed without saying why, or that another version stands for, is over. */
export function nextOf(turn: Turn): Open | undefined {
  for (const open of turn.kept.open.slice()) {
    const { task_kid, attempt } = open
    if (open.is_failed) fail(turn, open, {})
    else if (open.state === 'receipt' && Date.parse(open.expires_at) <= turn.now) {
      end(turn, open, 'ended')
      turn.report({ task_kid, attempt, state: 'failed', code: 'expired' })
    } else return open
  }
  return undefined
}

/** By the word of the client; the others are steps within these. */
const steps: Partial<Record<string, Open['state']>> = {
  downloading: 'downloading',
  pause_before_installing: 'downloaded',
  installing: 'executing',
  pause_before_rebooting: 'executing',
  rebooting: 'executing',
  pause_before_committing: 'executing',
}
const order: Open['state'][] = ['receipt', 'downloading', 'downloaded', 'executing']
/** After these it can still be stopped. */
export const isStoppable = (status: string): boolean =>
  ['downloading', 'pause_before_installing', 'installing'].includes(status)

/** What the client says of a deployment; false where it has to stop. */
export function takeStatus(turn: Turn, id: string, status: string, substate: string | undefined): boolean {
  const { kept } = turn
  const open = kept.open.find((each) => idOf(each) === id)
  // Told before, and the answer was lost.
  if (!open) return kept.ended.some((each) => each.id === id && !each.is_canceled)
  const { task_kid, attempt, artifact } = open
  if (status === 'failure') {
    open.is_failed = true
  } else if (status === 'success' || status === 'already-installed') {
    end(turn, open, 'ended')
    // What it runs is known before it is said to be done.
    kept.attributes['artifact_name'] = artifact.artifact_name
    const text = status === 'success' ? (substate ?? '') : 'It was installed already'
    turn.report({ task_kid, attempt, state: 'completed', ...(text && { result: { text } }) })
  } else if (status === 'aborted') {
    end(turn, open, 'ended')
    const message = substate ?? 'The client has stopped it'
    turn.report({ task_kid, attempt, state: 'failed', code: 'command_failed', message })
  } else {
    const state = steps[status]
    if (state && order.indexOf(state) > order.indexOf(open.state)) {
      open.state = state
      turn.report({ task_kid, attempt, state })
    }
  }
  return true
}

const worst = /^(error|fatal|panic)/i

/** The log of one that failed, which says why. */
export function takeLog(turn: Turn, id: string, body: unknown): void {
  const open = turn.kept.open.find((each) => idOf(each) === id)
  if (!open) return
  const lines = listOf(partOf(body)['messages'])
    .slice(-1_000)
    .flatMap((each) => {
      const { timestamp, level, message } = partOf(each)
      const text = textOf(message, 1_000)
      return text ? [{ text, level: textOf(level, 20) ?? '', at: textOf(timestamp, 40) ?? '' }] : []
    })
  const text = lines
    .map((line) => `${line.at} ${line.level} ${line.text}`.trim())
    .join('\n')
    .slice(-log_max)
  const message = lines.findLast(({ level }) => worst.test(level))?.text
  fail(turn, open, { ...(message && { message }), ...(text && { result: { text } }) })
}

function fail(turn: Turn, open: Open, why: Pick<Report, 'message' | 'result'>): void {
  const { task_kid, attempt } = open
  end(turn, open, 'ended')
  turn.report({ task_kid, attempt, state: 'failed', code: 'command_failed', ...why })
}
