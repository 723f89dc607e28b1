import { Input, InputNumber, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import type { AppSetting } from '@mdm/contract'
import type { ManagedEntry } from '@mdm/contract/config/apps.ts'
import { useTextOf } from '../../../../i18n/use-text-of.ts'

type Props = {
  id: string
  label: string
  kind: ManagedEntry['kind']
  options?: AppSetting['options']
  /** Undefined: not set. */
  value: string | undefined
  placeholder?: string | undefined
  onChange: (value: string | undefined) => void
}
/** One value as its kind wants it. What is left empty is not set. */
export function SettingControl({ id, label, kind, options = [], value, placeholder, onChange }: Props) {
  const { t } = useTranslation(['configure/edit', 'common'])
  const textOf = useTextOf()
  const given = { id, 'aria-label': label, placeholder }
  const choices = options.map((option) => ({ value: option.value, label: textOf(option.title) }))
  if (kind === 'yes_no')
    return (
      <Select
        {...given}
        allowClear
        value={value}
        onChange={onChange}
        options={[
          { value: 'true', label: t('common:yes') },
          { value: 'false', label: t('common:no') },
        ]}
      />
    )
  if (kind === 'number')
    return (
      <InputNumber<string>
        {...given}
        stringMode
        precision={0}
        className="config-field-number"
        value={value ?? null}
        onChange={(number) => onChange(number === null ? undefined : String(number))}
      />
    )
  if (kind === 'choice' && choices.length > 0)
    return (
      <Select
        {...given}
        allowClear
        showSearch={{ optionFilterProp: 'label' }}
        value={value}
        onChange={onChange}
        options={choices}
      />
    )
  if (kind === 'several' && choices.length > 0)
    return (
      <Select<string[]>
        {...given}
        mode="multiple"
        value={value ? value.split(',') : []}
        onChange={(list) => onChange(list.join(','))}
        options={choices}
        showSearch={{ optionFilterProp: 'label' }}
      />
    )
  return <Input {...given} value={value ?? ''} maxLength={1000} onChange={(event) => onChange(event.target.value)} />
}
