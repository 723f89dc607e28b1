import { EyeOutlined, SettingOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { pages, remoteKinds } from '@mdm/contract'
import type { RemoteSession } from '@mdm/contract'
import { api, useWrite } from '../../../core/api.ts'
import { May } from '../../../core/session.tsx'
import { useDialog } from '../../../ui/dialog/use-dialog.ts'
import { useOpened } from '../../../ui/dialog/use-opened.ts'
import type { Filter } from '../../../ui/list/filters.tsx'
import { ListPage } from '../../../ui/list/ListPage.tsx'
import type { RowAction } from '../../../ui/list/RowActions.tsx'
import { useListTable } from '../../../ui/list/use-list-table.ts'
import { useSessionColumns } from './columns.tsx'
import { mayEnd } from './may-end.ts'
import { SessionDrawer } from './SessionDrawer.tsx'
import { SettingsDrawer } from './SettingsDrawer.tsx'
import '../remote.css'

/** Who opens or opened which device, and what was recorded of it. */
export default function RemoteSessionsPage() {
  const { t } = useTranslation(['remote', 'common'])
  const list = useListTable(api.terminalRemote.paging, {
    id: 'remote-session-list',
    filters: { text: 'text', kind: 'text', is_open: 'boolean' },
  })
  const { opened, open, linkTo } = useOpened('session')
  const dialog = useDialog<'settings', RemoteSession>({ settings: 'remoteSessionList:settings' }, [])
  const end = useWrite(api.terminalRemote.end, { done: ({ ended }) => t('ended', { count: ended }) })
  const filters: Filter[] = [
    {
      key: 'is_open',
      kind: 'yes_no',
      label: t('common:state'),
      yes: t('state.open'),
      no: t('state.past'),
      is_quick: true,
    },
    {
      key: 'kind',
      kind: 'one',
      label: t('column.kind'),
      options: remoteKinds.map((value) => ({ value, label: t(`kind.${value}`) })),
    },
  ]
  const rowActions = (row: RemoteSession): RowAction[] => [
    {
      icon: <EyeOutlined aria-hidden />,
      label: t('details_of', { name: row.sn }),
      hint: t('details'),
      to: linkTo(row.kid),
    },
    ...(row.ended_at === null && mayEnd(row)
      ? [
          {
            text: t('end_short'),
            label: t('end_of', { name: row.sn }),
            loading: end.isPending && end.variables.kids.includes(row.kid),
            onSelect: () => void end.run({ kids: [row.kid] }),
          },
        ]
      : []),
  ]
  const row = list.rows.find(({ kid }) => kid === opened)
  return (
    <>
      <ListPage<RemoteSession>
        list={list}
        page={pages.remoteSessionList}
        columns={useSessionColumns(linkTo)}
        search={t('search')}
        filters={filters}
        actions={
          <May needs="remoteSessionList:settings">
            <Button icon={<SettingOutlined aria-hidden />} onClick={() => dialog.open('settings')}>
              {t('settings.title')}
            </Button>
          </May>
        }
        rowActions={rowActions}
        nameOf={({ sn }) => sn}
        empty={{ title: t('empty'), hint: t('empty_hint') }}
        onRow={({ kid }) => open(kid)}
      />
      {opened && <SessionDrawer key={opened} kid={opened} row={row} onClose={() => open(null)} />}
      {dialog.is('settings') && <SettingsDrawer onClose={dialog.close} />}
    </>
  )
}
