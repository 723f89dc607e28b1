import { Select } from 'antd'
import { api, useCall } from '../../core/api.ts'
import { searchSelect, useTyped } from '../../ui/form/search-select.ts'

type Props = { value: string | null; label: string; onChange: (kid: string) => void }

/** One device, found by part of its SN or name. */
export function DeviceSelect({ value, label, onChange }: Props) {
  const typed = useTyped()
  const { text } = typed
  const query = useCall(api.terminal.paging, { ...(text && { text }), page_size: 20 }, { keepPrevious: true })
  const chosen = useCall(api.terminal.get, { kid: value ?? '' }, { enabled: value !== null })
  const nameOf = ({ name, sn }: { name: string; sn: string }) => (name && name !== sn ? `${name} (${sn})` : sn)
  const optionOf = (row: { kid: string; name: string; sn: string }) => ({ value: row.kid, label: nameOf(row) })
  const found = (query.data?.items ?? []).map(optionOf)
  return (
    <Select<string>
      className="device-select"
      aria-label={label}
      placeholder={label}
      value={value}
      {...searchSelect(typed, query, found, chosen.data ? [optionOf(chosen.data)] : [])}
      onChange={(kid) => {
        typed.setTyped('')
        onChange(kid)
      }}
    />
  )
}
