import { useTranslation } from 'react-i18next'
import type { ListReport } from '@mdm/contract'
import { useSessionStore } from '../../../core/session-store.ts'
import { localeOf } from '../../../i18n/language.ts'

/** '07:00' */
export const hourText = (hour: number): string => `${String(hour).padStart(2, '0')}:00`

/** Monday to Sunday, as the person's language calls them. */
export function useWeekdays(): { day: number; name: string }[] {
  const locale = localeOf[useSessionStore((s) => s.language)]
  const format = new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' })
  // 2024-01-01 was a Monday.
  return [1, 2, 3, 4, 5, 6, 7].map((day) => ({ day, name: format.format(Date.UTC(2024, 0, day)) }))
}

/** When a report is mailed: 'Every Monday at 07:00'. */
export function useRhythm(): (of: Pick<ListReport, 'every' | 'hour' | 'weekday' | 'day'>) => string {
  const { t } = useTranslation('ui/list/report')
  const weekdays = useWeekdays()
  return ({ every, hour, weekday, day }) =>
    t(`rhythm.${every}`, {
      hour: hourText(hour),
      weekday: weekdays.find((each) => each.day === weekday)?.name ?? '',
      day: String(day),
    })
}
