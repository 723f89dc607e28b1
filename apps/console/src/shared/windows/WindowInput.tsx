import { Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { windowText } from '@mdm/contract'
import type { ExecutionWindow, MaintenanceWindow } from '@mdm/contract'
import { useSessionStore } from '../../core/session-store.ts'
import { hoursOf, usual_hours, WindowHours, windowOf } from './WindowHours.tsx'
import { useWindows } from './use-windows.ts'
import './windows.css'

type Props = {
  id?: string
  label?: string
  value?: ExecutionWindow | null
  onChange?: (value: ExecutionWindow | null) => void
}
const [any_time, own] = ['any', 'own']
const reference = ({ kid, name, from, to, days }: MaintenanceWindow): ExecutionWindow => ({ kid, name, from, to, days })

/** The control of a field: at any time, between times of its own, or in a maintenance window. */
export function WindowInput({ id, label, value = null, onChange }: Props) {
  const { t } = useTranslation('windows')
  const language = useSessionStore((s) => s.language)
  const { windows, query } = useWindows()
  // One that is not there any more is named as it was.
  const gone = value?.kid !== undefined && !windows.some(({ kid }) => kid === value.kid) ? [value] : []
  const named = [...windows.map(reference), ...gone]
  const choose = (chosen: string) => {
    if (chosen === any_time) return onChange?.(null)
    if (chosen === own) return onChange?.(windowOf(value ? hoursOf(value) : usual_hours))
    return onChange?.(named.find(({ kid }) => kid === chosen)!)
  }
  return (
    <span className="window-input">
      <Select<string>
        {...(id !== undefined && { id })}
        {...(label !== undefined && { 'aria-label': label })}
        value={value === null ? any_time! : (value.kid ?? own!)}
        loading={query.isFetching}
        popupMatchSelectWidth={false}
        options={[
          { value: any_time, label: t('any') },
          { value: own, label: t('own') },
          ...named.map((window) => ({ value: window.kid!, label: windowText(window, language) })),
        ]}
        onChange={choose}
      />
      {value !== null && value.kid === undefined && (
        <WindowHours value={hoursOf(value)} onChange={(hours) => onChange?.(windowOf(hours))} />
      )}
    </span>
  )
}
