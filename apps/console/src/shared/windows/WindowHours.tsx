import { Checkbox } from 'antd'
import { useTranslation } from 'react-i18next'
import { weekdayTexts } from '@mdm/contract'
import type { ExecutionWindow } from '@mdm/contract'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { TimeOfDay } from '../../ui/form/TimeOfDay.tsx'
import './windows.css'

export type Hours = Pick<ExecutionWindow, 'from' | 'to'> & { days: number[] }

type Props = { value?: Hours; onChange?: (value: Hours) => void }
/** The control of a field: between which times, on which days of the week. */
export function WindowHours({ value = usual_hours, onChange }: Props) {
  const { t } = useTranslation('windows')
  return (
    <span className="window-hours">
      <span className="window-times">
        <TimeOfDay label={t('from')} value={value.from} onChange={(from) => onChange?.({ ...value, from })} />
        <span aria-hidden>–</span>
        <TimeOfDay label={t('to')} value={value.to} onChange={(to) => onChange?.({ ...value, to })} />
      </span>
      <DaysInput label={t('days')} value={value.days} onChange={(days) => onChange?.({ ...value, days })} />
    </span>
  )
}

const every_day = [1, 2, 3, 4, 5, 6, 7]
export const usual_hours: Hours = { from: '22:00', to: '05:00', days: every_day }
/** Days that are said are kept; where none are, it opens every day. */
export const hoursOf = ({ from, to, days }: ExecutionWindow): Hours => ({ from, to, days: days ?? every_day })
/** As the server is told. */
export const windowOf = ({ from, to, days }: Hours): ExecutionWindow => ({
  from,
  to,
  ...(days.length < every_day.length && { days }),
})

type DaysProps = { label: string; value: readonly number[]; onChange: (days: number[]) => void }
function DaysInput({ label, value, onChange }: DaysProps) {
  const textOf = useTextOf()
  return (
    <Checkbox.Group
      aria-label={label}
      className="window-days"
      value={[...value]}
      options={weekdayTexts.map((day, at) => ({ value: at + 1, label: textOf(day) }))}
      onChange={(days) => onChange(days.toSorted((a, b) => a - b))}
    />
  )
}
