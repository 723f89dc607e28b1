import { Select } from 'antd'
import { useDeferredValue, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { InformationName } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'

export type PartChoice = { kid: string; code: string; name: string }
type Props = {
  part: InformationName
  disabled?: boolean
  /** What is chosen, as far as it is known: shown until the list has answered. */
  chosen?: { code: string; name: string | null } | undefined
  onPick: (choice: PartChoice | undefined) => void
  /** `Field` gives these three. */
  id?: string
  value?: string
  onChange?: (kid: string | undefined) => void
}

/** A row of a list, found by code or name: lists may have more rows than a menu shows. */
export function PartSelect({ part, disabled = false, chosen, onPick, id, value, onChange }: Props) {
  const { t } = useTranslation('os-uid')
  const [typed, setTyped] = useState('')
  const text = useDeferredValue(typed.trim().slice(0, 100))
  const query = useCall(
    api.opsUid.list_part,
    { part, ...(text && { text }), ...(value && { kid: value }) },
    { keepPrevious: true },
  )
  const rows = query.data ?? []
  const options = rows.map(({ kid, code, name }) => ({ value: kid, label: `${code} · ${name}` }))
  if (value && chosen && !rows.some(({ kid }) => kid === value))
    options.unshift({ value, label: `${chosen.code} · ${chosen.name ?? ''}` })
  return (
    <Select<string>
      {...(id !== undefined && { id })}
      disabled={disabled}
      allowClear
      showSearch={{ filterOption: false, onSearch: setTyped }}
      loading={query.isFetching}
      placeholder={t('choose')}
      notFoundContent={t('none_found')}
      {...(value !== undefined && { value })}
      options={options}
      onChange={(kid: string | undefined) => {
        onPick(rows.find((row) => row.kid === kid))
        setTyped('')
        onChange?.(kid)
      }}
    />
  )
}
