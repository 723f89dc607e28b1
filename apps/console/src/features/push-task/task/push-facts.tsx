import { pushKinds, windowText } from '@mdm/contract'
import type { PushConditions, PushTaskRow, PushTaskType, Rollout } from '@mdm/contract'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { useSessionStore } from '../../../core/session-store.ts'
import { listText } from '../../../i18n/list-text.ts'
import type { Property } from '../../../ui/DetailPage.tsx'
import { useCount } from '../../../ui/value/format.ts'
import { Duration } from '../../../ui/value/values.tsx'
import './task.css'

type Work = { summary: string; payload: unknown }
type Words = TFunction<'push-task/task'>
type Titled = { name: string; version_name: string }
const textIn = (payload: unknown, name: string): string | undefined => {
  const value = (payload as Record<string, unknown> | null)?.[name]
  return typeof value === 'string' ? value : undefined
}

/** What a kind of push shows of its payload. One that its name says all about has nothing; passwords never come this far. */
const contents: Partial<Record<PushTaskType, (work: Work, t: Words) => Property[]>> = {
  message: ({ payload }, t) => [
    {
      label: t('fact.message'),
      is_wide: true,
      value: (
        <div className="push-words">
          <strong>{textIn(payload, 'title')}</strong>
          {'\n'}
          {textIn(payload, 'text')}
        </div>
      ),
    },
  ],
  file: ({ summary, payload }, t) => [
    { label: t('fact.files'), value: summary, is_wide: true },
    { label: t('fact.folder'), value: <code>{textIn(payload, 'path')}</code> },
  ],
  config_file: ({ summary }, t) => [{ label: t('fact.files'), value: summary, is_wide: true }],
  app_install: ({ summary, payload }, t) => {
    const { needed = [], may_downgrade } = payload as { needed?: readonly Titled[]; may_downgrade?: boolean }
    const titles = needed.map(({ name, version_name }) => `${name} ${version_name}`)
    return [
      { label: t('fact.apps'), value: summary, is_wide: true },
      ...(titles.length > 0 ? [{ label: t('fact.needed'), value: listText(titles), is_wide: true }] : []),
      ...(may_downgrade ? [{ label: t('fact.downgrade'), value: t('fact.downgrade_yes') }] : []),
    ]
  },
  app_uninstall: ({ summary }, t) => [{ label: t('fact.packages'), value: <code>{summary}</code>, is_wide: true }],
  find: ({ payload }, t) => {
    const { seconds } = pushKinds.find.payload.safeParse(payload).data ?? {}
    return [{ label: t('fact.seconds'), value: <Duration seconds={seconds} /> }]
  },
}

/** What is pushed, by kind. */
export function useContentFacts(task: (Work & Pick<PushTaskRow, 'type'>) | undefined): Property[] {
  const { t } = useTranslation('push-task/task')
  return (task && contents[task.type]?.(task, t)) ?? []
}

/** What a device waits for before it begins, and what it does afterwards: a sentence each. */
export function useConditionTexts(): (of: PushConditions) => string[] {
  const { t } = useTranslation('push-task/task')
  const language = useSessionStore((s) => s.language)
  return ({ network, window, min_battery, download_prompt, install_prompt, force_install, after_install }) => [
    ...(network === 'wifi' ? [t('condition.wifi')] : []),
    ...(window ? [t('condition.window', { window: windowText(window, language) })] : []),
    ...(min_battery === undefined ? [] : [t('condition.battery', { percent: min_battery })]),
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
  const { t } = useTranslation('push-task/task')
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
      t('rollout.steps', { steps: list }),
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
