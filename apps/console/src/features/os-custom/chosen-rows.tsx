import { DeleteOutlined } from '@ant-design/icons'
import { Button, Select } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { searchSelect, useTyped } from '../../ui/form/search-select.ts'

type RowProps = { name: string; is_gone: boolean; onRemove: () => void; children: ReactNode }
/** One app or file that was chosen, with what is chosen of it. */
export function ChosenRow({ name, is_gone, onRemove, children }: RowProps) {
  const { t } = useTranslation('os-custom')
  return (
    <li>
      <span className="os-custom-name">
        {name}
        {is_gone && <span className="os-custom-gone"> {t('gone')}</span>}
      </span>
      {children}
      <Button
        type="text"
        aria-label={t('take_out', { name })}
        icon={<DeleteOutlined aria-hidden />}
        onClick={onRemove}
      />
    </li>
  )
}

type AddProps = {
  id: string | undefined
  typed: ReturnType<typeof useTyped>
  select: ReturnType<typeof searchSelect>
  label: string
  none: string
  onAdd: (kid: string) => void
}
/** Searches for one more, and is empty again once that is chosen. */
export const AddSelect = ({ id, typed, select, label, none, onAdd }: AddProps) => (
  <Select<string | null>
    {...(id !== undefined && { id })}
    value={null}
    {...select}
    showSearch={{ ...select.showSearch, searchValue: typed.typed }}
    placeholder={label}
    notFoundContent={none}
    onChange={(kid) => {
      if (kid === null) return
      typed.setTyped('')
      onAdd(kid)
    }}
  />
)
