import { Select } from 'antd'
import { useTranslation } from 'react-i18next'
import type { InformationName } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { searchSelect, useTyped } from '../../ui/form/search-select.ts'

type PartChoice = { kid: string; code: string; name: string }
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
  const typed = useTyped()
  const { text } = typed
  const query = useCall(
    api.opsUid.list_part,
    { part, ...(text && { text }), ...(value && { kid: value }) },
    { keepPrevious: true },
  )
  const rows = query.data ?? []
  const found = rows.map(({ kid, code, name }) => ({ value: kid, label: `${code} · ${name}` }))
  const known = value && chosen ? [{ value, label: `${chosen.code} · ${chosen.name ?? ''}` }] : []
  return (
    <Select<string>
      {...(id !== undefined && { id })}
      disabled={disabled}
      allowClear
      {...searchSelect(typed, query, found, known)}
      placeholder={t('choose')}
      notFoundContent={t('none_found')}
      {...(value !== undefined && { value })}
      onChange={(kid: string | undefined) => {
        onPick(rows.find((row) => row.kid === kid))
        typed.setTyped('')
        onChange?.(kid)
      }}
    />
  )
}
