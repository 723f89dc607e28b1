import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { To } from 'react-router'
import type { PushStep, PushTaskDetail, Rollout } from '@mdm/contract'
import { useCount } from '../../../ui/value/format.ts'
import { judged } from './step-counts.ts'
import './task.css'

type Props = {
  task: Pick<PushTaskDetail, 'plan' | 'phase' | 'step'>
  rollout: Rollout
  /** Where the devices of a step are listed. */
  linkTo: (step: number) => To
}
const over: readonly PushTaskDetail['phase'][] = ['ended', 'canceled', 'rejected']
const parts = ['completed', 'running', 'waiting', 'failed', 'canceled'] as const
type Part = (typeof parts)[number]

/**
 * The steps of a rollout, one bar each. What succeeded grows from the left to its mark, what failed from the right to its
 * own; who was canceled or left stands outside of both.
 */
export function StepsPicture({ task, rollout, linkTo }: Props) {
  const { t } = useTranslation('push-task/task')
  const last = task.plan.length
  return (
    <section className="steps" aria-label={t('picture.title')}>
      <ol>
        {task.plan.map((step) => (
          <Step key={step.step} step={step} is_last={step.step === last} {...{ task, rollout, linkTo }} />
        ))}
      </ol>
      <p className="steps-legend dim">
        {last > 1 && rollout.success_percent > 0 && (
          <span>
            <i data-part="completed" aria-hidden /> {t('picture.legend_success')}
          </span>
        )}
        <span>
          <i data-part="failed" aria-hidden /> {t('picture.legend_error')}
        </span>
      </p>
    </section>
  )
}

function Step({ step, is_last, task, rollout, linkTo }: Props & { step: PushStep; is_last: boolean }) {
  const { t } = useTranslation('push-task/task')
  const count = useCount()
  const { total, completed, canceled, gone } = step.counts
  const { target_count, errors, open } = judged(step.counts)
  const is_over = over.includes(task.phase)
  const is_current = task.step === step.step && !is_over
  const state = is_current && task.phase === 'paused' ? 'paused' : step.state
  const of_part: Record<Part, number> = {
    completed,
    running: step.state === 'open' ? open : 0,
    waiting: step.state === 'open' ? 0 : open,
    failed: errors,
    canceled: canceled + gone,
  }
  const there = parts.filter((part) => of_part[part] > 0)
  const counts = there.map((part) => t(`picture.${part}`, { shown: count(of_part[part]) })).join(t('now.comma'))
  const share = (devices: number) => (total > 0 ? (devices / total) * 100 : 0)
  const success_at = share((target_count * rollout.success_percent) / 100)
  const error_at = share(target_count - (target_count * rollout.error_percent) / 100)
  const name = t('picture.step', { step: count(step.step) })
  const devices = t('picture.devices', { count: total, shown: count(total) })
  const said =
    state !== 'waits'
      ? t(`picture.${state}`)
      : is_over
        ? t('picture.stopped')
        : step.step === 1
          ? t('picture.waits_start')
          : t('picture.waits', { step: count(step.step - 1) })
  const has_success_mark = !is_last && rollout.success_percent > 0 && target_count > 0
  const marks = [
    ...(has_success_mark
      ? [t('picture.success_mark', { percent: rollout.success_percent, target_count: count(target_count) })]
      : []),
    ...(target_count > 0
      ? [t('picture.error_mark', { percent: rollout.error_percent, target_count: count(target_count) })]
      : []),
  ].join(t('now.comma'))
  return (
    <li data-state={state} aria-current={is_current ? 'step' : undefined}>
      <p className="steps-head">
        <Link to={linkTo(step.step)} title={t('picture.open_step', { step: count(step.step) })} preventScrollReset>
          {name}
        </Link>
        <span className="number">{devices}</span>
        {step.step === 1 && rollout.picked_kids && <span className="dim">{t('picture.picked')}</span>}
        <span className="steps-state">{said}</span>
      </p>
      <div
        role="img"
        className="steps-bar"
        aria-label={t('picture.said', {
          step: name,
          devices,
          state: said,
          counts: counts && marks ? t('picture.counts_and_marks', { counts, marks }) : counts || marks,
        })}
        title={[counts, marks].filter(Boolean).join('\n')}
      >
        {there.map((part) => (
          <i key={part} data-part={part} style={{ flexGrow: of_part[part] }} />
        ))}
        {has_success_mark && <b data-mark="success" style={{ insetInlineStart: `${success_at}%` }} />}
        {target_count > 0 && <b data-mark="error" style={{ insetInlineStart: `${error_at}%` }} />}
      </div>
      <p className="steps-foot dim">
        <span>{counts || '–'}</span>
        {is_current && <span>{marks}</span>}
      </p>
    </li>
  )
}
