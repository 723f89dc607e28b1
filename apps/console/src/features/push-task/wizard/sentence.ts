import { pushSentence, subjectOfPayload } from '@mdm/contract'
import type { Language } from '@mdm/contract'
import type { TFunction } from 'i18next'
import { localeOf } from '../../../i18n/language.ts'
import { dateParts } from '../../../ui/value/format.ts'
import { conditionsOf, leftOut, rolloutOf, stepsOf, valuesOf } from './draft.ts'
import type { Checked, Draft } from './draft.ts'
import { cronOf, weekdayNames } from './recurrence.ts'

type In = { t: TFunction<['push-task/wizard', 'device']>; language: Language; zone: string }
/** What the check said, without which devices there are. */
export type CheckedFacts = Pick<
  Checked,
  'total' | 'left_out' | 'missing_count' | 'target' | 'subject' | 'from_versions'
>

const minuteOf = (at: string, zone: string): string => {
  const [date, time] = dateParts(at, zone)
  return `${date} ${time.slice(0, 5)}`
}

/** What will happen to which devices, in the sentence that stands with the push from then on, and what is true of a draft only. */
export function sentenceOf(draft: Draft, checked: CheckedFacts, { t, language, zone }: In): string {
  const { type } = draft
  const { total, missing_count: missing, target, from_versions } = checked
  const left_out = leftOut(checked)
  const conditions = conditionsOf(draft) ?? {}
  const { window = null, start_at, deadline_at, network, min_battery } = conditions
  const { download_prompt, install_prompt, force_install, after_install } = conditions
  const steps = stepsOf(draft, total)
  const subject = checked.subject ?? subjectOfPayload(type, valuesOf(draft))
  const facts = { type, subject, from_versions, target, target_count: total, window }
  const clauses = [
    steps.length > 1 && t('sentence.steps', { steps: steps.length, first: steps[0] ?? 0 }),
    rolloutOf(draft)?.takes_later && t('sentence.later'),
    draft.start === 'recurring' && recurrenceText(draft, { t, language, zone }),
    network === 'wifi' && t('sentence.wifi'),
    min_battery !== undefined && t('sentence.battery', { percent: min_battery }),
    download_prompt && t('sentence.download_prompt'),
    install_prompt && t('sentence.install_prompt'),
    force_install && t('sentence.force_install'),
    after_install && after_install !== 'nothing' && t(`sentence.after.${after_install}`),
    deadline_at && t('sentence.until', { at: minuteOf(String(deadline_at), zone) }),
  ].filter((clause) => typeof clause === 'string')
  const notes = [
    left_out > 0 && t('sentence.left_out', { count: left_out }),
    missing > 0 && t('sentence.missing', { count: missing }),
  ].filter((clause) => typeof clause === 'string')
  const at = start_at ? String(start_at) : null
  return pushSentence({ ...facts, start_at: at }, { language, zone }, { clauses, notes })
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
