import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { nextOsCustom, osBuildStates, osCustomStates, pages } from '@mdm/contract'
import type { OsBuildBrief, OsCustomRow } from '@mdm/contract'
import { api, useWrite } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { listText } from '../../i18n/list-text.ts'
import { AddButton } from '../../ui/list/AddButton.tsx'
import { ConfirmWrite } from '../../ui/dialog/ConfirmWrite.tsx'
import { useDialog } from '../../ui/dialog/use-dialog.ts'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import type { RowAction } from '../../ui/list/RowActions.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { Clipped, Code, CopyId, Count, Dash, DateTime } from '../../ui/value/values.tsx'
import { useBuildActions, useWhyNotBuild } from './actions.ts'
import type { BuildDialog } from './actions.ts'
import { BuildState, CustomState } from './badges.tsx'
import { BuildQuestion } from './dialogs.tsx'

/** Operating systems that the account has built for its own devices. */
export default function CustomsPage() {
  const { t } = useTranslation(['os-custom', 'common'])
  const textOf = useTextOf()
  const list = useListTable(api.osCustom.paging, {
    id: 'os-customs',
    filters: { text: 'text', state: 'text', build: 'text' },
  })
  const dialog = useDialog({ delete: 'userOsCustomList:delete', abandon: 'userOsCustomEdit' }, list.rows)
  const [asked, setAsked] = useState<{ what: BuildDialog; build: OsBuildBrief }>()
  const build = useWrite(api.osCustom.recustomise, { done: t('build_started') })
  const restore = useWrite(api.osCustom.restore, { done: t('restored') })
  const buildActions = useBuildActions((what, of) => setAsked({ what, build: of }))
  const whyNotBuild = useWhyNotBuild()
  const rowActions = (row: OsCustomRow): RowAction[] => {
    const busy = row.build && ['waiting', 'running'].includes(row.build.state) ? t('why_not.building') : undefined
    const given_up = nextOsCustom(row.state, 'edit') ? undefined : t('why_not.abandoned')
    return [
      { needs: 'userOsCustomApp', label: t('app_info'), to: link.userOsCustomApp.to({ kid: row.kid }) },
      {
        needs: 'userOsCustomList:build',
        label: t(row.build ? 'recustomise' : 'build_first'),
        disabled_reason: whyNotBuild(row),
        onSelect: () => void build.run({ kid: row.kid }),
      },
      {
        needs: 'userOsCustomEdit',
        label: t('common:edit'),
        ...((busy ?? given_up)
          ? { disabled_reason: busy ?? given_up, onSelect: () => undefined }
          : { to: link.userOsCustomEdit.to({ kid: row.kid }) }),
      },
      ...(row.build ? buildActions(row.build) : []),
      row.state === 'abandoned'
        ? { needs: 'userOsCustomEdit', label: t('restore'), onSelect: () => void restore.run({ kid: row.kid }) }
        : {
            needs: 'userOsCustomEdit',
            label: t('abandon.action'),
            danger: true,
            disabled_reason: busy,
            onSelect: () => dialog.open('abandon', row),
          },
      {
        needs: 'userOsCustomList:delete',
        label: t('delete.action'),
        danger: true,
        disabled_reason: busy ?? (row.released.length > 0 ? t('why_not.released') : undefined),
        onSelect: () => dialog.open('delete', row),
      },
    ]
  }
  const add = (
    <AddButton needs="userOsCustomAdd" to={link.userOsCustomAdd.to()}>
      {textOf(pages.userOsCustomAdd.title)}
    </AddButton>
  )
  const [deleting, given_up] = [dialog.of('delete'), dialog.of('abandon')]
  return (
    <>
      <ListPage<OsCustomRow>
        list={list}
        page={pages.userOsCustomList}
        columns={useColumns()}
        filters={[
          {
            key: 'state',
            kind: 'one',
            label: t('common:state'),
            options: osCustomStates.map((value) => ({ value, label: t(`state.${value}`) })),
          },
          {
            key: 'build',
            kind: 'one',
            label: t('column.build'),
            options: osBuildStates.map((value) => ({ value, label: t(`build.${value}`) })),
          },
        ]}
        rowActions={rowActions}
        nameOf={({ name }) => name}
        search={t('search')}
        primary={add}
        empty={{ title: t('empty'), hint: t('empty_hint'), action: add }}
      />
      {asked && <BuildQuestion {...asked} onClose={() => setAsked(undefined)} />}
      {given_up && (
        <ConfirmWrite
          call={api.osCustom.abandon}
          input={{ kid: given_up.kid }}
          title={t('abandon.title', { name: given_up.name })}
          submit={t('abandon.action')}
          done={t('abandon.done')}
          onClose={dialog.close}
        >
          {t('abandon.what')}
        </ConfirmWrite>
      )}
      {deleting && (
        <ConfirmWrite
          call={api.osCustom.delete}
          input={{ kid: deleting.kid }}
          also={['os_version']}
          title={t('delete.title', { name: deleting.name })}
          submit={t('delete.action')}
          done={t('delete.done')}
          word="DELETE"
          onClose={dialog.close}
        >
          {t('delete.what')}
        </ConfirmWrite>
      )}
    </>
  )
}

function useColumns(): Column<OsCustomRow>[] {
  const { t } = useTranslation(['os-custom', 'common'])
  return [
    {
      key: 'name',
      title: t('column.name'),
      sorter: true,
      is_fixed: true,
      render: (_, { kid, name }) => (
        <Link to={link.userOsCustomApp.to({ kid })}>
          <Clipped text={name} />
        </Link>
      ),
    },
    {
      key: 'state',
      title: t('common:state'),
      export: { labels: Object.fromEntries(osCustomStates.map((one) => [one, t(`state.${one}`)])) as never },
      render: (_, { state }) => <CustomState state={state} />,
    },
    { key: 'model_code', title: t('column.model'), dataIndex: 'model_code' },
    {
      key: 'base_os_version',
      title: t('column.base'),
      render: (_, { base_os_version }) => <Code value={base_os_version} />,
    },
    {
      key: 'build',
      title: t('column.build'),
      export: false,
      render: (_, { build }) => (build ? <BuildState build={build} /> : <Dash />),
    },
    {
      key: 'version',
      title: t('column.version'),
      export: false,
      render: (_, { build }) => <Code value={build?.os_version} />,
    },
    {
      key: 'released',
      title: t('column.released'),
      export: false,
      render: (_, { released }) => listText(released),
    },
    { key: 'app_count', title: t('column.apps'), align: 'right', render: (_, row) => <Count value={row.app_count} /> },
    {
      key: 'file_count',
      title: t('column.files'),
      align: 'right',
      render: (_, row) => <Count value={row.file_count} />,
    },
    {
      key: 'uid_code',
      title: t('column.uid'),
      is_hidden: true,
      render: (_, { uid_code }) => <CopyId value={uid_code} />,
    },
    { key: 'remark', title: t('remark'), is_hidden: true, render: (_, { remark }) => remark },
    { key: 'created_by', title: t('created_by'), is_hidden: true, dataIndex: 'created_by' },
    {
      key: 'updated_at',
      title: t('common:updated_at'),
      sorter: true,
      render: (_, { updated_at }) => <DateTime at={updated_at} />,
    },
  ]
}
