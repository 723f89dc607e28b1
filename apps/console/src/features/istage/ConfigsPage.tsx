import { DownloadOutlined, QrcodeOutlined } from '@ant-design/icons'
import { Input } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { holds, istageStatuses, istageTypeNames, istageTypes, pages } from '@mdm/contract'
import type { IstageConfig } from '@mdm/contract'
import { api, useWrite } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { useSession } from '../../core/session.tsx'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { AddButton } from '../../ui/list/AddButton.tsx'
import { ConfirmWrite } from '../../ui/dialog/ConfirmWrite.tsx'
import { Drawer } from '../../ui/dialog/Drawer.tsx'
import { useDialog } from '../../ui/dialog/use-dialog.ts'
import { Field, FormDrawer } from '../../ui/form/form.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import { Clipped, Code, DateTime } from '../../ui/value/values.tsx'
import { IstageCodes, useExport } from './IstageCodes.tsx'

/** Configurations of iStage. */
export default function ConfigsPage() {
  const { t } = useTranslation(['istage', 'common'])
  const textOf = useTextOf()
  const list = useListTable(api.istageConfig.paging, {
    id: 'istage-configs',
    filters: { text: 'text', type: 'text', status: 'text' },
  })
  const dialog = useDialog(
    { delete: 'istageListIstageConfig:delete', copy: 'istageConfigAdd', codes: 'signed_in' } as const,
    list.rows,
  )
  const exporting = useExport()
  const [deleting, original, shown] = [dialog.of('delete'), dialog.of('copy'), dialog.of('codes')]
  const add = (
    <AddButton needs="istageConfigAdd" to={link.istageConfigAdd.to()}>
      {textOf(pages.istageConfigAdd.title)}
    </AddButton>
  )
  return (
    <>
      <ListPage<IstageConfig>
        list={list}
        page={pages.istageListIstageConfig}
        columns={useColumns()}
        search={t('config.search')}
        filters={[
          {
            key: 'type',
            kind: 'one',
            label: t('column.type'),
            options: istageTypeNames.map((value) => ({ value, label: textOf(istageTypes[value]) })),
          },
          {
            key: 'status',
            kind: 'one',
            label: t('common:state'),
            options: istageStatuses.map((value) => ({ value, label: t(`status.${value}`) })),
          },
        ]}
        primary={add}
        nameOf={({ name }) => name}
        rowActions={(row) => {
          const incomplete = row.status === 'incomplete' ? t('why_not.incomplete') : undefined
          const gone = row.is_template_deleted ? t('why_not.template_deleted') : undefined
          return [
            {
              icon: <QrcodeOutlined aria-hidden />,
              label: t('config.codes_of', { name: row.name }),
              hint: t('config.codes'),
              disabled_reason: incomplete,
              onSelect: () => dialog.open('codes', row),
            },
            {
              needs: 'istageListIstageConfig:export',
              icon: <DownloadOutlined aria-hidden />,
              label: t('config.export_of', { name: row.name }),
              hint: t('config.export'),
              disabled_reason: incomplete,
              onSelect: () => void exporting.run({ kid: row.kid }),
            },
            {
              needs: 'istageConfigEdit',
              label: t('common:edit'),
              ...(gone
                ? { disabled_reason: gone, onSelect: () => undefined }
                : { to: link.istageConfigEdit.to({ kid: row.kid }) }),
            },
            {
              needs: 'istageConfigAdd',
              label: t('config.copy'),
              disabled_reason: gone,
              onSelect: () => dialog.open('copy', row),
            },
            {
              needs: 'istageListIstageConfig:delete',
              label: t('common:delete'),
              danger: true,
              onSelect: () => dialog.open('delete', row),
            },
          ]
        }}
        empty={{ title: t('config.empty'), hint: t('config.empty_hint'), action: add }}
      />
      {original && <CopyDrawer original={original} onClose={dialog.close} />}
      {shown && (
        <Drawer title={shown.name} size={720} onClose={dialog.close}>
          <IstageCodes config={shown} />
        </Drawer>
      )}
      {deleting && (
        <ConfirmWrite
          call={api.istageConfig.delete}
          input={{ kid: deleting.kid }}
          title={t('config.delete_title', { name: deleting.name })}
          submit={t('common:delete')}
          done={t('config.deleted')}
          onClose={dialog.close}
        >
          <p>{t('config.delete_text')}</p>
        </ConfirmWrite>
      )}
    </>
  )
}

function CopyDrawer({ original, onClose }: { original: IstageConfig; onClose: () => void }) {
  const { t } = useTranslation(['istage', 'common'])
  const copy = useWrite(api.istageConfig.copy, { done: t('config.copied') })
  return (
    <FormDrawer<{ name: string }>
      title={t('config.copy_title', { name: original.name })}
      submit={t('config.copy_submit')}
      initial={{ name: t('config.copy_name', { name: original.name.slice(0, 45) }) }}
      loading={copy.isPending}
      submitError={copy.error}
      onSubmit={({ name }) => copy.mutateAsync({ kid: original.kid, name })}
      onDone={onClose}
      onClose={onClose}
    >
      <p className="dim">{t('config.copy_hint')}</p>
      <Field name="name" label={t('common:name')} schema={api.istageConfig.copy.input}>
        <Input autoComplete="off" />
      </Field>
    </FormDrawer>
  )
}

function useColumns(): Column<IstageConfig>[] {
  const { t } = useTranslation(['istage', 'common'])
  const textOf = useTextOf()
  const may_edit = holds(useSession().permissions, 'istageConfigEdit')
  const types = Object.fromEntries(istageTypeNames.map((type) => [type, textOf(istageTypes[type])]))
  const statuses = Object.fromEntries(istageStatuses.map((status) => [status, t(`status.${status}`)]))
  return [
    {
      key: 'name',
      title: t('common:name'),
      sorter: true,
      is_fixed: true,
      render: (_, { kid, name, is_template_deleted }) =>
        is_template_deleted || !may_edit ? (
          <Clipped text={name} />
        ) : (
          <Link to={link.istageConfigEdit.to({ kid })}>
            <Clipped text={name} />
          </Link>
        ),
    },
    {
      key: 'type',
      title: t('column.type'),
      sorter: true,
      export: { labels: types as never },
      render: (_, { type }) => types[type],
    },
    {
      key: 'version',
      title: t('column.version'),
      sorter: true,
      render: (_, { version }) => <Code value={version} />,
    },
    {
      key: 'status',
      title: t('common:state'),
      sorter: true,
      export: { labels: statuses as never },
      render: (_, { status }) => (
        <StateBadge tone={status === 'completed' ? 'good' : 'waiting'}>{statuses[status]}</StateBadge>
      ),
    },
    {
      key: 'template_name',
      title: t('column.template'),
      is_hidden: true,
      render: (_, { template_name, is_template_deleted }) =>
        is_template_deleted ? t('template.gone', { name: template_name }) : template_name,
    },
    { key: 'description', title: t('field.description'), is_hidden: true, render: (_, { description }) => description },
    { key: 'created_by', title: t('column.by'), is_hidden: true, dataIndex: 'created_by' },
    {
      key: 'created_at',
      title: t('common:created_at'),
      sorter: true,
      render: (_, { created_at }) => <DateTime at={created_at} />,
    },
    {
      key: 'updated_at',
      title: t('common:updated_at'),
      sorter: true,
      render: (_, { updated_at }) => <DateTime at={updated_at} />,
    },
  ]
}
