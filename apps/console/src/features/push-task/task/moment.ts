import { localeOf } from '../../../i18n/language.ts'
import { useSessionStore } from '../../../core/session-store.ts'
import { useZone } from '../../../core/session.tsx'

/** A moment within a sentence: '24 Nov, 22:00', of today the time alone, of another year with it. */
export function useMoment(): (at: string) => string {
  const language = useSessionStore((s) => s.language)
  const zone = useZone()
  return (at) => momentText(at, localeOf[language], zone)
}

export function momentText(at: string, locale: string, timeZone: string, now = Date.now()): string {
  const format = (options: Intl.DateTimeFormatOptions, of: string | number) =>
    new Intl.DateTimeFormat(locale, { timeZone, ...options }).format(new Date(of))
  const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  const day = { day: 'numeric', month: 'short' } as const
  const year = { year: 'numeric' } as const
  if (format({ ...day, ...year }, at) === format({ ...day, ...year }, now)) return format(time, at)
  if (format(year, at) === format(year, now)) return format({ ...day, ...time }, at)
  return format({ ...day, ...year, ...time }, at)
}
