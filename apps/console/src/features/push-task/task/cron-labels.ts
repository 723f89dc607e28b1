import { useTranslation } from 'react-i18next'
import { localeOf } from '../../../i18n/language.ts'
import { useSessionStore } from '../../../core/session-store.ts'

/** What a cron expression says, as far as a sentence can say it. Days are 0 (Sunday) to 6, times are '22:00'. */
export type CronSaid =
  | { kind: 'minutes'; every: number }
  | { kind: 'hours'; every: number; minute: number }
  | { kind: 'day'; times: string[] }
  | { kind: 'week'; times: string[]; days: number[] }
  | { kind: 'month'; times: string[]; dates: number[] }
  | { kind: 'year'; times: string[]; date: number; month: number }

const names = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

/** Undefined for what would take more than a sentence: then the expression itself is shown. */
export function readCron(cron: string): CronSaid | undefined {
  const fields = cron.trim().toLowerCase().split(/\s+/)
  const [minute, hour, date, month, day] = fields
  if (fields.length !== 5 || minute === undefined || hour === undefined) return undefined
  const is_daily = date === '*' && month === '*' && day === '*'
  const every_minutes = minute === '*' ? 1 : stepOf(minute)
  if (every_minutes !== undefined) {
    // Every 7 minutes begins anew with each hour: that is no plain 'every 7 minutes'.
    return is_daily && hour === '*' && 60 % every_minutes === 0 ? { kind: 'minutes', every: every_minutes } : undefined
  }
  const minutes = numbersOf(minute, 0, 59)
  if (!minutes) return undefined
  const every_hours = hour === '*' ? 1 : stepOf(hour)
  if (every_hours !== undefined) {
    const is_plain = is_daily && minutes.length === 1 && 24 % every_hours === 0
    return is_plain ? { kind: 'hours', every: every_hours, minute: minutes[0]! } : undefined
  }
  const hours = numbersOf(hour, 0, 23)
  if (!hours || hours.length * minutes.length > 6) return undefined
  const two = (value: number) => String(value).padStart(2, '0')
  const times = hours.flatMap((each) => minutes.map((past) => `${two(each)}:${two(past)}`))
  if (is_daily) return { kind: 'day', times }
  if (date === '*' && month === '*') {
    const weekdays = day!.replace(/[a-z]{3}/g, (name) => String(names.indexOf(name)))
    const days = numbersOf(weekdays, 0, 7)?.map((each) => each % 7)
    return days && { kind: 'week', times, days: [...new Set(days)] }
  }
  const dates = numbersOf(date!, 1, 31)
  if (day !== '*' || !dates) return undefined
  if (month === '*') return { kind: 'month', times, dates }
  const months = numbersOf(month!, 1, 12)
  return months?.length === 1 && dates.length === 1
    ? { kind: 'year', times, date: dates[0]!, month: months[0]! }
    : undefined
}

/** `*` followed by a step: every so many. */
const stepOf = (field: string): number | undefined => {
  const step = /^\*\/(\d{1,2})$/.exec(field)?.[1]
  return step && Number(step) > 0 ? Number(step) : undefined
}

/** Single numbers and ranges, ascending; undefined for anything else. */
function numbersOf(field: string, min: number, max: number): number[] | undefined {
  const found = field.split(',').flatMap((part) => {
    const [, from, to] = /^(\d{1,2})(?:-(\d{1,2}))?$/.exec(part) ?? []
    if (from === undefined) return [NaN]
    const last = Number(to ?? from)
    return last < Number(from) ? [NaN] : Array.from({ length: last - Number(from) + 1 }, (_, at) => Number(from) + at)
  })
  if (found.some((each) => !(each >= min && each <= max))) return undefined
  return [...new Set(found)].sort((a, b) => a - b)
}

/** A cron expression in words: 'Every day at 22:00'. Undefined where words would not do. */
export function useCronLabels(): (cron: string) => string | undefined {
  const { t } = useTranslation('push-task/task')
  const locale = localeOf[useSessionStore((s) => s.language)]
  const list = new Intl.ListFormat(locale, { type: 'conjunction' })
  // A week that begins with a Sunday, and a leap year.
  const at = (month: number, date: number) => new Date(Date.UTC(2028, month - 1, date))
  const format = (options: Intl.DateTimeFormatOptions, of: Date) =>
    new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options }).format(of)
  const weekday = (day: number) => format({ weekday: 'long' }, at(10, 1 + day))
  const daysText = (days: number[]): string => {
    // Weeks begin with Monday, as in the three languages.
    const week = days.map((day) => (day + 6) % 7).sort((a, b) => a - b)
    const [first, last] = [week[0]!, week.at(-1)!]
    const is_run = week.length > 2 && last - first === week.length - 1
    const name = (day: number) => weekday((day + 1) % 7)
    return is_run ? t('cron.days', { from: name(first), to: name(last) }) : list.format(week.map(name))
  }
  return (cron) => {
    const said = readCron(cron)
    if (!said) return undefined
    if (said.kind === 'minutes') return t('cron.minutes', { count: said.every })
    if (said.kind === 'hours')
      return t('cron.hours', { count: said.every, minute: String(said.minute).padStart(2, '0') })
    const times = list.format(said.times)
    if (said.kind === 'day') return t('cron.day', { times })
    if (said.kind === 'week')
      return said.days.length === 7 ? t('cron.day', { times }) : t('cron.week', { times, days: daysText(said.days) })
    if (said.kind === 'month') return t('cron.month', { times, dates: list.format(said.dates.map(String)) })
    return t('cron.year', { times, date: format({ day: 'numeric', month: 'long' }, at(said.month, said.date)) })
  }
}
