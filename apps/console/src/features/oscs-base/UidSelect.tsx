import { Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { api, useCall } from '../../core/api.ts'
import { searchSelect, useTyped } from '../../ui/form/search-select.ts'

type Props = {
  disabled?: boolean
  /** `Field` gives these three. */
  id?: string
  value?: string
  onChange?: (kid: string | undefined) => void
}

/** The UID of a standard OS, found by its code or name. */
export function UidSelect({ disabled = false, id, value, onChange }: Props) {
  const { t } = useTranslation('oscs-base')
  const typed = useTyped()
  const { text } = typed
  const query = useCall(
    api.opsOscsModel.list_uid,
    { ...(text && { text }), ...(value && { kid: value }) },
    { keepPrevious: true },
  )
  const found = (query.data ?? []).map((row) => ({ value: row.kid, label: `${row.code} · ${row.display_name}` }))
  return (
    <Select<string>
      {...(id !== undefined && { id })}
      disabled={disabled}
      {...searchSelect(typed, query, found)}
      placeholder={t('uid_choose')}
      notFoundContent={t('uid_none')}
      {...(value !== undefined && { value })}
      onChange={(kid: string | undefined) => {
        typed.setTyped('')
        onChange?.(kid)
      }}
    />
  )
}
