import { EyeOutlined } from '@ant-design/icons'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { activationStates, constants, nextActivation, pages } from '@mdm/contract'
import type { ActivationRow } from '@mdm/contract'
import { api } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { ConfirmWrite } from '../../ui/dialog/ConfirmWrite.tsx'
import { useDialog } from '../../ui/dialog/use-dialog.ts'
import { AddButton } from '../../ui/list/AddButton.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import type { RowAction } from '../../ui/list/RowActions.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { useCount } from '../../ui/value/format.ts'
import { Clipped, DateTime } from '../../ui/value/values.tsx'
import { ActivationDrawer } from './ActivationDrawer.tsx'
import { ActivationBadge } from './badges.tsx'
import { ReceiptForm } from './ReceiptForm.tsx'
import { RenewForm } from './RenewForm.tsx'

const dialogs = {
  show: 'activateList',
  renew: 'activateList:renew',
  confirm: 'activateList:confirm',
  eliminate: 'activateList:eliminate',
} as const

export function Activations({ choice }: { choice: ReactNode }) {
  const { t } = useTranslation(['private-deployment', 'common'])
  const list = useListTable(api.opsActivation.paging, {
    id: 'activate-list',
    filters: { text: 'text', state: 'text', ends_within_days: 'number' },
  })
  const { of, open, close } = useDialog(dialogs, list.rows)
  const [shown, renewed, confirmed, deleting] = [of('show'), of('renew'), of('confirm'), of('eliminate')]
  const rowActions = (row: ActivationRow): RowAction[] => [
    {
      icon: <EyeOutlined aria-hidden />,
      text: t('show'),
      label: `${t('show')}: ${row.name}`,
      onSelect: () => open('show', row),
    },
    {
      needs: dialogs.confirm,
      label: t('confirm.action'),
      disabled_reason: nextActivation(row.state, 'confirm') ? undefined : t('over'),
      onSelect: () => open('confirm', row),
    },
    {
      needs: dialogs.renew,
      label: t('renew.action'),
      disabled_reason: nextActivation(row.state, 'renew') ? undefined : t('over'),
      onSelect: () => open('renew', row),
    },
    {
      needs: dialogs.eliminate,
      label: t('eliminate.action'),
      danger: true,
      disabled_reason: nextActivation(row.state, 'eliminate') ? undefined : t('over'),
      onSelect: () => open('eliminate', row),
    },
  ]
  const add = (
    <AddButton needs="privatizationGenerate" to={link.privatizationGenerate.to()}>
      {t('issue')}
    </AddButton>
  )
  return (
    <>
      <ListPage
        list={list}
        page={pages.activateList}
        actions={choice}
        columns={useColumns((row) => open('show', row))}
        filters={[
          {
            key: 'state',
            kind: 'one',
            label: t('common:state'),
            options: activationStates.map((value) => ({ value, label: t(`state.${value}`) })),
          },
          {
            key: 'ends_within_days',
            kind: 'one',
            label: t('ends'),
            options: [constants.expiry_red_days, constants.expiry_orange_days, 90].map((days) => ({
              value: String(days),
              label: t('within_days', { count: days }),
            })),
          },
        ]}
        rowActions={rowActions}
        nameOf={({ name }) => name}
        search={t('search')}
        primary={add}
        empty={{ title: t('empty'), hint: t('empty_hint'), action: add }}
      />
      {shown && <ActivationDrawer kid={shown.kid} name={shown.name} onClose={close} />}
      {renewed && <RenewForm of={renewed} onClose={close} />}
      {confirmed && <ReceiptForm of={confirmed} onClose={close} />}
      {deleting && (
        <ConfirmWrite
          call={api.opsActivation.eliminate}
          input={{ kid: deleting.kid }}
          title={t('eliminate.title', { name: deleting.name })}
          submit={t('eliminate.submit')}
          done={t('eliminate.done')}
          onClose={close}
        >
          <p>{t('eliminate.what')}</p>
        </ConfirmWrite>
      )}
    </>
  )
}

function useColumns(show: (row: ActivationRow) => void): Column<ActivationRow>[] {
  const { t } = useTranslation(['private-deployment', 'common'])
  const count = useCount()
  const limit = { [constants.unlimited_devices]: t('unlimited') }
  return [
    {
      key: 'name',
      title: t('name'),
      sorter: true,
      is_fixed: true,
      render: (_, row) => (
        <Clipped text={row.name}>
          <Link
            to={link.activateList.to({ dialog: 'show', of: row.kid })}
            onClick={(event) => {
              if (event.metaKey || event.ctrlKey || event.shiftKey) return
              event.preventDefault()
              show(row)
            }}
          >
            {row.name}
          </Link>
        </Clipped>
      ),
    },
    {
      key: 'state',
      title: t('common:state'),
      export: { labels: t('state', { returnObjects: true }) },
      render: (_, row) => <ActivationBadge state={row.state} fault={row.fault} />,
    },
    {
      key: 'max_accounts',
      title: t('max_accounts'),
      align: 'right',
      render: (_, { max_accounts }) => <span className="number">{count(max_accounts)}</span>,
    },
    {
      key: 'max_devices',
      title: t('max_devices'),
      sorter: true,
      align: 'right',
      export: { labels: limit },
      render: (_, { max_devices }) => (
        <span className="number">
          {max_devices >= constants.unlimited_devices ? t('unlimited') : count(max_devices)}
        </span>
      ),
    },
    { key: 'ends_at', title: t('ends'), sorter: true, render: (_, { ends_at }) => <DateTime at={ends_at} /> },
    { key: 'reported_at', title: t('reported'), render: (_, { reported_at }) => <DateTime at={reported_at} /> },
    { key: 'created_by', title: t('created_by'), render: (_, { created_by }) => created_by },
    {
      key: 'created_at',
      title: t('created'),
      sorter: true,
      render: (_, { created_at }) => <DateTime at={created_at} />,
    },
    { key: 'remark', title: t('remark'), render: (_, { remark }) => remark },
  ]
}
