import { CloseOutlined } from '@ant-design/icons'
import { Select } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { TerminalRow } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { firstRows } from '../../ui/list/first-rows.ts'
import { max_selected } from '../../ui/list/use-list-table.ts'
import { useCount } from '../../ui/value/format.ts'
import { OnlineBadge } from '../../ui/value/StateBadge.tsx'
import { Code } from '../../ui/value/values.tsx'
import { GroupPicker } from '../groups/GroupPicker.tsx'
import { ChoiceTable, choice_page_size } from './ChoiceTable.tsx'
import { useTyped } from '../../ui/form/search-select.ts'
import type { NamedDevice } from './chosen.ts'

type Props = {
  /** Given by the field of a form, where there is one. */
  value?: readonly NamedDevice[]
  onChange?: (rows: readonly NamedDevice[]) => void
  max?: number
}

const namedOf = ({ kid, sn, name, agent_kind, task_types }: TerminalRow): NamedDevice => ({
  ...{ kid, sn, name, agent_kind, task_types },
})

/** Single devices from the list of all. */
export function DeviceChoice({ value = [], onChange = () => {}, max = max_selected }: Props) {
  const { t } = useTranslation(['devices-picker', 'common'])
  const count = useCount()
  const typed = useTyped()
  const [page, setPage] = useState(1)
  const [group, setGroup] = useState('ALL')
  const [is_online, setOnline] = useState<boolean | undefined>()
  const filter = { text: typed.text, terminal_group_kid: group, is_online }
  const query = useCall(api.terminal.paging, { ...filter, page, page_size: choice_page_size }, { keepPrevious: true })
  // Of what was chosen elsewhere only the name is known, and only the name counts.
  const rows = value as readonly TerminalRow[]
  return (
    <ChoiceTable<TerminalRow>
      label={t('by_device')}
      query={query}
      page={page}
      onPage={setPage}
      value={rows}
      onChange={(chosen) => onChange(chosen.map(namedOf))}
      max={max}
      search={{ ...typed, label: t('search_device') }}
      filters={
        <>
          <GroupPicker
            special={['ALL', 'NO_GROUP']}
            value={group}
            onChange={(kid) => {
              setGroup(kid)
              setPage(1)
            }}
          />
          <Select<'any' | 'online' | 'offline'>
            aria-label={t('common:state')}
            value={is_online === undefined ? 'any' : is_online ? 'online' : 'offline'}
            popupMatchSelectWidth={false}
            options={[
              { value: 'any', label: t('any_state') },
              { value: 'online', label: t('common:online') },
              { value: 'offline', label: t('common:offline') },
            ]}
            onChange={(state) => {
              setOnline(state === 'any' ? undefined : state === 'online')
              setPage(1)
            }}
          />
        </>
      }
      findAll={() => firstRows(api.terminal.paging, filter, max)}
      chosen={(number) => t('chosen', { count: number, shown: count(number) })}
      full={t('full', { max: count(max) })}
      empty={t('none_match')}
      nameOf={nameOf}
      below={<Chosen value={value} onChange={onChange} />}
      columns={[
        { key: 'sn', title: t('sn'), render: (_, row) => <Code value={row.sn} /> },
        { key: 'name', title: t('alias'), render: (_, row) => row.name },
        {
          key: 'state',
          title: t('common:state'),
          render: (_, row) => (
            <OnlineBadge is_online={row.is_online} label={t(row.is_online ? 'common:online' : 'common:offline')} />
          ),
        },
        { key: 'model', title: t('model'), render: (_, row) => row.model },
        { key: 'group', title: t('group'), render: (_, row) => row.terminal_group_name },
      ]}
    />
  )
}

const nameOf = ({ sn, name }: NamedDevice) => name || sn
const shown_max = 12
/** Those that were chosen, also where the page that is shown has none of them. */
function Chosen({ value, onChange }: Required<Pick<Props, 'value' | 'onChange'>>) {
  const { t } = useTranslation(['devices-picker', 'common'])
  const count = useCount()
  if (value.length === 0) return null
  const rest = value.length - shown_max
  return (
    <ul className="chosen-devices" aria-label={t('chosen', { count: value.length, shown: count(value.length) })}>
      {value.slice(0, shown_max).map((row) => (
        <li key={row.kid}>
          <span>{nameOf(row)}</span>
          <button
            type="button"
            className="icon-button"
            aria-label={t('common:list.unselect', { name: nameOf(row) })}
            onClick={() => onChange(value.filter(({ kid }) => kid !== row.kid))}
          >
            <CloseOutlined aria-hidden />
          </button>
        </li>
      ))}
      {rest > 0 && <li className="dim">{t('common:list.elsewhere_more', { shown: count(rest) })}</li>}
    </ul>
  )
}
