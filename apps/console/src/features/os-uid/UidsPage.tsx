import { QuestionCircleOutlined } from '@ant-design/icons'
import { Button, Select } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { informationNames, kidOf, pages, uidParts } from '@mdm/contract'
import type { InformationName, Uid } from '@mdm/contract'
import { api } from '../../core/api.ts'
import { useSearch, withParams } from '../../core/address.ts'
import { link } from '../../core/links.ts'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { AddButton } from '../../ui/list/AddButton.tsx'
import { ConfirmWrite } from '../../ui/dialog/ConfirmWrite.tsx'
import { useDialog } from '../../ui/dialog/use-dialog.ts'
import type { Filter } from '../../ui/list/filters.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import type { RowAction } from '../../ui/list/RowActions.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { Code, CopyId, DateTime } from '../../ui/value/values.tsx'
import { DeviceCount } from './DeviceCount.tsx'
import { informationGroups } from './groups.ts'
import { PartSelect } from './PartSelect.tsx'
import { usePartTitle } from './UidParts.tsx'

const ExplainDrawer = lazy(() => import('./ExplainDrawer.tsx').then((m) => ({ default: m.ExplainDrawer })))

export default function UidsPage() {
  const { t } = useTranslation(['os-uid', 'common'])
  const textOf = useTextOf()
  const list = useListTable(api.opsUid.paging, {
    id: 'uid-list',
    filters: { text: 'text', type: 'text', part_kid: 'text' },
  })
  const dialog = useDialog({ delete: 'uidList:delete', explain: 'uidList' }, list.rows)
  const deleting = dialog.of('delete')
  // Pasted elsewhere: 'Jump to' leads here with it.
  const [search, change] = useSearch()
  const asked = search.get('uid') ?? ''
  const close = () => {
    dialog.close()
    change((before) => withParams(before, { uid: null }), { replace: true })
  }
  const rowActions = (row: Uid): RowAction[] => [
    { needs: 'uidListUidListEdit', label: t('common:edit'), to: link.uidListUidListEdit.to({ kid: row.kid }) },
    {
      needs: 'uidList:delete',
      label: t('delete.action'),
      danger: true,
      disabled_reason:
        row.terminal_count > 0 ? t('delete.why_not') : row.use_count > 0 ? t('delete.why_not_used') : undefined,
      onSelect: () => dialog.open('delete', row),
    },
  ]
  const add = (
    <AddButton needs="uidListUidListAdd" to={link.uidListUidListAdd.to()}>
      {textOf(pages.uidListUidListAdd.title)}
    </AddButton>
  )
  return (
    <>
      <ListPage<Uid>
        list={list}
        page={pages.uidList}
        columns={useColumns()}
        filters={useFilters(list.rows, list.values.part_kid)}
        rowActions={rowActions}
        nameOf={({ code }) => code}
        search={t('search')}
        primary={
          <>
            <Button icon={<QuestionCircleOutlined aria-hidden />} onClick={() => dialog.open('explain')}>
              {t('explain.title')}
            </Button>
            {add}
          </>
        }
        empty={{ title: t('empty'), hint: t('empty_hint'), action: add }}
      />
      {dialog.is('explain') && (
        <Suspense>
          <ExplainDrawer key={asked} of={asked} onClose={close} />
        </Suspense>
      )}
      {deleting && (
        <ConfirmWrite
          call={api.opsUid.delete}
          input={{ kid: deleting.kid }}
          also={informationGroups}
          title={t('delete.title', { code: deleting.code })}
          submit={t('delete.submit')}
          done={t('delete.done')}
          onClose={dialog.close}
        />
      )}
    </>
  )
}

function useFilters(rows: readonly Uid[], part_kid: string | undefined): Filter[] {
  const { t } = useTranslation('os-uid')
  const part = rows[0] && informationNames.find((name) => rows[0]![kidOf(name)] === part_kid)
  const named = rows[0]?.parts.find((one) => one.part === part)
  return [
    {
      key: 'type',
      kind: 'one',
      label: t('type.label'),
      options: (['standard', 'custom'] as const).map((value) => ({ value, label: t(`type.${value}`) })),
    },
    {
      key: 'part_kid',
      kind: 'own',
      label: t('part'),
      shown: named ? [named.code, named.name].filter(Boolean).join(' · ') : part_kid,
      editor: (choose) => <PartFilter onChoose={choose} />,
    },
  ]
}

/** First of which list, then which row of it. */
function PartFilter({ onChoose }: { onChoose: (kid: string) => void }) {
  const { t } = useTranslation('os-uid')
  const titleOf = usePartTitle()
  const [part, setPart] = useState<InformationName>(informationNames[0]!)
  return (
    <div className="uid-part-filter">
      <Select<InformationName>
        autoFocus
        aria-label={t('part')}
        value={part}
        options={informationNames.map((value) => ({ value, label: titleOf(value) }))}
        onChange={setPart}
      />
      <PartSelect key={part} part={part} onPick={(choice) => choice && onChoose(choice.kid)} />
    </div>
  )
}

function useColumns(): Column<Uid>[] {
  const { t } = useTranslation(['os-uid', 'common'])
  const titleOf = usePartTitle()
  return [
    {
      key: 'code',
      title: t('column.code'),
      sorter: true,
      is_fixed: true,
      render: (_, { code }) => <CopyId value={code} />,
    },
    { key: 'display_name', title: t('display_name'), sorter: true, dataIndex: 'display_name' },
    {
      key: 'type',
      title: t('type.label'),
      export: { labels: { standard: t('type.standard'), custom: t('type.custom') } },
      render: (_, { type }) => t(`type.${type}`),
    },
    {
      key: 'terminal_count',
      title: t('column.devices'),
      align: 'right',
      render: (_, { terminal_count }) => <DeviceCount count={terminal_count} />,
    },
    {
      key: 'base_uid_code',
      title: t('base_uid'),
      render: (_, { base_uid_code }) => <Code value={base_uid_code} />,
    },
    {
      key: 'base_os_version',
      title: t('base_os_version'),
      render: (_, { base_os_version }) => <Code value={base_os_version} />,
    },
    ...uidParts
      .filter(({ part }) => part !== 'reserve_code')
      .map(({ part }): Column<Uid> => ({
        key: `part.${part}`,
        title: titleOf(part),
        is_hidden: true,
        export: false,
        render: (_, { parts }) => parts.find((one) => one.part === part)?.name,
      })),
    { key: 'remark', title: t('remark'), render: (_, { remark }) => remark },
    {
      key: 'updated_at',
      title: t('common:updated_at'),
      sorter: true,
      render: (_, { updated_at }) => <DateTime at={updated_at} />,
    },
  ]
}
