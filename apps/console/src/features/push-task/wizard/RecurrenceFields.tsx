import { Checkbox, Input, Select } from 'antd'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { api, useCall } from '../../../core/api.ts'
import { useSessionStore } from '../../../core/session-store.ts'
import { localeOf } from '../../../i18n/language.ts'
import { TimeOfDay } from '../../../ui/form/TimeOfDay.tsx'
import { ZoneSelect } from '../../../ui/form/ZoneSelect.tsx'
import { dateParts } from '../../../ui/value/format.ts'
import type { Draft } from './draft.ts'
import { Line } from './parts.tsx'
import type { FaultOf } from './parts.tsx'
import { cronOf, weekdayNames } from './recurrence.ts'
import type { Recurrence } from './recurrence.ts'

type Props = { draft: Draft; fault: FaultOf; onChange: (change: Partial<Draft>) => void }
const days = [...Array.from({ length: 31 }, (_, at) => at + 1), 'last'] as const

/** How often, at which time and in which zone, and when that is next. */
export function RecurrenceFields({ draft, fault, onChange }: Props) {
  const { t } = useTranslation('push-task/wizard')
  const id = useId()
  const locale = localeOf[useSessionStore((s) => s.language)]
  const { recurrence, zone } = draft
  const { every, time, weekdays, day, cron } = recurrence
  const set = (change: Partial<Recurrence>) => onChange({ recurrence: { ...recurrence, ...change } })
  return (
    <>
      <Line label={t('recurring.every')} fault={fault('weekdays') ?? fault('cron')}>
        <span className="push-recurrence">
          <Select<Recurrence['every']>
            aria-label={t('recurring.every')}
            value={every}
            popupMatchSelectWidth={false}
            options={(['day', 'week', 'month', 'free'] as const).map((value) => ({
              value,
              label: t(`recurring.kind.${value}`),
            }))}
            onChange={(value) => set({ every: value, ...(value === 'free' && { cron: cron || cronOf(recurrence) }) })}
          />
          {every === 'week' && (
            <Checkbox.Group
              aria-label={t('recurring.weekdays')}
              value={[...weekdays]}
              options={weekdayNames(locale).map(({ day: value, name }) => ({ value, label: name }))}
              onChange={(chosen) => set({ weekdays: chosen.toSorted((a, b) => a - b) })}
            />
          )}
          {every === 'month' && (
            <Select<number | 'last'>
              aria-label={t('recurring.day')}
              value={day}
              popupMatchSelectWidth={false}
              options={days.map((value) => ({
                value,
                label: value === 'last' ? t('recurring.last_day') : t('recurring.day_of', { day: value }),
              }))}
              onChange={(value) => set({ day: value })}
            />
          )}
          {every === 'free' ? (
            <Input
              aria-label={t('recurring.cron')}
              className="code push-cron"
              maxLength={100}
              spellCheck={false}
              autoComplete="off"
              placeholder="0 22 * * 1-5"
              value={cron}
              onChange={(event) => set({ cron: event.target.value })}
            />
          ) : (
            <TimeOfDay label={t('recurring.time')} value={time} onChange={(value) => set({ time: value })} />
          )}
        </span>
        {every === 'free' && <p className="dim">{t('recurring.cron_hint')}</p>}
      </Line>
      <Line label={t('recurring.zone')} id={`${id}-zone`}>
        <ZoneSelect
          id={`${id}-zone`}
          className="push-narrow"
          kept={zone}
          value={zone}
          onChange={(value) => onChange({ zone: value })}
        />
      </Line>
      <NextRuns draft={draft} />
    </>
  )
}

function NextRuns({ draft: { recurrence, zone } }: { draft: Draft }) {
  const { t } = useTranslation('push-task/wizard')
  const cron = cronOf(recurrence)
  const is_whole = cron.length >= 9 && !(recurrence.every === 'week' && recurrence.weekdays.length === 0)
  const { data, error } = useCall(api.pushSchedule.next_runs, { cron, zone }, { enabled: is_whole, keepPrevious: true })
  if (!is_whole) return null
  return (
    <Line label={t('recurring.next')} fault={error?.fields['cron'] ?? error?.message}>
      {!error && data && (
        <ol className="push-runs">
          {data.map((at) => {
            const [date, time] = dateParts(at, zone)
            return (
              <li key={at} className="number">
                {date} <span className="dim">{time.slice(0, 5)}</span>
              </li>
            )
          })}
        </ol>
      )}
    </Line>
  )
}
