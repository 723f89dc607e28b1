import { useMemo } from 'react'
import type { Language } from '@mdm/contract'
import { localeOf } from '../../i18n/language.ts'
import { useSessionStore } from '../../core/session-store.ts'
import { kept } from '../../lib/kept.ts'

const useLocale = (): string => localeOf[useSessionStore((s) => s.language)]

/** Numbers in groups of three, as the language does; without groups where a number may be a name, such as a year. */
export function useCount(useGrouping = true): (value: number) => string {
  const locale = useLocale()
  return useMemo(() => {
    const format = new Intl.NumberFormat(locale, { useGrouping, maximumFractionDigits: useGrouping ? 3 : 20 })
    return (value) => format.format(value)
  }, [locale, useGrouping])
}

/** Numbers as the language writes them, with as many decimals as they have: 60,7 in Vietnamese. */
export const useNumber = useCount

/** 1024 steps, 2 decimals (specification, section 9), number and unit apart. */
export function bytesParts(bytes: number, locale: string): [number: string, unit: string] {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  let value = Math.max(0, bytes)
  let step = 0
  while (value >= 1024 && step < units.length - 1) {
    value /= 1024
    step += 1
  }
  const format = new Intl.NumberFormat(locale, { maximumFractionDigits: step === 0 ? 0 : 2 })
  return [format.format(value), units[step] as string]
}

/** The largest `parts` units of days, hours, minutes and seconds that are not zero. */
function durationParts(seconds: number, parts = 2): { unit: 'day' | 'hour' | 'minute' | 'second'; value: number }[] {
  const sizes = [
    ['day', 86_400],
    ['hour', 3_600],
    ['minute', 60],
    ['second', 1],
  ] as const
  let left = Math.max(0, Math.round(seconds))
  const all = sizes.map(([unit, size]) => {
    const value = Math.floor(left / size)
    left -= value * size
    return { unit, value }
  })
  const first = all.findIndex(({ value }) => value > 0)
  if (first < 0) return [{ unit: 'second', value: 0 }]
  return all.slice(first, first + parts).filter(({ value }) => value > 0)
}

export function durationText(seconds: number, language: Language, parts = 2): string {
  return durationParts(seconds, parts)
    .map(({ unit, value }) =>
      new Intl.NumberFormat(localeOf[language], { style: 'unit', unit, unitDisplay: 'narrow' }).format(value),
    )
    .join(' ')
}

/** The largest unit of how long ago something was: '2h ago'. */
export function agoText(seconds: number, language: Language): string {
  const [{ unit, value } = { unit: 'second', value: 0 } as const] = durationParts(seconds, 1)
  return new Intl.RelativeTimeFormat(localeOf[language], { style: 'narrow' }).format(-value, unit)
}

/** A day that has no zone: year/month/day. */
export const dayText = (day: string): string => day.replaceAll('-', '/')

const instantFormatOf = kept(
  (timeZone: string) =>
    new Intl.DateTimeFormat('en-GB', {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
    }),
)
/** year/month/day and hour:minute:second of an instant in a zone (specification, section 9). */
export function dateParts(at: string | number | Date, zone: string): [date: string, time: string] {
  const parts = instantFormatOf(zone).formatToParts(new Date(at))
  const get = (type: Intl.DateTimeFormatPartTypes) => parts.find((part) => part.type === type)?.value ?? ''
  return [`${get('year')}/${get('month')}/${get('day')}`, `${get('hour')}:${get('minute')}:${get('second')}`]
}
