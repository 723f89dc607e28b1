import { Pagination, Segmented } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { inabilities, isInability } from '@mdm/contract'
import type { PushPreview } from '@mdm/contract'
import { api, useCall } from '../../../core/api.ts'
import { useTextOf } from '../../../i18n/use-text-of.ts'
import { Failure } from '../../../ui/Failure.tsx'
import { Drawer } from '../../../ui/dialog/Drawer.tsx'
import { ListTable } from '../../../ui/list/ListTable.tsx'
import { SkeletonRows } from '../../../ui/list/SkeletonRows.tsx'
import { useCount } from '../../../ui/value/format.ts'
import { Code } from '../../../ui/value/values.tsx'
import { leftOut } from './draft.ts'

const page_size = 20
/** Page numbers end there. */
const paged_max = 10_000
type Tab = 'gets' | 'left_out' | 'missing'

/** Who gets it, who is left out and why, and which SNs are no devices. */
export function PreviewDrawer({ checked, onClose }: { checked: PushPreview; onClose: () => void }) {
  const { t } = useTranslation('push-task/wizard')
  const count = useCount()
  const left = leftOut(checked)
  const counts: Record<Tab, number> = { gets: checked.total, left_out: left, missing: checked.missing_count }
  const tabs = (['gets', 'left_out', 'missing'] as const).filter((tab) => tab === 'gets' || counts[tab] > 0)
  const [tab, setTab] = useState<Tab>(left > 0 ? 'left_out' : counts.missing > 0 ? 'missing' : 'gets')
  return (
    <Drawer size={560} title={t('check.title')} onClose={onClose}>
      <div className="push-preview">
        {tabs.length > 1 && (
          <Segmented<Tab>
            aria-label={t('check.title')}
            value={tab}
            options={tabs.map((value) => ({ value, label: `${t(`check.tab.${value}`)} ${count(counts[value])}` }))}
            onChange={setTab}
          />
        )}
        {tab === 'missing' ? <Missing checked={checked} /> : <Rows key={tab} checked={checked} tab={tab} />}
      </div>
    </Drawer>
  )
}

function Rows({ checked, tab }: { checked: PushPreview; tab: 'gets' | 'left_out' }) {
  const { t } = useTranslation(['push-task/wizard', 'devices-picker', 'common'])
  const textOf = useTextOf()
  const [page, setPage] = useState(1)
  const is_left_out = tab === 'left_out'
  const query = useCall(
    api.pushTask.paging_preview,
    { preview_kid: checked.kid, is_left_out, page, page_size },
    { keepPrevious: true },
  )
  if (query.error) return <Failure error={query.error} retry={query.refetch} is_line />
  if (query.isPending) return <SkeletonRows columns={2} label={t('common:list.loading')} />
  const { items, total } = query.data
  return (
    <>
      <ListTable
        rows={items.map((row) => ({ ...row, kid: row.terminal_kid }))}
        columns={[
          { key: 'sn', title: t('devices-picker:sn'), render: (_, row) => <Code value={row.sn} /> },
          { key: 'name', title: t('devices-picker:alias'), render: (_, row) => row.name },
          ...(is_left_out
            ? [
                {
                  key: 'reason',
                  title: t('check.reason'),
                  render: (_: unknown, row: (typeof items)[number]) =>
                    row.reason &&
                    (isInability(row.reason) ? textOf(inabilities[row.reason]) : t(`reason.${row.reason}`)),
                },
              ]
            : []),
        ]}
      />
      {total > page_size && (
        <Pagination
          size="small"
          align="end"
          current={page}
          pageSize={page_size}
          total={Math.min(total, paged_max)}
          showSizeChanger={false}
          onChange={setPage}
        />
      )}
    </>
  )
}

function Missing({ checked: { missing, missing_count } }: { checked: PushPreview }) {
  const { t } = useTranslation(['push-task/wizard', 'common'])
  const count = useCount()
  const rest = missing_count - missing.length
  return (
    <>
      <p className="dim">{t('check.missing_hint')}</p>
      <ul className="push-missing">
        {missing.map((sn) => (
          <li key={sn}>
            <Code value={sn} />
          </li>
        ))}
      </ul>
      {rest > 0 && <p className="dim">{t('common:list.elsewhere_more', { shown: count(rest) })}</p>}
    </>
  )
}
