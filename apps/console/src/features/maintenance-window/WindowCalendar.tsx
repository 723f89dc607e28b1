import { LeftOutlined, RightOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { weekdayTexts } from '@mdm/contract'
import type { MaintenanceWindow } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { useZone } from '../../core/session.tsx'
import { useSessionStore } from '../../core/session-store.ts'
import { localeOf } from '../../i18n/language.ts'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { Failure } from '../../ui/Failure.tsx'
import { wallOf } from '../../ui/value/wall-time.ts'
import { monthAfter, weeksOf } from './month.ts'
import type { Day } from './month.ts'

/** A push that is to begin then. */
type Begin = { key: string; date: string; time: string; name: string; to: string }

/** A month of maintenance windows, in the devices' own time, and of pushes that are planned, in the reader's. */
export function WindowCalendar({ windows }: { windows: readonly MaintenanceWindow[] }) {
  const { t } = useTranslation('maintenance-window')
  const textOf = useTextOf()
  const locale = localeOf[useSessionStore((s) => s.language)]
  const zone = useZone()
  const today = wallOf(new Date().toISOString(), zone)!.format('YYYY-MM-DD')
  const this_month = today.slice(0, 7)
  const [month, setMonth] = useState(this_month)
  const { begins, error, refetch } = useBegins(zone)
  const title = new Intl.DateTimeFormat(locale, { year: 'numeric', month: 'long', timeZone: 'UTC' }).format(
    new Date(`${month}-01T00:00:00Z`),
  )
  return (
    <section className="window-calendar" aria-label={t('calendar')}>
      <header>
        <Button
          icon={<LeftOutlined aria-hidden />}
          aria-label={t('month_before')}
          title={t('month_before')}
          onClick={() => setMonth(monthAfter(month, -1))}
        />
        <Button
          icon={<RightOutlined aria-hidden />}
          aria-label={t('month_after')}
          title={t('month_after')}
          onClick={() => setMonth(monthAfter(month, 1))}
        />
        <h2 aria-live="polite">{title}</h2>
        {month !== this_month && <Button onClick={() => setMonth(this_month)}>{t('this_month')}</Button>}
        <span className="dim">{t('calendar_note', { zone })}</span>
      </header>
      {error && <Failure error={error} retry={refetch} is_line />}
      <table>
        <thead>
          <tr>
            {weekdayTexts.map((day) => (
              <th key={day.en} scope="col">
                {textOf(day)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeksOf(month).map((week) => (
            <tr key={week[0]!.date}>
              {week.map((day) => (
                <td
                  key={day.date}
                  data-other-month={day.is_other_month || undefined}
                  aria-current={day.date === today ? 'date' : undefined}
                >
                  <DayCell
                    day={day}
                    windows={windows.filter(({ days }) => days.includes(day.weekday))}
                    begins={begins.filter(({ date }) => date === day.date)}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

type CellProps = { day: Day; windows: readonly MaintenanceWindow[]; begins: readonly Begin[] }
function DayCell({ day, windows, begins }: CellProps) {
  return (
    <>
      <time dateTime={day.date}>{day.number}</time>
      <ul>
        {windows.map(({ kid, name, from, to }) => (
          <li key={kid} className="window-open" title={`${name} ${from}–${to}`}>
            <span className="dim">{`${from}–${to}`}</span> <span>{name}</span>
          </li>
        ))}
        {begins.map(({ key, time, name, to }) => (
          <li key={key} className="window-push" title={name}>
            <Link to={to}>
              {time} {name}
            </Link>
          </li>
        ))}
      </ul>
    </>
  )
}

const pushes_shown = 100
/** Pushes that are planned, and the next run of each that recurs. */
function useBegins(zone: string) {
  const planned = useCall(api.pushTask.paging, { phases: ['planned', 'awaiting_approval'], page_size: pushes_shown })
  const recurring = useCall(api.pushSchedule.list, {})
  const begin = (key: string, at: string | null, name: string, to: string): Begin[] => {
    const wall = at === null ? null : wallOf(at, zone)
    return wall ? [{ key, date: wall.format('YYYY-MM-DD'), time: wall.format('HH:mm'), name, to }] : []
  }
  const begins = [
    ...(planned.data?.items ?? []).flatMap(({ kid, start_at, description, summary }) =>
      begin(kid, start_at, description || summary, link.pushTaskDetail.to({ kid })),
    ),
    ...(recurring.data ?? []).flatMap(({ kid, name, next_at }) =>
      begin(kid, next_at, name, link.pushTaskList.to({ tab: 'recurring' })),
    ),
  ].toSorted((a, b) => a.time.localeCompare(b.time))
  return {
    begins,
    error: planned.error ?? recurring.error,
    refetch: planned.error ? planned.refetch : recurring.refetch,
  }
}
