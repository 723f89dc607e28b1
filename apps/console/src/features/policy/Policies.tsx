import { EllipsisOutlined, ImportOutlined, PlusOutlined } from '@ant-design/icons'
import { Button, Dropdown } from 'antd'
import { lazy, Suspense, useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { Policy } from '@mdm/contract'
import { api, useWrite } from '../../core/api.ts'
import { ConfirmDanger } from '../../ui/dialog/ConfirmDanger.tsx'
import { useCount } from '../../ui/value/format.ts'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { DateTime, OrDash } from '../../ui/value/values.tsx'
import { may, May, useSession } from '../../core/session.tsx'
import { pageIcon } from '../../ui/icons.tsx'
import { PolicyForm } from './PolicyForm.tsx'
import { link } from '../../core/links.ts'

const ImportDrawer = lazy(() => import('./ImportDrawer.tsx').then((m) => ({ default: m.ImportDrawer })))

type Wanted = { what: 'edit' | 'import' | 'delete'; row: Policy } | { what: 'add' }
type Want = (wanted: Wanted) => void

export function Policies({ choice }: { choice: ReactNode }) {
  const { t } = useTranslation('policy')
  const [wanted, setWanted] = useState<Wanted | null>(null)
  const list = useListTable(api.opsPolicy.paging, { id: 'policy-list', filters: { text: 'text' } })
  const close = () => setWanted(null)
  const add = (
    <May needs="policyList:edit">
      <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setWanted({ what: 'add' })}>
        {t('add')}
      </Button>
    </May>
  )
  return (
    <>
      <ListPage
        list={list}
        title={t('title')}
        icon={pageIcon('policyList')}
        actions={choice}
        columns={useColumns(setWanted)}
        search={t('search')}
        primary={add}
        empty={{ title: t('empty'), hint: t('empty_hint'), action: add }}
      />
      {wanted?.what === 'add' && <PolicyForm onClose={close} />}
      {wanted?.what === 'edit' && <PolicyForm policy={wanted.row} onClose={close} />}
      {wanted?.what === 'delete' && <DeleteDialog policy={wanted.row} onClose={close} />}
      {wanted?.what === 'import' && (
        <Suspense>
          <ImportDrawer policy={wanted.row} onClose={close} />
        </Suspense>
      )}
    </>
  )
}

function useColumns(onWant: Want): Column<Policy>[] {
  const { t } = useTranslation(['policy', 'common'])
  const count = useCount()
  return [
    { key: 'name', title: t('column.name'), sorter: true, is_fixed: true, render: (_, { name }) => <strong>{name}</strong> }, // prettier-ignore
    {
      key: 'days',
      title: t('column.days'),
      sorter: true,
      align: 'right',
      render: (_, { days }) => <span className="number">{t('days', { count: days })}</span>,
    },
    {
      key: 'terminal_count',
      title: t('column.devices'),
      align: 'right',
      render: (_, { kid, terminal_count }) => (
        <Link
          className="number"
          to={link.policyList.to({ view: 'devices', policy_kid: kid })}
          aria-label={`${t('show_devices')}: ${count(terminal_count)}`}
        >
          {count(terminal_count)}
        </Link>
      ),
    },
    { key: 'remark', title: t('column.remark'), render: (_, { remark }) => <OrDash>{remark}</OrDash> },
    {
      key: 'updated_at',
      title: t('column.updated_at'),
      sorter: true,
      render: (_, { updated_at }) => <DateTime at={updated_at} />,
    },
    {
      key: 'actions',
      title: t('common:actions'),
      align: 'right',
      fixed: 'right',
      className: 'column-actions',
      render: (_, row) => <Actions row={row} onWant={onWant} />,
    },
  ]
}

function Actions({ row, onWant }: { row: Policy; onWant: Want }) {
  const { t } = useTranslation(['policy', 'common'])
  useSession()
  const why_not = row.terminal_count > 0 ? t('delete.why_not') : undefined
  const items = [
    ...(may('policyList:edit') ? [{ key: 'edit', label: t('common:edit') }] : []),
    ...(may('policyList:delete')
      ? [
          {
            key: 'delete',
            danger: true,
            disabled: why_not !== undefined,
            label: why_not ? `${t('delete.action')} (${why_not})` : t('delete.action'),
          },
        ]
      : []),
  ]
  return (
    <span className="row-actions">
      {may('policyList:import') && (
        <Button
          size="small"
          icon={<ImportOutlined aria-hidden />}
          aria-label={`${t('import')}: ${row.name}`}
          onClick={() => onWant({ what: 'import', row })}
        >
          {t('import')}
        </Button>
      )}
      {items.length > 0 && (
        <Dropdown
          autoFocus
          trigger={['click']}
          placement="bottomRight"
          menu={{ items, onClick: ({ key }) => onWant({ what: key as 'edit' | 'delete', row }) }}
        >
          <Button
            type="text"
            size="small"
            icon={<EllipsisOutlined aria-hidden />}
            aria-label={t('more_of', { name: row.name })}
          />
        </Dropdown>
      )}
    </span>
  )
}

function DeleteDialog({ policy: { kid, name }, onClose }: { policy: Policy; onClose: () => void }) {
  const { t } = useTranslation('policy')
  const remove = useWrite(api.opsPolicy.delete, { done: t('delete.done') })
  return (
    <ConfirmDanger
      title={t('delete.title', { name })}
      submit={t('delete.submit')}
      loading={remove.isPending}
      submitError={remove.error}
      onConfirm={async () => {
        await remove.mutateAsync({ kid })
        onClose()
      }}
      onClose={onClose}
    />
  )
}
