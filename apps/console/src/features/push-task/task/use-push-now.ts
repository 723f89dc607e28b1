import { pushEffects } from '@mdm/contract'
import type { PushTaskDetail, PushTaskRow } from '@mdm/contract'
import { useTranslation } from 'react-i18next'
import { useCount } from '../../../ui/value/format.ts'
import { useMoment } from './moment.ts'
import { judged, percentOf } from './step-counts.ts'

type Task = PushTaskRow & Partial<Pick<PushTaskDetail, 'plan' | 'rollout' | 'decided_by' | 'remark'>>

/** How a push stands, in one sentence: who waits for what. A row of a list has no steps and says less. */
export function usePushNow(): (task: Task) => string {
  const { t } = useTranslation(['push-task/task', 'push'])
  const count = useCount()
  const moment = useMoment()

  /** '5 completed, 1 failed': those there are. */
  const named = (counts: Task['counts'], parts: readonly ('completed' | 'failed' | 'canceled')[]) =>
    parts
      .filter((part) => counts[part] > 0)
      .map((part) => t(`push:part.${part}`, { count: counts[part], shown: count(counts[part]) }))
      .join(t('now.comma'))

  const shown = (task: Task) => {
    const { total, completed, failed, wait_receipt, running } = task.counts
    return {
      total: count(total),
      completed: count(completed),
      failed: count(failed),
      others: named(task.counts, ['failed', 'canceled']),
      parts: named(task.counts, ['completed', 'failed', 'canceled']),
      open: wait_receipt + running,
    }
  }

  const running = (task: Task): string => {
    const { plan, rollout, step, steps, counts } = task
    const open = counts.wait_receipt + counts.running
    const current = plan?.find((each) => each.step === step)
    if (open === 0 && rollout?.takes_later && task.deadline_at && step === steps)
      return t('now.running_later', { count: counts.total, total: count(counts.total), at: moment(task.deadline_at) })
    // Steps go on before all of their devices are done: those of an earlier one may be all that is waited for.
    const is_step_over = current && step === steps && open > 0 && judged(current.counts).open === 0
    if (!current || !rollout || step === null || steps === null || is_step_over) {
      const key = counts.running === 0 && open > 0 ? 'now.running_unreceived' : 'now.running'
      return t(key, { count: open, shown: count(open), total: count(counts.total) })
    }
    const { target_count, completed, not_counted } = judged(current.counts)
    const place = { step: count(step), steps: count(steps), target_count: count(target_count) }
    const done = count(target_count - judged(current.counts).open)
    const said = (first: string) =>
      not_counted > 0
        ? t('now.and', { first, second: t('now.not_counted', { count: not_counted, shown: count(not_counted) }) })
        : first
    if (step >= steps) return said(t('now.step_last', { ...place, count: target_count, done }))
    if (rollout.success_percent === 0) return said(t('now.step_all', { ...place, count: target_count, done }))
    const percent = rollout.success_percent
    return said(t('now.step', { ...place, count: target_count, percent, now: percentOf(completed, target_count) }))
  }

  const paused = (task: Task): string => {
    const { plan, rollout, step, paused_because, counts } = task
    if (!paused_because || step === null) {
      const waiting = counts.wait_receipt
      return t('now.paused', { count: waiting, shown: count(waiting) })
    }
    const current = plan?.find((each) => each.step === step)
    if (!current || !rollout) return t(`now.paused_${paused_because}_short`, { step: count(step) })
    const { target_count, completed, errors } = judged(current.counts)
    const place = { step: count(step), target_count: count(target_count) }
    return paused_because === 'errors'
      ? t('now.paused_errors', {
          ...place,
          failed: count(errors),
          now: percentOf(errors, target_count),
          limit: rollout.error_percent,
        })
      : t('now.paused_too_few_succeeded', {
          ...place,
          completed: count(completed),
          now: percentOf(completed, target_count),
          limit: rollout.success_percent,
        })
  }

  const canceled = (task: Task): string => {
    const { counts, remark, deadline_at, phase_at, is_stopping } = task
    const { open, ...said } = shown(task)
    if (remark === 'late' && deadline_at !== null && deadline_at <= phase_at) return t('now.canceled_late')
    if (remark === 'creator_gone') return t('now.canceled_creator')
    if (remark === 'token_gone') return t('now.canceled_token')
    if (remark === 'task_no_device' || remark === 'task_too_many_per_hour' || remark === 'picked_not_meant')
      return t(`now.canceled_${remark}`)
    if (counts.total === 0) return t('now.canceled_before')
    if (is_stopping && open > 0) return t('now.canceling', { done: count(counts.total - open), total: said.total })
    if (open > 0) return t('now.canceled_asked', { count: open, shown: count(open) })
    return t('now.canceled', { ...said, count: counts.total })
  }

  const retrying = ({ devices, left, by, at }: NonNullable<Task['retry']>): string =>
    new Date(at) > new Date()
      ? t('now.retry_planned', { count: devices, shown: count(devices), by, at: moment(at) })
      : t('now.retrying', { done: count(devices - left), total: count(devices) })

  return (task) => {
    const { phase, start_at, counts, target_count, effect, retry, frozen_count } = task
    if (retry && phase !== 'paused') return retrying(retry)
    switch (phase) {
      case 'awaiting_approval':
        return start_at ? t('now.awaiting_approval_until', { at: moment(start_at) }) : t('now.awaiting_approval')
      case 'planned':
        return start_at ? t('now.planned', { at: moment(start_at) }) : t('now.planned_now')
      case 'creating':
        if (frozen_count !== null) return t('now.listing', { done: count(frozen_count), total: count(target_count) })
        return t('now.creating', { done: count(counts.total), total: count(target_count) })
      case 'running':
        return running(task)
      case 'paused':
        return paused(task)
      case 'canceled':
        return canceled(task)
      case 'rejected':
        return task.remark
          ? t('now.rejected_remark', { name: task.decided_by ?? '', remark: task.remark })
          : task.decided_by
            ? t('now.rejected', { name: task.decided_by })
            : `${t('phase.rejected')}.`
      case 'ended': {
        const { open, ...said } = shown(task)
        if (counts.total === 0) return t('now.ended_empty')
        return effect === null
          ? t('now.running', { count: open, shown: count(open), total: said.total })
          : t(`now.ended_${effectName(effect)}`, { ...said, count: counts.total })
      }
    }
  }
}

const effects = Object.entries(pushEffects) as [keyof typeof pushEffects, number][]
export type EffectName = Exclude<keyof typeof pushEffects, 'all'>
export const effectNames = effects.flatMap(([name]) => (name === 'all' ? [] : [name]))
export const effectName = (effect: number): EffectName =>
  (effects.find(([, value]) => value === effect)?.[0] ?? 'invalid') as EffectName
