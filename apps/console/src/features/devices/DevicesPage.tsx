import { ApartmentOutlined, MobileOutlined, PlusOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import type { TerminalRow } from '@mdm/contract'
import { api, useCall } from '../../api.ts'
import { useGroups } from '../../pickers/GroupPicker.tsx'
import { flat } from '../../pickers/group-tree.ts'
import { deviceDetailInfo } from '../../pickers/links.ts'
import type { Filter } from '../../screen/filters.tsx'
import { ListPage } from '../../screen/ListPage.tsx'
import { useListTable } from '../../screen/use-list-table.ts'
import { May } from '../../session.tsx'
import { BulkActions, RowActions } from './actions.tsx'
import type { Wanted } from './actions.tsx'
import { useDeviceColumns } from './columns.tsx'
import './devices.css'
import { GroupAside } from './GroupAside.tsx'

// Forms are loaded when one is opened: most visits to the list only look.
const WantedDialog = lazy(() => import('./WantedDialog.tsx').then((m) => ({ default: m.WantedDialog })))
const RegisterDrawer = lazy(() => import('./RegisterDrawer.tsx').then((m) => ({ default: m.RegisterDrawer })))

/** Opens /device-detail/info?kid=…; the list's state stays in its own address, so going back finds it again. */
export default function DevicesPage() {
  const { t } = useTranslation(['devices', 'common', 'pickers'])
  const navigate = useNavigate()
  const list = useListTable(api.terminal.paging, {
    id: 'device-list',
    filters: { text: 'text', is_online: 'boolean', model: 'text', os_version: 'text', terminal_group_kid: 'text' },
  })
  const [wanted, setWanted] = useState<Wanted | null>(null)
  const [is_registering, setRegistering] = useState(false)
  const columns = useDeviceColumns((row) => <RowActions row={row} onWant={setWanted} />)
  const filters = useFilters()
  const group = list.values.terminal_group_kid

  const register = (
    <May needs="deviceList:register">
      <Button type="primary" icon={<PlusOutlined />} onClick={() => setRegistering(true)}>
        {t('register.button')}
      </Button>
    </May>
  )
  // What was selected may have changed meanwhile; rows on screen are newer.
  const fresh = (rows: readonly TerminalRow[]) => rows.map((row) => list.rows.find(({ kid }) => kid === row.kid) ?? row)
  const close = () => setWanted(null)
  return (
    <>
      <ListPage
        list={list}
        title={t('title')}
        icon={<MobileOutlined />}
        columns={columns}
        search={t('search')}
        filters={filters}
        primary={register}
        bulk={({ selection }) => <BulkActions targets={() => fresh(selection.rows)} onWant={setWanted} />}
        empty={{ title: t('empty'), hint: t('empty_hint'), action: register }}
        aside={{
          title: t('tree.title'),
          icon: <ApartmentOutlined />,
          content: <GroupAside selected={group} onSelect={(kid) => list.set({ terminal_group_kid: kid })} />,
        }}
        onRow={(row) => void navigate(deviceDetailInfo.to({ kid: row.kid }))}
      />
      {wanted && (
        <Suspense>
          <WantedDialog wanted={wanted} onClose={close} onDone={list.selection.clear} />
        </Suspense>
      )}
      {is_registering && (
        <Suspense>
          <RegisterDrawer group={group} onClose={() => setRegistering(false)} />
        </Suspense>
      )}
    </>
  )
}

function useFilters(): Filter[] {
  const { t } = useTranslation(['devices', 'common', 'pickers'])
  const facets = useCall(api.terminal.facets, {}).data
  const { tree } = useGroups()
  const options = (values: readonly string[] = []) => values.map((value) => ({ value, label: value }))
  return [
    { key: 'is_online', kind: 'yes_no', label: t('common:state'), yes: t('common:online'), no: t('common:offline') },
    { key: 'model', kind: 'one', label: t('filter.model'), options: options(facets?.models) },
    { key: 'os_version', kind: 'one', label: t('filter.os_version'), options: options(facets?.os_versions) },
    {
      key: 'terminal_group_kid',
      kind: 'one',
      label: t('filter.group'),
      options: [
        { value: 'NO_GROUP', label: t('pickers:group.none') },
        ...flat(tree).map(({ kid, path }) => ({ value: kid, label: path.join(' / ') })),
      ],
    },
  ]
}
