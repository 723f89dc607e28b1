import type { Selectable } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import { nextRuns } from '../../push/push-schedule/index.ts'

/** What says when a report comes. */
export const rhythmFields = ['every', 'hour', 'weekday', 'day', 'zone_id'] as const
type Rhythm = Pick<Selectable<Tables['list_report']>, (typeof rhythmFields)[number]>

/** Sunday is 0 there. */
const daysOf = ({ every, weekday, day }: Rhythm) =>
  every === 'day' ? '* * *' : every === 'week' ? `* * ${weekday % 7}` : `${day} * *`

/** When a report is due next, by the wall clock of its zone. */
export const nextReport = (rhythm: Rhythm, from: Date): Date =>
  nextRuns({ cron: `0 ${rhythm.hour} ${daysOf(rhythm)}`, zone: rhythm.zone_id }, from, 1)[0]!

const day_ms = 86_400_000
const spans = { day: day_ms, week: 7 * day_ms, month: 31 * day_ms }
/** Since when a first report holds what is new. */
export const oneSpanBefore = ({ every }: Pick<Rhythm, 'every'>, now: Date): Date =>
  new Date(now.getTime() - spans[every])
