import { AutoComplete, Select } from 'antd'
import { useTyped } from '../../../../ui/form/search-select.ts'
import { optionOf, useOfferedApps } from './offered-apps.ts'

type Props = {
  id?: string | undefined
  label: string
  value?: string | undefined
  placeholder?: string | undefined
  onChange?: ((value: string) => void) | undefined
  /** Chosen from the list, rather than typed. */
  onSelect?: (value: string) => void
}
/** An app by its package: one of the app center, or any other as it is typed. */
export function PackageInput({ id, label, value, placeholder, onChange, onSelect }: Props) {
  const typed = useTyped()
  const apps = useOfferedApps(typed.text)
  return (
    <AutoComplete
      {...(id !== undefined && { id })}
      aria-label={label}
      {...(value !== undefined && { value })}
      {...(onChange && { onChange })}
      {...(onSelect && { onSelect })}
      // Enter takes what was typed, not the first that was found by what was typed before.
      defaultActiveFirstOption={false}
      showSearch={{ filterOption: false, onSearch: typed.setTyped }}
      placeholder={placeholder}
      options={apps.map(optionOf)}
    />
  )
}

type ListProps = {
  id?: string | undefined
  label: string
  value?: readonly string[] | undefined
  onChange?: ((value: string[]) => void) | undefined
}
/** Several apps by their packages. */
export function PackagesInput({ id, label, value = [], onChange }: ListProps) {
  const typed = useTyped()
  const apps = useOfferedApps(typed.text)
  return (
    <Select<string[]>
      {...(id !== undefined && { id })}
      mode="tags"
      aria-label={label}
      value={[...value]}
      {...(onChange && { onChange: (list: string[]) => onChange(list.map((one) => one.trim()).filter(Boolean)) })}
      tokenSeparators={[',', ' ', '\n']}
      showSearch={{ filterOption: false, onSearch: typed.setTyped }}
      options={apps.map(optionOf)}
      optionLabelProp="value"
    />
  )
}
