import { Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { istageTypes } from '@mdm/contract'
import { api, useCall } from '../../../core/api.ts'
import { useTextOf } from '../../../i18n/use-text-of.ts'
import { searchSelect, useTyped } from '../../../ui/form/search-select.ts'

type Props = {
  label: string
  id?: string | undefined
  value?: string | undefined
  onChange?: ((kid: string) => void) | undefined
}
/** A completed configuration of iStage, found by its name. */
export function IstageSelect({ label, id, value, onChange }: Props) {
  const { t } = useTranslation('configure/edit')
  const textOf = useTextOf()
  const typed = useTyped()
  const { text } = typed
  const query = useCall(
    api.istageConfig.paging,
    { status: 'completed', page_size: 50, ...(text && { text }) },
    { keepPrevious: true },
  )
  const found = (query.data?.items ?? []).map(({ kid, name, type, version }) => ({
    value: kid,
    label: `${name} · ${textOf(istageTypes[type])} ${version}`,
  }))
  return (
    <Select<string>
      {...(id !== undefined && { id })}
      aria-label={label}
      {...searchSelect(typed, query, found)}
      placeholder={t('istage.choose')}
      notFoundContent={t('istage.none')}
      {...(value && { value })}
      onChange={(kid) => {
        typed.setTyped('')
        onChange?.(kid)
      }}
    />
  )
}
