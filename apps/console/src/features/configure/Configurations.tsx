import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { contract, levelNames, ltscopes } from '@mdm/contract'
import type { Configuration } from '@mdm/contract'
import { Input } from 'antd'
import { api, useWrite } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { useTypeName } from './edit/type-name.ts'
import { useDialog } from '../../ui/dialog/use-dialog.ts'
import { Field, FormDrawer } from '../../ui/form/form.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import type { Filter } from '../../ui/list/filters.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { Clipped, DateTime } from '../../ui/value/values.tsx'
import { ConfigStateBadge, states } from './state.tsx'

/** Where a configuration is edited. */
const addressOf = (
  row: Pick<Configuration, 'terminal_kid' | 'profile_kid' | 'terminal_group_kid'>,
  shown: { show?: 'own' } = {},
): string =>
  row.terminal_kid
    ? link.deviceDetailConfig.to({ kid: row.terminal_kid, ...shown })
    : row.profile_kid
      ? link.configureLevel.to({ kid: row.profile_kid, level: 'profile', ...shown })
      : link.configureLevel.to({ kid: row.terminal_group_kid ?? 'account', ...shown })

/** Every level at which something is set, with the state of its devices. */
export function Configurations() {
  const { t } = useTranslation(['configure/edit', 'common'])
  const typeName = useTypeName()
  const list = useListTable(api.terminalConfig.paging, {
    id: 'configurations',
    filters: { text: 'text', ltscope: 'number', state: 'number' },
  })
  const dialog = useDialog({ rename: 'deviceDetailConfig:edit' }, list.rows)
  const renamed = dialog.of('rename')
  const columns: Column<Configuration>[] = [
    {
      key: 'place_name',
      title: t('column.place'),
      is_fixed: true,
      render: (_, row) => (
        <Link to={addressOf(row)}>
          <Clipped text={row.place_name ?? t('level.account')} />
        </Link>
      ),
    },
    {
      key: 'state',
      title: t('common:state'),
      render: (_, row) => <ConfigStateBadge state={row.state} />,
    },
    { key: 'ltscope', title: t('column.level'), render: (_, row) => levelText(row.ltscope) },
    { key: 'type', title: t('column.type'), render: (_, row) => typeName(row.type) },
    { key: 'name', title: t('common:name'), sorter: true, render: (_, row) => row.name },
    { key: 'description', title: t('column.description'), is_hidden: true, dataIndex: 'description' },
    { key: 'version', title: t('column.version'), align: 'right', sorter: true, dataIndex: 'version' },
    {
      key: 'completeness',
      title: t('column.sections'),
      export: [
        { key: 'sections_set', title: t('column.sections_set') },
        { key: 'sections_total', title: t('column.sections_total') },
      ],
      render: (_, row) => (
        <Link to={addressOf(row, { show: 'own' })}>
          {t('sections_of', { set: row.sections_set, total: row.sections_total })}
        </Link>
      ),
    },
    { key: 'updated_by', title: t('column.by'), dataIndex: 'updated_by' },
    {
      key: 'updated_at',
      title: t('column.at'),
      sorter: true,
      render: (_, row) => <DateTime at={row.updated_at} />,
    },
    {
      key: 'created_at',
      title: t('common:created_at'),
      is_hidden: true,
      sorter: true,
      render: (_, row) => <DateTime at={row.created_at} />,
    },
  ]
  const filters: Filter[] = [
    {
      key: 'ltscope',
      kind: 'one',
      label: t('column.level'),
      options: levelNames
        .filter((name) => name !== 'platform')
        .map((name) => ({ value: String(ltscopes[name]), label: t(`level.${name}`) })),
    },
    {
      key: 'state',
      kind: 'one',
      label: t('common:state'),
      options: Object.entries(states).map(([value, { name }]) => ({ value, label: t(`state.${name}`) })),
    },
  ]
  const nameOf = (row: Configuration) => row.name || row.place_name || t('level.account')
  return (
    <>
      <ListPage
        list={list}
        is_part
        title={t('tab.configurations')}
        nameOf={nameOf}
        rowActions={(row) => [
          { needs: 'deviceDetailConfig:edit', label: t('rename.action'), onSelect: () => dialog.open('rename', row) },
        ]}
        columns={columns}
        search={t('search_place')}
        filters={filters}
        empty={{ title: t('empty'), hint: t('empty_hint') }}
      />
      {renamed && <RenameDrawer of={renamed} onClose={dialog.close} />}
    </>
  )

  function levelText(ltscope: number): string {
    const name = levelNames.find((each) => ltscopes[each] === ltscope)
    return name ? t(`level.${name}`) : String(ltscope)
  }
}

type Named = Pick<Configuration, 'name' | 'description'>
/** What people call a configuration, and why it is there. */
function RenameDrawer({ of, onClose }: { of: Configuration; onClose: () => void }) {
  const { t } = useTranslation(['configure/edit', 'common'])
  const save = useWrite(api.terminalConfig.update, { done: t('rename.done') })
  const { input } = contract.terminalConfig.calls.update
  return (
    <FormDrawer<Named>
      title={t('rename.title', { place: of.place_name ?? t('level.account') })}
      submit={t('rename.submit')}
      initial={{ name: of.name, description: of.description }}
      loading={save.isPending}
      submitError={save.error}
      onSubmit={(given) => save.mutateAsync({ kid: of.kid, ...given })}
      onDone={onClose}
      onClose={onClose}
    >
      <Field name="name" label={t('common:name')} schema={input}>
        <Input autoFocus />
      </Field>
      <Field name="description" label={t('column.description')} schema={input}>
        <Input />
      </Field>
    </FormDrawer>
  )
}
