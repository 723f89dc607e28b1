import { pushTaskStates } from '@mdm/contract'
import type { Down, ReportedState, Up } from '@mdm/device-link'
import { osWorkOf } from '../shared/os-work.ts'
import { cannot } from '../shared/refusals.ts'
import { zoneIn } from '../shared/window.ts'
import { inventoryOf } from './inventory.ts'
import type { Action, Kept } from './kept.ts'
import type { Feedback } from './said.ts'

type Report = Up['task']
export type Turn = { now: number; kept: Kept; report(body: Report): void }

/** Beyond it the numbers begin anew: agents read them as whole numbers of 32 bits. */
const ids_max = 2 ** 31 - 1
const actions_max = 50

/** A task or a repeat of one that the server has not heard of since. */
export function takeTask({ kept, report }: Turn, task: Down['task'], origin: string): void {
  const { task_kid, attempt } = task
  const isSame = (each: Action) => each.task_kid === task_kid && each.attempt === attempt
  const there = kept.actions.find(isSame)
  if (there) return there.state === 'offered' ? undefined : report({ task_kid, attempt, state: there.state })
  if (kept.actions.length >= actions_max) return
  const has_zone = task.window === undefined || zoneOf(kept) !== undefined
  const work = has_zone
    ? osWorkOf(task, inventoryOf(kept), origin)
    : cannot('not_supported', 'The agent does not tell its time zone')
  if ('state' in work) return report({ task_kid, attempt, ...work })
  const id = kept.offered.find(isSame)?.id ?? (kept.last_id = (kept.last_id % ids_max) + 1)
  const asks = task.download_prompt ? 'download_prompt' : task.install_prompt ? 'install_prompt' : undefined
  // Earlier attempts have ended at the server.
  kept.actions = kept.actions.filter((each) => each.task_kid !== task_kid)
  kept.actions.push({
    ...{ id, task_kid, attempt, state: 'offered', ...work },
    ...(task.window && { window: task.window }),
    ...(asks && !task.force_install && { asks }),
  })
}

/** What it has not read is not done unless it is owed still. */
export function setOfferedAside(kept: Kept): void {
  kept.offered = kept.actions.filter(({ state }) => state === 'offered')
  kept.actions = kept.actions.filter(({ state }) => state !== 'offered')
}

/** What it works on. */
export const heldOf = ({ actions }: Kept): NonNullable<Up['hello']['tasks']> =>
  actions.flatMap(({ task_kid, attempt, state }) => (state === 'offered' ? [] : { task_kid, attempt, state }))

/** What the agent has not read yet is not done; for the rest it is asked. */
export function takeCancel({ kept, report }: Turn, { task_kid, attempt }: Down['cancel']): void {
  const action = kept.actions.find((each) => each.task_kid === task_kid && each.attempt === attempt)
  if (action && action.state !== 'offered') action.cancel ??= 'asked'
  else report({ task_kid, attempt, state: 'canceled' })
  if (action?.state === 'offered') drop(kept, action)
}

/** It has read what to do, or that its user is to be asked. */
export function noteRead({ report }: Turn, action: Action): void {
  const { task_kid, attempt, asks } = action
  if (action.state === 'offered') {
    action.state = 'receipt'
    report({ task_kid, attempt, state: 'receipt' })
  }
  if (!asks || action.state !== 'receipt') return
  action.state = asks === 'download_prompt' ? 'wait_download' : 'wait_execute'
  report({ task_kid, attempt, state: action.state, waits: { for: asks } })
}

const stateOf: Record<string, ReportedState> = {
  download: 'downloading',
  downloaded: 'downloaded',
  scheduled: 'wait_execute',
  proceeding: 'executing',
  resumed: 'executing',
}
const rank = (state: Action['state']): number => (state === 'offered' ? 0 : pushTaskStates.indexOf(state))

/** What the agent says of its work. */
export function takeFeedback({ kept, report }: Turn, action: Action, said: Feedback): void {
  const { execution, is_failure, percent, code, text } = said
  const { task_kid, attempt } = action
  const end = (body: Omit<Report, 'task_kid' | 'attempt'>): void => {
    drop(kept, action)
    report({ task_kid, attempt, ...body })
  }
  if (execution === 'canceled') return end({ state: 'canceled' })
  if (execution === 'closed') {
    const message = text.slice(-1_000) || 'The agent does not say why'
    if (is_failure)
      return end(cannot('update_failed', code === undefined ? message : `${code}: ${message}`.slice(0, 1_000)))
    // SWUpdate closes well what it skips because it has seen that it is canceled.
    if (action.cancel === 'asked' && rank(action.state) < rank('executing')) return end({ state: 'canceled' })
    Object.assign(kept, { build: action.build, installed: action })
    return end({ state: 'completed', ...(text && { result: { text: text.slice(-4_000) } }) })
  }
  const state = stateOf[execution]
  // None is taken back.
  if (!state || rank(state) < rank(action.state)) return
  action.state = state
  report({ task_kid, attempt, state, ...(percent !== undefined && { progress: percent }) })
}

/** Whether what was cancelled could be; the agent goes on with what could not. */
export function takeCancelFeedback({ kept, report }: Turn, action: Action, { execution, is_failure }: Feedback): void {
  const { task_kid, attempt } = action
  if (execution === 'rejected' || (execution === 'closed' && is_failure)) action.cancel = 'refused'
  else if (execution === 'closed' || execution === 'canceled') {
    drop(kept, action)
    report({ task_kid, attempt, state: 'canceled' })
  }
}

function drop(kept: Kept, action: Action): void {
  kept.actions = kept.actions.filter((each) => each !== action)
}

export const zoneOf = ({ attributes }: Kept): string | undefined =>
  zoneIn(attributes['time_zone'] ?? attributes['timezone'])
