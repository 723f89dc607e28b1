import { SearchOutlined } from '@ant-design/icons'
import { Input, Radio, Segmented, Select } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { TerminalRow } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { Failure } from '../../ui/Failure.tsx'
import { firstRows } from '../../ui/list/first-rows.ts'
import { useCount } from '../../ui/value/format.ts'
import { SkeletonRows } from '../../ui/list/SkeletonRows.tsx'
import { OnlineBadge } from '../../ui/value/StateBadge.tsx'
import { max_selected } from '../../ui/list/use-list-table.ts'
import { OrDash } from '../../ui/value/values.tsx'
import { ChoiceTable, choice_page_size, useTyped } from './ChoiceTable.tsx'
import { useGroups } from '../groups/GroupPicker.tsx'
import { GroupPicker } from '../groups/GroupPicker.tsx'
import { flat, search as searchGroups } from '../groups/group-tree.ts'

/** Devices a task is for: a whole group (with everything below it, as it is when the task is made) or named devices. */
export type ChosenDevices =
  | { kind: 'group'; terminal_group_kid: string | undefined; name: string; count: number }
  | { kind: 'devices'; rows: readonly TerminalRow[] }

export const noDevices: ChosenDevices = { kind: 'group', terminal_group_kid: undefined, name: '', count: 0 }
export const countOf = (chosen: ChosenDevices): number => (chosen.kind === 'group' ? chosen.count : chosen.rows.length)
/** As the contract's `insert` of push tasks takes them. */
export const targetsOf = (chosen: ChosenDevices): { terminal_group_kid?: string; terminal_kids?: string[] } =>
  chosen.kind === 'group'
    ? { ...(chosen.terminal_group_kid && { terminal_group_kid: chosen.terminal_group_kid }) }
    : { terminal_kids: chosen.rows.map(({ kid }) => kid) }

type Props = { value: ChosenDevices; onChange: (chosen: ChosenDevices) => void }

/** Needs the catalogue 'devices-picker'. */
export function DevicesPicker({ value, onChange }: Props) {
  const { t } = useTranslation('devices-picker')
  const [kept, setKept] = useState<{ [K in ChosenDevices['kind']]?: ChosenDevices }>({})
  const turn = (kind: ChosenDevices['kind']) => {
    // What was chosen the other way is there again when the person turns back.
    setKept({ ...kept, [value.kind]: value })
    onChange(kept[kind] ?? (kind === 'group' ? noDevices : { kind, rows: [] }))
  }
  return (
    <div className="devices-choice">
      <div>
        <Segmented<ChosenDevices['kind']>
          aria-label={t('how')}
          value={value.kind}
          options={[
            { value: 'group', label: t('by_group') },
            { value: 'devices', label: t('by_device') },
          ]}
          onChange={turn}
        />
      </div>
      {value.kind === 'group' ? (
        <GroupChoice value={value.terminal_group_kid} onChange={onChange} />
      ) : (
        <DeviceChoice value={value.rows} onChange={(rows) => onChange({ kind: 'devices', rows })} />
      )}
    </div>
  )
}

type GroupProps = { value: string | undefined; onChange: (chosen: ChosenDevices) => void }
function GroupChoice({ value, onChange }: GroupProps) {
  const { t } = useTranslation(['devices-picker', 'device', 'common'])
  const count = useCount()
  const { query, tree, no_group_count } = useGroups()
  const facets = useCall(api.terminal.facets, {})
  const [typed, setTyped] = useState('')
  if (query.error) return <Failure error={query.error} retry={query.refetch} is_line />
  if (query.isPending || facets.isPending) return <SkeletonRows columns={1} label={t('common:list.loading')} />
  const groups = flat(searchGroups(tree, typed)).map(({ kid, name, depth, path, total_count }) => ({
    kid,
    name,
    depth,
    path: path.join(' / '),
    total: total_count,
  }))
  const special = [
    {
      kid: 'ALL',
      name: t('device:group.all'),
      depth: 1,
      path: t('device:group.all'),
      total: facets.data?.total ?? 0,
    },
    { kid: 'NO_GROUP', name: t('device:group.none'), depth: 1, path: t('device:group.none'), total: no_group_count },
  ]
  const rows = typed.trim() ? groups : [special[0]!, ...groups, special[1]!]
  return (
    <section className="group-choice" aria-label={t('by_group')}>
      <p className="dim">{t('group_hint')}</p>
      <Input
        type="search"
        allowClear
        maxLength={64}
        prefix={<SearchOutlined aria-hidden />}
        placeholder={t('search_group')}
        aria-label={t('search_group')}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <div className="group-choice-rows">
        <Radio.Group
          aria-label={t('by_group')}
          value={value ?? null}
          onChange={(event) => {
            const row = rows.find(({ kid }) => kid === event.target.value)
            if (row) onChange({ kind: 'group', terminal_group_kid: row.kid, name: row.path, count: row.total })
          }}
        >
          {rows.map((row) => (
            <Radio
              key={row.kid}
              value={row.kid}
              title={row.path}
              style={{ paddingInlineStart: 8 + (row.depth - 1) * 20 }}
            >
              <span className="group-choice-name">{row.name}</span>
              <span className="dim number">{t('devices', { count: row.total, shown: count(row.total) })}</span>
            </Radio>
          ))}
        </Radio.Group>
        {rows.length === 0 && <p className="choice-empty dim">{t('device:group.not_found')}</p>}
      </div>
    </section>
  )
}

type DeviceProps = { value: readonly TerminalRow[]; onChange: (rows: readonly TerminalRow[]) => void }
function DeviceChoice({ value, onChange }: DeviceProps) {
  const { t } = useTranslation(['devices-picker', 'common'])
  const count = useCount()
  const typed = useTyped()
  const [page, setPage] = useState(1)
  const [group, setGroup] = useState('ALL')
  const [is_online, setOnline] = useState<boolean | undefined>()
  const filter = { text: typed.text, terminal_group_kid: group, is_online }
  const query = useCall(api.terminal.paging, { ...filter, page, page_size: choice_page_size }, { keepPrevious: true })
  return (
    <ChoiceTable<TerminalRow>
      label={t('by_device')}
      query={query}
      page={page}
      onPage={setPage}
      value={value}
      onChange={onChange}
      max={max_selected}
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
      findAll={() => firstRows(api.terminal.paging, filter, max_selected)}
      chosen={(number) => t('chosen', { count: number, shown: count(number) })}
      full={t('full', { max: count(max_selected) })}
      empty={t('none_match')}
      nameOf={({ sn, name }) => name || sn}
      columns={[
        { key: 'sn', title: t('sn'), render: (_, row) => <code>{row.sn}</code> },
        { key: 'name', title: t('alias'), render: (_, row) => <OrDash>{row.name}</OrDash> },
        {
          key: 'state',
          title: t('common:state'),
          render: (_, row) => (
            <OnlineBadge is_online={row.is_online} label={t(row.is_online ? 'common:online' : 'common:offline')} />
          ),
        },
        { key: 'model', title: t('model'), render: (_, row) => <OrDash>{row.model}</OrDash> },
        { key: 'group', title: t('group'), render: (_, row) => <OrDash>{row.terminal_group_name}</OrDash> },
      ]}
    />
  )
}
