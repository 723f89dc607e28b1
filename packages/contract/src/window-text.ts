import type { ExecutionWindow } from './calls/maintenance_window.ts'
import { filled } from './filled.ts'
import { languages, text } from './wire.ts'
import type { Language, Text } from './wire.ts'

export const weekdayTexts: readonly Text[] = [
  text('Mon', 'T2', '周一'),
  text('Tue', 'T3', '周二'),
  text('Wed', 'T4', '周三'),
  text('Thu', 'T5', '周四'),
  text('Fri', 'T6', '周五'),
  text('Sat', 'T7', '周六'),
  text('Sun', 'CN', '周日'),
]

const words = {
  every_day: text('every day', 'hằng ngày', '每天'),
  run: text('{first}–{last}', '{first}–{last}', '{first}至{last}'),
  comma: text(', ', ', ', '、'),
  on_days: text('{days} {from}–{to}', '{days} {from}–{to}', '{days} {from}–{to}'),
  named: text('{name} ({hours})', '{name} ({hours})', '{name}（{hours}）'),
} satisfies Record<string, Text>

/** Days of the week as a list in which three or more in a row are one entry: `Mon–Fri, Sun`. */
export function daysText(days: readonly number[], language: Language): string {
  if (days.length === 7) return words.every_day[language]
  const runs: number[][] = []
  for (const day of days.toSorted((a, b) => a - b)) {
    const run = runs.at(-1)
    if (run?.at(-1) === day - 1) run.push(day)
    else runs.push([day])
  }
  const nameOf = (day: number) => weekdayTexts[day - 1]?.[language] ?? String(day)
  return runs
    .flatMap((run) =>
      run.length > 2
        ? filled(words.run[language], { first: nameOf(run[0]!), last: nameOf(run.at(-1)!) })
        : run.map(nameOf),
    )
    .join(words.comma[language])
}

/** Its hours: `22:00–05:00`, `Sat, Sun 08:00–18:00`. */
export const hoursText = ({ from, to, days }: ExecutionWindow, language: Language): string =>
  days === undefined || days.length === 7
    ? `${from}–${to}`
    : filled(words.on_days[language], { days: daysText(days, language), from, to })

/** Its hours, after its name where it has one. */
export const windowText = (window: ExecutionWindow, language: Language): string =>
  window.name === undefined
    ? hoursText(window, language)
    : filled(words.named[language], { name: window.name, hours: hoursText(window, language) })

/** The same in every language, as the operation log keeps it. */
export const windowSaid = (window: ExecutionWindow): Text =>
  Object.fromEntries(languages.map((language) => [language, windowText(window, language)])) as Text
