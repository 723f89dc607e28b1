import { DeleteOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { istageKinds, istageTypeNames, istageTypes, pages } from '@mdm/contract'
import type { IstageTemplate } from '@mdm/contract'
import { api } from '../../core/api.ts'
import { May } from '../../core/session.tsx'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { ConfirmWrite } from '../../ui/dialog/ConfirmWrite.tsx'
import { useDialog } from '../../ui/dialog/use-dialog.ts'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { Clipped, Code, Count, DateTime } from '../../ui/value/values.tsx'
import { ImportDrawer } from './ImportDrawer.tsx'

type Props = { of: 'account' | 'provider' }
/** Templates that an account sees, or those that the provider keeps. */
export function TemplateList({ of }: Props) {
  const { t } = useTranslation(['istage', 'common'])
  const textOf = useTextOf()
  const page = of === 'account' ? 'istageListIstageTemplate' : 'opsIstageTemplateList'
  const calls = of === 'account' ? api.istageTemplate : (api.opsIstageTemplate as unknown as typeof api.istageTemplate)
  const list = useListTable(calls.paging, {
    id: `istage-templates-${of}`,
    filters: { text: 'text', type: 'text', kind: 'text' },
  })
  const dialog = useDialog({ import: `${page}:import`, delete: `${page}:delete` } as const, list.rows)
  const deleting = dialog.of('delete')
  const add = (
    <May needs={`${page}:import`}>
      <Button type="primary" onClick={() => dialog.open('import')}>
        {t('template.import')}
      </Button>
    </May>
  )
  return (
    <>
      <ListPage<IstageTemplate>
        list={list}
        page={pages[page]}
        columns={useColumns(of)}
        search={t('template.search')}
        filters={[
          {
            key: 'type',
            kind: 'one',
            label: t('column.type'),
            options: istageTypeNames.map((value) => ({ value, label: textOf(istageTypes[value]) })),
          },
          {
            key: 'kind',
            kind: 'one',
            label: t('column.kind'),
            options: istageKinds.map((value) => ({ value, label: t(`kind.${value}`) })),
          },
        ]}
        primary={add}
        nameOf={({ name, version }) => `${name} ${version}`}
        rowActions={(row) => [
          {
            needs: `${page}:delete`,
            icon: <DeleteOutlined aria-hidden />,
            label: t('template.delete_of', { name: row.name, version: row.version }),
            hint: t('common:delete'),
            disabled_reason: row.is_own ? undefined : t('template.of_provider'),
            onSelect: () => dialog.open('delete', row),
          },
        ]}
        empty={{ title: t('template.empty'), hint: t('template.empty_hint'), action: add }}
      />
      {dialog.is('import') && <ImportDrawer call={calls.import} onClose={dialog.close} />}
      {deleting && (
        <ConfirmWrite
          call={calls.delete}
          input={{ kid: deleting.kid }}
          also={['istage_config']}
          title={t('template.delete_title', { name: deleting.name, version: deleting.version })}
          submit={t('common:delete')}
          done={t('template.deleted')}
          onClose={dialog.close}
        >
          <p>{t('template.delete_text')}</p>
        </ConfirmWrite>
      )}
    </>
  )
}

function useColumns(of: Props['of']): Column<IstageTemplate>[] {
  const { t } = useTranslation(['istage', 'common'])
  const textOf = useTextOf()
  const types = Object.fromEntries(istageTypeNames.map((type) => [type, textOf(istageTypes[type])]))
  const kinds = Object.fromEntries(istageKinds.map((kind) => [kind, t(`kind.${kind}`)]))
  return [
    {
      key: 'name',
      title: t('common:name'),
      sorter: true,
      is_fixed: true,
      render: (_, { name }) => <Clipped text={name} />,
    },
    {
      key: 'type',
      title: t('column.type'),
      sorter: true,
      export: { labels: types as never },
      render: (_, { type }) => types[type],
    },
    {
      key: 'kind',
      title: t('column.kind'),
      export: { labels: kinds as never },
      render: (_, { kind }) => kinds[kind],
    },
    {
      key: 'version',
      title: t('column.version'),
      sorter: true,
      render: (_, { version }) => <Code value={version} />,
    },
    {
      key: 'module_count',
      title: t('column.modules'),
      align: 'right',
      render: (_, { module_count }) => <Count value={module_count} />,
    },
    ...(of === 'account'
      ? [
          {
            key: 'is_own',
            title: t('column.origin'),
            export: { labels: { true: t('origin.own'), false: t('origin.provider') } as never },
            render: (_: unknown, { is_own }: IstageTemplate) => t(is_own ? 'origin.own' : 'origin.provider'),
          } as Column<IstageTemplate>,
        ]
      : []),
    { key: 'created_by', title: t('column.by'), is_hidden: true, dataIndex: 'created_by' },
    {
      key: 'updated_at',
      title: t('common:updated_at'),
      sorter: true,
      render: (_, { updated_at }) => <DateTime at={updated_at} />,
    },
    {
      key: 'imported_at',
      title: t('column.imported_at'),
      sorter: true,
      render: (_, { imported_at }) => <DateTime at={imported_at} />,
    },
  ]
}
