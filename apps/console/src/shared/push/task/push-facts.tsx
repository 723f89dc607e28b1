import type { PushConditions, PushTaskRow, Rollout } from '@mdm/contract'
import { useTranslation } from 'react-i18next'
import type { Property } from '../../../ui/DetailPage.tsx'
import { useCount } from '../../../ui/value/format.ts'
import { Duration } from '../../../ui/value/values.tsx'

type Content = Pick<PushTaskRow, 'type' | 'summary'> & { payload: unknown }

/** What is pushed, by kind. A kind that its name says all about has none; passwords never come this far. */
export function useContentFacts({ type, summary, payload }: Content): Property[] {
  const { t } = useTranslation('push/task')
  const { title, text, path, seconds } = (payload ?? {}) as Record<string, unknown>
  const said = (value: unknown) => (typeof value === 'string' ? value : undefined)
  if (type === 'message')
    return [
      {
        label: t('fact.message'),
        is_wide: true,
        value: (
          <div className="push-words">
            <strong>{said(title)}</strong>
            {'\n'}
            {said(text)}
          </div>
        ),
      },
    ]
  if (type === 'file')
    return [
      { label: t('fact.files'), value: summary, is_wide: true },
      { label: t('fact.folder'), value: said(path) && <code>{said(path)}</code> },
    ]
  if (type === 'find')
    return [{ label: t('fact.seconds'), value: typeof seconds === 'number' && <Duration seconds={seconds} /> }]
  return []
}

/** What a device waits for before it begins, and what it does afterwards: a sentence each. */
export function useConditionTexts(): (of: PushConditions) => string[] {
  const { t } = useTranslation('push/task')
  return ({ network, window, download_prompt, install_prompt, force_install, after_install }) => [
    ...(network === 'wifi' ? [t('condition.wifi')] : []),
    ...(window ? [t(window.to < window.from ? 'condition.window_night' : 'condition.window', window)] : []),
    ...(download_prompt ? [t('condition.download_prompt')] : []),
    ...(install_prompt ? [t('condition.install_prompt')] : []),
    ...(force_install ? [t('condition.force_install')] : []),
    ...(after_install !== 'nothing' ? [t(`condition.${after_install}`)] : []),
  ]
}

/** Up to 100% is the rest, which is said anyway. */
const isPart = (step: Rollout['steps'][number]) => !('percent' in step && step.percent === 100)

/** A rollout in words: its steps, and when it goes on and when not; a sentence each. */
export function useRolloutTexts(): (of: Rollout) => string[] {
  const { t } = useTranslation('push/task')
  const count = useCount()
  return ({ picked_kids, steps, success_percent, error_percent, takes_later }) => {
    const parts = [
      ...(picked_kids ? [t('rollout.picked', { count: picked_kids.length, shown: count(picked_kids.length) })] : []),
      ...steps
        .filter(isPart)
        .map((step) =>
          'percent' in step
            ? t('rollout.percent', step)
            : t('rollout.count', { count: step.count, shown: count(step.count) }),
        ),
      t('rollout.rest'),
    ]
    const list = parts.join(' → ')
    return [
      t('rollout.then', { steps: list }),
      success_percent > 0 ? t('rollout.success', { percent: success_percent }) : t('rollout.success_any'),
      t('rollout.errors', { percent: error_percent }),
      ...(takes_later ? [t('rollout.later')] : []),
    ]
  }
}

/** Sentences, each on a line of its own. */
export const Lines = ({ of }: { of: readonly string[] }) => (
  <span className="push-lines-of">
    {of.map((line) => (
      <span key={line}>{line}</span>
    ))}
  </span>
)
