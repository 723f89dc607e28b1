import type { Language } from '@mdm/contract'
import type { TFunction } from 'i18next'
import { localeOf } from '../../../i18n/language.ts'
import { dateParts } from '../../../ui/value/format.ts'
import { conditionsOf, rolloutOf, stepsOf, valuesOf } from './draft.ts'
import type { Draft } from './draft.ts'
import { cronOf, weekdayNames } from './recurrence.ts'

type In = { t: TFunction<['push-task/wizard', 'device']>; language: Language; zone: string }
/** What the check said, as numbers. */
type Counts = { total: number; left_out: number; missing?: number; has_folders?: boolean }

const minuteOf = (at: string, zone: string): string => {
  const [date, time] = dateParts(at, zone)
  return `${date} ${time.slice(0, 5)}`
}

/** What will happen to how many devices, in one sentence of the language's own parts. */
export function sentenceOf(
  draft: Draft,
  { total, left_out, missing = 0, has_folders = false }: Counts,
  { t, language, zone }: In,
): string {
  const { type } = draft
  const conditions = conditionsOf(draft) ?? {}
  const { window, start_at, deadline_at, network, min_battery } = conditions
  const { download_prompt, install_prompt, force_install, after_install } = conditions
  const steps = stepsOf(draft, total)
  const values = valuesOf(draft) as {
    title?: string
    seconds?: number
    path?: string
    file_kids?: string[]
    apps?: object[]
    packages?: string[]
  }
  const head = t(`device:kinds.${type}.head`, {
    count: total,
    title: values.title ?? '',
    seconds: values.seconds ?? 0,
    path: values.path ?? '',
    files: t(has_folders ? 'files.count_entries' : 'files.count', { count: values.file_kids?.length ?? 0 }),
    apps: t('apps.count', { count: values.apps?.length ?? 0 }),
    packages: (values.packages ?? []).join(t('sentence.comma')),
  })
  const clauses = [
    steps.length > 1 && t('sentence.steps', { steps: steps.length, first: steps[0] ?? 0 }),
    rolloutOf(draft)?.takes_later && t('sentence.later'),
    draft.start === 'recurring' && recurrenceText(draft, { t, language, zone }),
    start_at && t('sentence.from', { at: minuteOf(String(start_at), zone) }),
    window && t('sentence.window', window),
    network === 'wifi' && t('sentence.wifi'),
    min_battery !== undefined && t('sentence.battery', { percent: min_battery }),
    download_prompt && t('sentence.download_prompt'),
    install_prompt && t('sentence.install_prompt'),
    force_install && t('sentence.force_install'),
    after_install && after_install !== 'nothing' && t(`sentence.after.${after_install}`),
    deadline_at && t('sentence.until', { at: minuteOf(String(deadline_at), zone) }),
  ].filter((clause) => typeof clause === 'string')
  const body = [head, ...clauses].join(t('sentence.comma'))
  const without = [
    left_out > 0 && t('sentence.left_out', { count: left_out }),
    missing > 0 && t('sentence.missing', { count: missing }),
  ].filter((clause) => typeof clause === 'string')
  return [body, ...without].join(t('sentence.semicolon')) + t('sentence.stop')
}

/** 'every Monday and Thursday at 22:00 (Asia/Bangkok)' */
function recurrenceText({ recurrence, zone }: Draft, { t, language }: In): string {
  const { every, time, weekdays, day } = recurrence
  const names = weekdayNames(localeOf[language], language === 'zh-cn' ? 'short' : 'long').filter((each) =>
    weekdays.includes(each.day),
  )
  const list = new Intl.ListFormat(localeOf[language]).format(names.map(({ name }) => name))
  const when =
    every === 'free'
      ? t('sentence.every.free', { cron: cronOf(recurrence) })
      : every === 'week'
        ? t('sentence.every.week', { days: list, time })
        : every === 'month' && day === 'last'
          ? t('sentence.every.last', { time })
          : t(`sentence.every.${every}`, { day, time })
  return t('sentence.in_zone', { when, zone })
}
