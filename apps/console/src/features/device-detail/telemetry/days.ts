import { durationText } from '../../../ui/value/format.ts'
import { useSessionStore } from '../../../core/session-store.ts'

/** A calendar day as the product writes days: 2026/03/29. */
export const dayText = (day: string): string => day.replaceAll('-', '/')

export function useDurationText(): (seconds: number) => string {
  const language = useSessionStore((s) => s.language)
  return (seconds) => durationText(seconds, language)
}

/** Whether a device says what it said long after. */
export const late_after_seconds = 120
