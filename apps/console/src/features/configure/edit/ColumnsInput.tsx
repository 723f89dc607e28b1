import { Select } from 'antd'
import { useColumnNames } from '../../../shared/device-filters/column-titles.ts'

type Props = {
  id: string | undefined
  label: string
  value: string[] | undefined
  onChange: ((keys: string[]) => void) | undefined
}
/** Columns of the device list, in the order in which they are chosen. */
export function ColumnsInput({ id, label, value, onChange }: Props) {
  const names = useColumnNames()
  return (
    <Select
      {...(id !== undefined && { id })}
      {...(onChange && { onChange })}
      aria-label={label}
      mode="multiple"
      value={value ?? []}
      options={Object.entries(names).map(([key, name]) => ({ value: key, label: name }))}
      showSearch={{ optionFilterProp: 'label' }}
    />
  )
}
