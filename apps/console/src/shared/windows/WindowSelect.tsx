import { Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { windowText } from '@mdm/contract'
import { useSessionStore } from '../../core/session-store.ts'
import { useWindows } from './use-windows.ts'

type Props = {
  id?: string | undefined
  label: string
  value?: string | undefined
  onChange?: ((kid: string) => void) | undefined
}
/** A maintenance window of the account, by its kid. */
export function WindowSelect({ id, label, value, onChange }: Props) {
  const { t } = useTranslation('windows')
  const language = useSessionStore((s) => s.language)
  const { windows, query } = useWindows()
  return (
    <Select<string>
      {...(id !== undefined && { id })}
      aria-label={label}
      placeholder={t('choose')}
      notFoundContent={t('none')}
      loading={query.isFetching}
      {...(value && { value })}
      options={windows.map((window) => ({ value: window.kid, label: windowText(window, language) }))}
      onChange={onChange}
    />
  )
}
