import { SearchOutlined } from '@ant-design/icons'
import { Input, Radio } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, useCall } from '../../core/api.ts'
import { Failure } from '../../ui/Failure.tsx'
import { SkeletonRows } from '../../ui/list/SkeletonRows.tsx'
import { useCount } from '../../ui/value/format.ts'
import { useGroups } from '../groups/GroupPicker.tsx'
import { flat, search as searchGroups } from '../groups/group-tree.ts'
import './choice.css'

type Props = { value: string | undefined; onChange: (kid: string) => void }

/** One group, all devices, or those that are in none. */
export function GroupChoice({ value, onChange }: Props) {
  const { t } = useTranslation(['devices-picker', 'device', 'common'])
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
  const all = t('device:group.all')
  const none = t('device:group.none')
  const special = [
    { kid: 'ALL', name: all, depth: 1, path: all, total: facets.data?.total ?? 0 },
    { kid: 'NO_GROUP', name: none, depth: 1, path: none, total: no_group_count },
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
      <ChoiceRows
        label={t('by_group')}
        rows={rows}
        value={value}
        onChange={onChange}
        empty={t('device:group.not_found')}
      />
    </section>
  )
}

type ChoiceRow = { kid: string; name: string; depth: number; path: string; total: number | undefined }
type RowsProps = {
  label: string
  rows: readonly ChoiceRow[]
  value: string | undefined
  onChange: (kid: string) => void
  empty: string
}
/** One of several, each with the number of its devices. */
export function ChoiceRows({ label, rows, value, onChange, empty }: RowsProps) {
  const { t } = useTranslation('devices-picker')
  const count = useCount()
  return (
    <div className="group-choice-rows">
      <Radio.Group aria-label={label} value={value ?? null} onChange={(event) => onChange(String(event.target.value))}>
        {rows.map((row) => (
          <Radio
            key={row.kid}
            value={row.kid}
            title={row.path}
            style={{ paddingInlineStart: 8 + (row.depth - 1) * 20 }}
          >
            <span className="group-choice-name">{row.name}</span>
            {row.total !== undefined && (
              <span className="dim number">{t('devices', { count: row.total, shown: count(row.total) })}</span>
            )}
          </Radio>
        ))}
      </Radio.Group>
      {rows.length === 0 && <p className="choice-empty dim">{empty}</p>}
    </div>
  )
}
