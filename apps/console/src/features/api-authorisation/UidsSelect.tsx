import { Select } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ApiAuthorisationRow } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { searchSelect, useTyped } from '../../ui/form/search-select.ts'

type Named = ApiAuthorisationRow['uids'][number]
const option = ({ kid, code, display_name }: Named) => ({ value: kid, label: `${code} · ${display_name}` })

function useUids() {
  const typed = useTyped()
  const query = useCall(api.opsOsMdmApi.list_uid, typed.text ? { text: typed.text } : {}, { keepPrevious: true })
  return { typed, query, found: (query.data ?? []).map(option) }
}

type Props = {
  /** Those that are chosen at first, which may not be found. */
  known: readonly Named[]
  /** `Field` gives these three. */
  id?: string
  value?: string[]
  onChange?: (kids: string[]) => void
}
/** UIDs, found by their code or name. */
export function UidsSelect({ known, id, value = [], onChange }: Props) {
  const { t } = useTranslation('api-authorisation')
  const { typed, query, found } = useUids()
  // What was chosen keeps its name while others are searched for.
  const [names, setNames] = useState(() => new Map(known.map(option).map(({ value, label }) => [value, label])))
  return (
    <Select<string[]>
      {...(id !== undefined && { id })}
      mode="multiple"
      {...searchSelect(typed, query, found, known.map(option))}
      placeholder={t('uids_choose')}
      notFoundContent={t('uids_none')}
      value={value}
      labelRender={(chosen) => names.get(String(chosen.value)) ?? chosen.label ?? chosen.value}
      onChange={(kids) => {
        setNames((before) => new Map([...before, ...found.map((one) => [one.value, one.label] as const)]))
        typed.setTyped('')
        onChange?.(kids)
      }}
    />
  )
}

/** One of them, to look for. */
export function UidFilter({ onChoose }: { onChoose: (kid: string) => void }) {
  const { t } = useTranslation('api-authorisation')
  const { typed, query, found } = useUids()
  return (
    <Select<string>
      autoFocus
      className="api-uid-filter"
      aria-label={t('uid')}
      {...searchSelect(typed, query, found)}
      placeholder={t('uids_choose')}
      notFoundContent={t('uids_none')}
      onChange={onChoose}
    />
  )
}
