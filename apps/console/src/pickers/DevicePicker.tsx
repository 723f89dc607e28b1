import { Select } from 'antd'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { constants } from '@mdm/contract'
import type { TerminalRow } from '@mdm/contract'
import { api, useCall } from '../api.ts'
import { OnlineBadge } from '../screen/StateBadge.tsx'
import './pickers.css'

const shown = 20
type Props = {
  id?: string
  /** The chosen devices; rows, because a kid alone says nothing to whoever reads it. */
  value?: readonly TerminalRow[]
  onChange?: (rows: TerminalRow[]) => void
  max?: number
}

/** Chooses devices by a part of SN, alias or IMEI; asks the server, so it works for any number of devices. */
export function DevicePicker({ id, value = [], onChange, max = 1000 }: Props) {
  const { t } = useTranslation(['pickers', 'common'])
  const [typed, setTyped] = useState('')
  const [text, setText] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setText(typed.trim()), constants.debounce_ms)
    return () => clearTimeout(timer)
  }, [typed])
  const query = useCall(api.terminal.paging, { page_size: shown, ...(text && { text }) }, { keepPrevious: true })
  const found = query.data?.items ?? []
  const rows = new Map([...value, ...found].map((row) => [row.kid, row]))
  return (
    <Select<string[]>
      id={id}
      mode="multiple"
      className="group-picker"
      maxCount={max}
      value={value.map(({ kid }) => kid)}
      onChange={(kids) => onChange?.(kids.flatMap((kid) => rows.get(kid) ?? []))}
      showSearch={{ filterOption: false, searchValue: typed, onSearch: setTyped, autoClearSearchValue: true }}
      loading={query.isFetching}
      placeholder={t('pickers:device.choose')}
      aria-label={id ? undefined : t('pickers:device.choose')}
      notFoundContent={query.error ? query.error.message : t('pickers:device.not_found')}
      options={[...rows.values()].map(({ kid, sn, name }) => ({ value: kid, label: name || sn }))}
      optionRender={({ value: kid }) => {
        const row = rows.get(String(kid))
        return (
          row && (
            <span className="device-option">
              <span>
                {row.name || row.sn} {row.name && <span className="dim">{row.sn}</span>}
              </span>
              <OnlineBadge is_online={row.is_online} word={t(row.is_online ? 'common:online' : 'common:offline')} />
            </span>
          )
        )
      }}
      popupRender={(menu) => (
        <>
          {menu}
          {query.data && query.data.total > shown && (
            <p className="dim picker-note">{t('pickers:device.more', { shown })}</p>
          )}
        </>
      )}
    />
  )
}
